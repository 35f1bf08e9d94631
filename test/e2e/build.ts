/** Before the suite: engine and window are built, and there is a Chromium to show the window in. */
import { createProgress } from '../../native/setup/progress.mjs';
import { setUp } from '../../native/setup/setup.mjs';
import { findChromium, howToGetChromium } from './browser.mjs';

/** Vitest's global set-up. */
export default async function setup(): Promise<void> {
  if (findChromium() === null) {
    if (process.env.CI) throw new Error(`The e2e suite has no browser. ${howToGetChromium}`);
    process.stderr.write(`\ne2e: SKIPPED, there is no browser. ${howToGetChromium}\n\n`);
    return;
  }
  await setUp(createProgress(), undefined, { window: true });
}
