// @ts-check
/** `npm start`: the app in Electron where that can be had and shown, else in the browser shell. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureElectron, obstacle } from './electron.mjs';
import { rootDir } from './paths.mjs';
import { SetupError, which } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** An Electron that fails so soon has not opened a window: its sandbox or a library is missing. */
const soonMs = 10_000;

/**
 * @param {string[]} words
 * @param {Progress} progress
 * @returns {Promise<number>} the exit code
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
  return code ?? startBrowser(file, progress);
}

/**
 * @param {string | undefined} file
 * @param {Progress} progress
 * @returns {Promise<number | null>} null: it has to be the browser
 */
async function startElectron(file, progress) {
  const stands = obstacle();
  if (stands !== null) {
    if (stands === 'root') progress.say('Electron’s sandbox does not work as root: the app opens in the browser.');
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
 * @param {string | undefined} file
 * @param {Progress} progress
 * @returns {Promise<number>}
 */
function startBrowser(file, progress) {
  const cli = path.join(rootDir(), 'dist', 'cli.js');
  const child = spawn(process.execPath, [cli, 'serve', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  passSignals(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line);
    if (event.type === 'serve') show(event.url, file, progress);
    else if (event.type === 'error') progress.say(`${event.message}${event.hint ? `\n→ ${event.hint}` : ''}`);
  });
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code, signal) => resolve(signal ? 128 + (signal === 'SIGINT' ? 2 : 15) : (code ?? 1)));
  });
}

/**
 * Prints the address, and opens it where there is a screen.
 * @param {string} url
 * @param {string | undefined} file
 * @param {Progress} progress
 */
function show(url, file, progress) {
  const address = file === undefined ? url : `${url}#/build?project=${encodeURIComponent(file)}`;
  const screen = obstacle() !== 'no screen';
  const opener = screen ? openerFor(address) : null;
  if (!screen) {
    const { port } = new URL(url);
    progress.say(
      'This machine shows no screen: open this address in a browser of its own, or of another machine, through',
    );
    progress.say(`  ssh -L ${port}:127.0.0.1:${port} THIS_MACHINE`);
  } else if (opener === null) progress.say('No program that opens a browser was found (xdg-open): open this address.');
  else {
    progress.say('The app opens in the browser, at');
    spawn(opener.command, opener.words, { stdio: 'ignore', detached: true })
      .on('error', () => progress.say('No browser could be started: open the address by hand.'))
      .unref();
  }
  process.stdout.write(`${address}\n`);
  progress.say('Ctrl+C ends it; runs are saved.');
}

/**
 * @param {string} address
 * @returns {{ command: string, words: string[] } | null}
 */
function openerFor(address) {
  if (process.platform === 'darwin') return { command: 'open', words: [address] };
  if (process.platform === 'win32') return { command: 'rundll32', words: ['url.dll,FileProtocolHandler', address] };
  const command = which('xdg-open');
  return command === null ? null : { command, words: [address] };
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
