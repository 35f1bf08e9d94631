// @ts-check
/** Where things lie: the checkout, the versioned cache, the workspace. Everything else asks here. */
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The versions this release fetches; a change makes a new folder in the cache. */
export const libtorchVersion = '2.15.0';
/** The oldest installed PyTorch that is accepted, as [major, minor]. */
export const oldestLibtorch = /** @type {const} */ ([2, 11]);

/**
 * The folder that holds Gradloom's package.json: the checkout, or the installed package. Found by walking up, because these
 * lines also run bundled inside `dist/`.
 * @returns {string}
 */
export function rootDir() {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = path.join(folder, 'package.json');
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'gradloom') return folder;
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`No package.json of Gradloom above ${fileURLToPath(import.meta.url)}`);
    folder = parent;
  }
}

/**
 * Large things that can be fetched or built again: libtorch, the addon, packed data. `GRADLOOM_CACHE`, else the platform's.
 * @returns {string} an absolute path; may not exist yet
 */
export function cacheDir() {
  const { GRADLOOM_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (GRADLOOM_CACHE) return path.resolve(GRADLOOM_CACHE);
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Caches', 'Gradloom');
  if (process.platform === 'win32') {
    return path.join(LOCALAPPDATA || path.join(os.homedir(), 'AppData', 'Local'), 'Gradloom', 'Cache');
  }
  return path.join(
    XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(os.homedir(), '.cache'),
    'gradloom',
  );
}

/**
 * The workspace, a person's own things: projects, runs, data. `GRADLOOM_HOME`, else `~/Gradloom`.
 * @returns {string} an absolute path; may not exist yet
 */
export function homeDir() {
  const { GRADLOOM_HOME } = process.env;
  return GRADLOOM_HOME ? path.resolve(GRADLOOM_HOME) : path.join(os.homedir(), 'Gradloom');
}
