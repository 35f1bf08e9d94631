// @ts-check
/** Electron's binary: found in node_modules, or fetched there by the package's own installer; and whether it can open a window here. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from './files.mjs';
import { cacheDir, rootDir } from './paths.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** A download that brings nothing for this long is given up. */
const stallMs = 30_000;
/** After a failed try, this long none is made: every start would wait for it. */
const retryMs = 24 * 3600 * 1000;
const lookMs = 500;

const packageFolder = () => path.join(rootDir(), 'node_modules', 'electron');
const failureFile = () => path.join(rootDir(), 'dist', 'electron-not-fetched.txt');

/** @returns {string | null} the binary, if it is there */
export function findElectron() {
  const named = path.join(packageFolder(), 'path.txt');
  if (!existsSync(named)) return null;
  const file = path.join(packageFolder(), 'dist', readFileSync(named, 'utf8').trim());
  return existsSync(file) ? file : null;
}

/**
 * Why Electron could not open a window here even if its binary is there; null: it can.
 * @param {{ platform?: string, env?: NodeJS.ProcessEnv, uid?: number | undefined }} [system]
 * @returns {'no screen' | 'root' | null}
 */
export function obstacle({ platform = process.platform, env = process.env, uid = process.getuid?.() } = {}) {
  if (platform !== 'linux') return null;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'no screen';
  return uid === 0 ? 'root' : null;
}

/**
 * Which shell `npm start` would open, in one line; changes nothing.
 * @returns {{ electron: boolean, why: string }}
 */
export function expectedShell() {
  const found = findElectron();
  const stands = obstacle();
  if (stands === 'no screen') return { electron: false, why: 'browser: this machine shows no screen' };
  if (stands === 'root') return { electron: false, why: 'browser: Electron’s sandbox does not work as root' };
  if (found !== null) return { electron: true, why: `Electron ${version()}` };
  const failed = lastFailure();
  if (failed !== null) return { electron: false, why: `browser: Electron could not be fetched (${failed})` };
  return { electron: true, why: `Electron ${version()}, to be fetched at the first start` };
}

function version() {
  const file = path.join(packageFolder(), 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : '';
}

/** @returns {string | null} why the last try failed, while no new one is due */
function lastFailure() {
  const file = failureFile();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || Date.now() - stat.mtimeMs > retryMs) return null;
  return readFileSync(file, 'utf8');
}

/**
 * @param {Progress} progress
 * @returns {Promise<{ path: string } | { path: null, reason: string }>}
 */
export async function ensureElectron(progress) {
  const found = findElectron();
  if (found !== null) return { path: found };
  const earlier = lastFailure();
  if (earlier !== null) return { path: null, reason: earlier };
  const installer = path.join(packageFolder(), 'install.js');
  if (!existsSync(installer)) return { path: null, reason: 'the package electron is not installed' };
  progress.say(`Fetching Electron ${version()}…`);
  const reason = await runInstaller(installer, progress);
  const fetched = findElectron();
  if (reason === null && fetched !== null) return { path: fetched };
  const why = reason ?? 'its installer left no binary behind';
  writeFileSync(failureFile(), why);
  return { path: null, reason: why };
}

/**
 * The installer says nothing while it works: its temporary folder shows how far it is.
 * @param {string} installer
 * @param {Progress} progress
 * @returns {Promise<string | null>} why it failed
 */
async function runInstaller(installer, progress) {
  const downloads = path.join(cacheDir(), 'downloads');
  mkdirSync(downloads, { recursive: true });
  const folder = mkdtempSync(path.join(downloads, 'electron-'));
  const child = spawn(process.execPath, [installer], {
    env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let size = 0;
  let moved = Date.now();
  let stalled = false;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const timer = setInterval(() => {
    const now = folderSize(folder) + folderSize(path.join(packageFolder(), 'dist'));
    if (now !== size) moved = Date.now();
    size = now;
    if (size > 0) progress.bytes('Electron', size, null);
    if (Date.now() - moved > stallMs) {
      stalled = true;
      child.kill('SIGKILL');
    }
  }, lookMs);
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('close', resolve);
  });
  clearInterval(timer);
  progress.clear();
  rmSync(folder, { recursive: true, force: true });
  if (code === 0) return null;
  if (stalled) return `nothing came for ${stallMs / 1000} s`;
  // The cause stands deepest: «fetch failed» alone helps nobody.
  return (
    /\b(E[A-Z]{4,}|ENOTFOUND)\b[^\n]*/.exec(said)?.[0] ?? /\bError: ([^\n]+)/.exec(said)?.[1] ?? `exit code ${code}`
  );
}

/** @param {string} folder */
function folderSize(folder) {
  return listFiles(folder).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
