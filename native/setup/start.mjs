// @ts-check
/** `npm start`: the app in Electron where that can be had and shown, else in the browser shell. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ensureElectron, obstacle } from './electron.mjs';
import { rootDir } from './paths.mjs';
import { SetupError } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** An Electron that fails so soon has not opened a window: its sandbox or a library is missing. */
const soonMs = 10_000;

/**
 * @param {string[]} words
 * @param {Progress} progress
 * @returns {Promise<{ code: number } | { serve: string[] }>} the app's exit code, or the words of the browser shell to start instead
 */
export async function start(words, progress) {
  const browser = words.includes('--browser');
  const files = words.filter((word) => word !== '--browser');
  if (files.length > 1 || files[0]?.startsWith('-')) {
    throw new SetupError(
      'BAD_CALL',
      `Unknown words: ${files.join(' ')}.`,
      'Call: npm start [-- [--browser] [PROJECT]]',
    );
  }
  // npm runs scripts in the package's folder; a file is meant from where npm was called.
  const file = files[0] === undefined ? undefined : path.resolve(process.env.INIT_CWD ?? process.cwd(), files[0]);
  if (file !== undefined && !existsSync(file)) {
    throw new SetupError('BAD_CALL', `${file} does not exist.`, 'Name a project file (*.gradloom.json), or none.');
  }
  const code = browser ? null : await startElectron(file, progress);
  return code === null ? { serve: ['serve', ...(file === undefined ? [] : [file])] } : { code };
}

/**
 * @param {string | undefined} file
 * @param {Progress} progress
 * @returns {Promise<number | null>} null: it has to be the browser
 */
async function startElectron(file, progress) {
  const stands = obstacle();
  if (stands !== null) {
    progress.say(
      stands === 'root'
        ? 'Electron’s sandbox does not work as root: the app opens in the browser.'
        : 'This machine shows no screen: open the address below in a browser here; from another computer through a tunnel (README).',
    );
    return null;
  }
  const electron = await ensureElectron(progress);
  if (electron.path === null) {
    progress.say(`Electron could not be fetched (${electron.reason}): the app opens in the browser.`);
    return null;
  }
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const started = Date.now();
  const words = file === undefined ? [] : [file];
  const child = spawn(electron.path, [rootDir(), ...words], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  passSignals(child);
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('close', (code) => resolve(code ?? -1));
  });
  if (code === 0 || Date.now() - started > soonMs) return code;
  progress.say(`Electron could not open a window (exit code ${code}): the app opens in the browser.`);
  return null;
}

/**
 * A terminal sends Ctrl+C to both processes already; a second one would mean "at once, without saving".
 * @param {import('node:child_process').ChildProcess} child
 */
function passSignals(child) {
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
}
