// @ts-check
/** The whole set-up, from packages to dist/, and the stamp by which the next start sees in milliseconds that nothing changed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildFlags, ensureAddon, nativeSources } from './addon.mjs';
import { engineSources, ensureDist, writeNativeJson } from './dist.mjs';
import { touchSignature } from './files.mjs';
import { cachedLibtorch, ensureLibtorch, mainLibrary } from './libtorch.mjs';
import { withLock } from './lock.mjs';
import { ensurePackages } from './packages.mjs';
import { cacheDir, rootDir } from './paths.mjs';
import { explainWrite, SetupError } from './system.mjs';
import { findCompiler } from './tools.mjs';
import { ensureWindow, windowIsBuilt } from './window.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** Steps in their order. */
export const steps = /** @type {const} */ (['packages', 'libtorch', 'addon', 'dist', 'window']);
/** @typedef {typeof steps[number]} Step */

const stampFile = () => path.join(rootDir(), 'dist', 'setup.stamp');

/**
 * Everything set-up depends on, by sizes and times: a difference means "look closer", never "build".
 * @returns {string | null} null before the first set-up
 */
function currentStamp() {
  const root = rootDir();
  const nativeFile = path.join(root, 'dist', 'native.json');
  if (!existsSync(nativeFile)) return null;
  const native = JSON.parse(readFileSync(nativeFile, 'utf8'));
  const files = [
    ...engineSources(),
    ...nativeSources(),
    ...['cli.js', 'worker.js', 'native.json'].map((name) => path.join(root, 'dist', name)),
    path.join(root, 'node_modules', '.gradloom-stamp'),
    native.addon,
    mainLibrary(native.libtorch.path),
    // A libtorch that turns up where there was none is preferred to python3's.
    mainLibrary(cachedLibtorch()),
    findCompiler() ?? '',
  ];
  const named = [process.env.GRADLOOM_LIBTORCH ?? '', cacheDir(), buildFlags(), process.version];
  return `${touchSignature(files)} ${JSON.stringify(named)}`;
}

/**
 * Does whatever is missing; returns at once when nothing is.
 * @param {Progress} progress
 * @param {Step} [only] one step alone
 * @param {{ window?: boolean }} [parts] `window`: also what only a window needs
 * @returns {Promise<boolean>} whether there was anything to do
 */
export async function setUp(progress, only, { window = false } = {}) {
  checkNode();
  if (only === undefined && isSetUp() && (!window || windowIsBuilt())) return false;
  try {
    await withLock(
      path.join(rootDir(), 'dist', 'setup.lock'),
      async () => {
        if (only === undefined || only === 'packages') await ensurePackages(progress);
        if (only === undefined || only === 'libtorch' || only === 'addon') {
          const libtorch = await ensureLibtorch(progress);
          if (only !== 'libtorch') writeNativeJson(libtorch, await ensureAddon(libtorch, progress));
        }
        if (only === undefined || only === 'dist') await ensureDist(progress);
        if (only === 'window' || (only === undefined && window)) await ensureWindow(progress);
        if (only === undefined) writeFileSync(stampFile(), currentStamp() ?? '');
      },
      (holder) => progress.say(`Waiting for another set-up of this folder (${holder})…`),
    );
  } catch (error) {
    throw explainWrite(error);
  }
  return true;
}

/**
 * Whether nothing changed since the last whole set-up.
 * @returns {boolean}
 */
export function isSetUp() {
  return existsSync(stampFile()) && readFileSync(stampFile(), 'utf8') === currentStamp();
}

/** The range package.json names: Vite and Vitest need it, and so does what the engine uses of Node. */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
  if (fits) return;
  throw new SetupError(
    'INTERNAL',
    `This is Node.js ${version}; 20.19 or newer of 20, or 22.12 or newer, is needed.`,
    'Install it from https://nodejs.org or with a version manager (nvm install 22), then run the same command again.',
  );
}
