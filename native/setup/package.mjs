// @ts-check
/** `npm run package`: what only a package needs, then electron-builder. Words are passed on to it: `--linux deb`, `--dir`. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureDist } from './dist.mjs';
import { rootDir } from './paths.mjs';
import { capture, SetupError, which } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** `engine/provision.ts` makes this link beside the addon. */
const packagedWay = { linux: '$ORIGIN/libtorch/lib', darwin: '@loader_path/libtorch/lib' };

/**
 * @param {string[]} words
 * @param {Progress} progress
 * @returns {Promise<number>} the exit code
 */
export async function makePackage(words, progress) {
  // Chunks of earlier builds are kept for programs that still run; a package gets none of them.
  rmSync(path.join(rootDir(), 'dist', 'chunks'), { recursive: true, force: true });
  rmSync(path.join(rootDir(), 'dist', 'cli.js'), { force: true });
  await ensureDist(progress);
  await stageAddon();
  progress.say('Packing…');
  const builder = path.join(rootDir(), 'node_modules', 'electron-builder', 'out', 'cli', 'cli.js');
  const config = path.join(rootDir(), 'electron', 'builder.config.mjs');
  const child = spawn(process.execPath, [builder, 'build', '--config', config, '--publish', 'never', ...words], {
    cwd: rootDir(),
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Copies the addon to dist/package/native, with a way to libtorch that does not name this machine, and without line tables. */
export async function stageAddon() {
  const root = rootDir();
  const { addon, libtorch } = JSON.parse(readFileSync(path.join(root, 'dist', 'native.json'), 'utf8'));
  const folder = path.join(root, 'dist', 'package', 'native');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const target = path.join(folder, 'gradloom.node');
  const way = packagedWay[/** @type {'linux'} */ (process.platform)];
  const built = readFileSync(addon);
  writeFileSync(target, way === undefined ? built : withWay(built, path.join(libtorch.path, 'lib'), way));
  chmodSync(target, 0o755);
  // Six times smaller; a stack trace of the built one can still be read with the addon in the cache.
  const strip = process.platform === 'linux' ? which('strip') : null;
  if (strip !== null) await capture(strip, ['--strip-debug', target]);
}

/**
 * The linker wrote the way to the libraries as a string with an end mark: a shorter one fits into its place.
 * @param {Buffer} library
 * @param {string} old
 * @param {string} way
 * @returns {Buffer}
 */
export function withWay(library, old, way) {
  const place = library.indexOf(`\0${old}\0`);
  if (place === -1 || way.length > old.length || library.indexOf(`\0${old}\0`, place + 1) !== -1) {
    throw new SetupError(
      'INTERNAL',
      `The addon does not name ${old} as the one place of its libraries.`,
      'Remove dist/ and run: npm run setup',
    );
  }
  const changed = Buffer.from(library);
  changed.fill(0, place + 1, place + 1 + old.length);
  changed.write(way, place + 1);
  return changed;
}
