// @ts-check
/** npm's packages: installed with `npm ci` when node_modules is not what package-lock.json says. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rootDir } from './paths.mjs';
import { SetupError, which } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

const stampFile = () => path.join(rootDir(), 'node_modules', '.gradloom-stamp');

/** What node_modules must have been installed from. */
function wantedStamp() {
  const lock = readFileSync(path.join(rootDir(), 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
}

/** @returns {boolean} */
export function packagesMatch() {
  const stamp = wantedStamp();
  try {
    if (readFileSync(stampFile(), 'utf8') === stamp) return true;
  } catch {
    // not stamped: perhaps installed by hand
  }
  return installedByHand();
}

/** Whether an `npm install` or `npm ci` by hand has brought every package in the wanted version; npm leaves its own list behind. */
function installedByHand() {
  const root = rootDir();
  const list = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const installed = JSON.parse(readFileSync(list, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([place, entry]) =>
      place === '' || installed[place]?.version === entry.version || (entry.optional && !installed[place]),
  );
}

/**
 * @param {Progress} progress
 */
export async function ensurePackages(progress) {
  if (packagesMatch()) {
    writeStamp();
    return;
  }
  progress.say('Installing the npm packages…');
  // npm's own script beside this Node, so that a PATH without npm serves too.
  const cli = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : null;
  const npm = cli === null ? which('npm') : process.execPath;
  if (npm === null) {
    throw new SetupError(
      'ADDON_MISSING',
      'npm was not found on PATH.',
      'Install Node.js with npm (https://nodejs.org), or start set-up as «npm run setup».',
    );
  }
  const args = [...(cli === null ? [] : [cli]), 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await new Promise((resolve) => {
    const child = spawn(npm, args, {
      cwd: rootDir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      // Electron's binary is fetched when an app is to be opened, with progress and a way round it.
      env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1' },
      shell: process.platform === 'win32' && cli === null,
    });
    const started = Date.now();
    const timer = setInterval(() => progress.say(`  npm ci… ${Math.round((Date.now() - started) / 1000)} s`), 10_000);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => {
      output += error.message;
    });
    child.on('close', (code) => {
      clearInterval(timer);
      resolve({ code, output });
    });
  });
  if (code !== 0) {
    const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i.test(output);
    throw new SetupError(
      /ENOSPC/.test(output) ? 'DISK_FULL' : /EACCES|EPERM|EROFS/.test(output) ? 'NOT_WRITABLE' : 'INTERNAL',
      `npm ci failed:\n${output.trim().split('\n').slice(0, 12).join('\n')}`,
      offline
        ? 'The package registry could not be reached: check the network and npm’s registry and proxy settings (npm config list). Without a network: copy node_modules from a machine where set-up has run.'
        : 'Mend what npm names, then run the same command again.',
    );
  }
  writeStamp();
}

function writeStamp() {
  const stamp = wantedStamp();
  if (!existsSync(stampFile()) || readFileSync(stampFile(), 'utf8') !== stamp) writeFileSync(stampFile(), stamp);
}
