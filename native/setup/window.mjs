// @ts-check
/** The window's part of dist/: the page (dist/renderer) and Electron's main and preload (dist/electron), built by Vite. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runVite } from './dist.mjs';
import { contentSignature, listFiles } from './files.mjs';
import { rootDir } from './paths.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** Electron's entries, as `electron/vite.config.ts` names them. */
const entries = ['main', 'preload', 'first-start-preload'];
const made = ['renderer/index.html', 'renderer/.vite/manifest.json', ...entries.map((name) => `electron/${name}.cjs`)];

const stampFile = () => path.join(rootDir(), 'dist', 'window.stamp');

function signature() {
  const root = rootDir();
  const folders = ['renderer', 'electron', path.join('engine', 'contract')];
  const sources = folders.flatMap((folder) => listFiles(path.join(root, folder)));
  return contentSignature(root, [...sources, path.join(root, 'package-lock.json')]);
}

/** @returns {boolean} also where there is nothing to build it from */
export function windowIsBuilt() {
  const root = rootDir();
  if (!existsSync(path.join(root, 'renderer', 'vite.config.ts'))) return true;
  if (!made.every((name) => existsSync(path.join(root, 'dist', name)))) return false;
  return existsSync(stampFile()) && readFileSync(stampFile(), 'utf8') === signature();
}

/**
 * @param {Progress} progress
 */
export async function ensureWindow(progress) {
  if (windowIsBuilt()) return;
  progress.say('Building the window into dist/…');
  const root = rootDir();
  const wanted = signature();
  /** @param {string} folder */
  const config = (folder) => ['--config', path.join(root, folder, 'vite.config.ts')];
  const electron = async () => {
    for (const entry of entries) await runVite(`electron/${entry}`, [...config('electron'), '--mode', entry]);
  };
  await Promise.all([runVite('the window', config('renderer')), electron()]);
  writeFileSync(stampFile(), wanted);
}
