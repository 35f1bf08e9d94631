// @ts-check
/** Finds the Chromium of this machine and starts it without a screen. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export const howToGetChromium =
  'Install Chromium or Chrome (Debian and Ubuntu: apt-get install chromium), or name one in GRADLOOM_CHROMIUM.';

/**
 * `GRADLOOM_CHROMIUM`, else what lies on PATH or in the usual places.
 * @returns {string | null} null: there is none
 */
export function findChromium() {
  const named = process.env.GRADLOOM_CHROMIUM;
  if (named !== undefined) return existsSync(named) ? named : null;
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)];
  const places = [...names.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...elsewhere];
  return places.find((place) => existsSync(place)) ?? null;
}

/**
 * @typedef {object} Chromium
 * @property {import('playwright-core').BrowserContext} context
 * @property {() => Promise<void>} close
 */

/**
 * A Chromium with a profile of its own, which goes with it.
 * @param {{ width?: number, height?: number, colorScheme?: 'light' | 'dark', flags?: string[] }} [options]
 * @returns {Promise<Chromium>}
 */
export async function startChromium({ width = 1440, height = 900, colorScheme = 'light', flags = [] } = {}) {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(howToGetChromium);
  const profile = mkdtempSync(path.join(os.tmpdir(), 'gradloom-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport: { width, height },
    colorScheme,
    acceptDownloads: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
