// @ts-check
/** dist/: the engine's TypeScript built by Vite, and native.json that tells it where the addon lies. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { contentSignature, listFiles } from './files.mjs';
import { rootDir } from './paths.mjs';
import { capture, SetupError } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** A running program may still load a chunk of the build it was started from. */
const keepChunksMs = 24 * 3600 * 1000;

/** What goes into dist/. */
export function engineSources() {
  const root = rootDir();
  const setup = listFiles(path.join(root, 'native', 'setup')).filter((file) => file.endsWith('.mjs'));
  return [...listFiles(path.join(root, 'engine')), ...setup, path.join(root, 'package-lock.json')];
}

/**
 * @param {Progress} progress
 */
export async function ensureDist(progress) {
  const root = rootDir();
  const dist = path.join(root, 'dist');
  const stamp = path.join(dist, 'engine.stamp');
  const signature = contentSignature(root, engineSources());
  if (existsSync(path.join(dist, 'cli.js')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === signature) return;
  progress.say('Building the engine into dist/…');
  await runVite('the engine', ['--config', path.join(root, 'engine', 'vite.config.ts')]);
  const chunks = path.join(dist, 'chunks');
  for (const name of existsSync(chunks) ? readdirSync(chunks) : []) {
    const file = path.join(chunks, name);
    if (Date.now() - statSync(file).mtimeMs > keepChunksMs) rmSync(file, { force: true });
  }
  writeFileSync(stamp, signature);
}

/**
 * @param {string} what
 * @param {string[]} words after `vite build`
 */
export async function runVite(what, words) {
  const root = rootDir();
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const built = await capture(process.execPath, [vite, 'build', ...words], { cwd: root });
  if (built.code === 0) return;
  throw new SetupError(
    'INTERNAL',
    `Vite could not build ${what}:\n${stripVTControlCharacters(built.stderr || built.stdout).trim()}`,
    'Mend what it names, then run the same command again.',
  );
}

/**
 * @param {import('./libtorch.mjs').Libtorch} libtorch
 * @param {import('./addon.mjs').Built} built
 */
export function writeNativeJson(libtorch, built) {
  const dist = path.join(rootDir(), 'dist');
  mkdirSync(dist, { recursive: true });
  const file = path.join(dist, 'native.json');
  const text = `${JSON.stringify({ addon: built.addon, executable: built.executable, libtorch: { path: libtorch.path, version: libtorch.version } }, null, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
