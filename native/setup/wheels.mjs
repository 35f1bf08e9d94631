// @ts-check
/** Wheels from the package index that pip is configured for: which index, the download, what is unpacked. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { rootDir } from './paths.mjs';
import { capture, findPython, instruction, SetupError } from './system.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** pip's settings that say where packages come from and how to get there. */
const settings = ['index-url', 'extra-index-url', 'find-links', 'no-index', 'cert', 'proxy', 'trusted-host', 'timeout'];

/**
 * @returns {string} the path of a Python 3
 * @throws {SetupError} with this system's instruction
 */
export function needPython() {
  const python = findPython();
  if (python) return python;
  throw new SetupError(
    'LIBTORCH_MISSING',
    'Python 3 was not found on PATH; set-up needs it to fetch PyTorch’s libraries.',
    `Run: ${instruction('python')}`,
  );
}

/**
 * pip's own configuration (files and environment), so that a mirror, a proxy or a certificate set for pip serves here too.
 * @param {string} python
 * @returns {Promise<Record<string, string>>}
 */
export async function pipConfiguration(python) {
  const answer = await capture(python, ['-m', 'pip', 'config', 'list', '--disable-pip-version-check']);
  if (answer.code !== 0) {
    if (/No module named pip/.test(answer.stderr)) {
      throw new SetupError('LIBTORCH_MISSING', `${python} has no pip.`, `Run: ${instruction('pip')}`);
    }
    throw new SetupError(
      'LIBTORCH_MISSING',
      `pip does not work: ${lastLine(answer.stderr)}`,
      `See: ${python} -m pip config list`,
    );
  }
  return readPipConfiguration(answer.stdout);
}

/**
 * The output of `pip config list`: lines such as `global.index-url='https://…'`, the environment's as `:env:.index-url=…`. A
 * command's own section is stronger than the global one, the environment is stronger than both.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function readPipConfiguration(text) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const section of ['global', 'download', 'install', ':env:']) {
    for (const line of text.split('\n')) {
      const match = /^([^.]+)\.([\w-]+)=(['"])(.*)\3$/.exec(line.trimEnd());
      if (match?.[1] !== section) continue;
      const key = match[2] ?? '';
      const value = (match[4] ?? '').replaceAll('\\n', ' ').trim();
      if (key === 'no-index') {
        if (/^(1|true|yes|on)$/i.test(value)) found[key] = value;
        else delete found[key];
      } else if (settings.includes(key)) found[key] = value;
    }
  }
  return found;
}

/**
 * Fetches a wheel, or goes on with a half-fetched one.
 * @param {{ python: string, config: Record<string, string>, progress: Progress }} context
 * @param {{ package: string, version: string, platform: string, folder: string }} wanted `version` may end in `.*`; `platform`: a
 *   regular expression for the wheel's platform tag
 * @returns {Promise<{ path: string, filename: string, borrowed: boolean }>} `borrowed`: a file of the user's, not to be deleted
 */
export async function fetchWheel(context, wanted) {
  mkdirSync(wanted.folder, { recursive: true });
  const end = await ask(context, { do: 'download', config: context.config, ...wanted }, wanted.package);
  return /** @type {{ path: string, filename: string, borrowed: boolean }} */ (end);
}

/**
 * @param {{ python: string, progress: Progress }} context
 * @param {{ wheel: string, target: string, include: string, exclude?: string }} wanted regular expressions over member names
 */
export async function unpackWheel(context, wanted) {
  try {
    await ask(context, { do: 'unpack', exclude: null, ...wanted }, path.basename(wanted.wheel));
  } catch (error) {
    // A damaged wheel must not be found again by the next try.
    if (error instanceof SetupError && error.message.includes('damaged')) rmSync(wanted.wheel, { force: true });
    throw error;
  }
}

/**
 * @param {{ python: string, progress: Progress }} context
 * @param {string} wheel
 * @returns {Promise<string[]>} its Requires-Dist lines
 */
export async function wheelRequirements(context, wheel) {
  const end = await ask(context, { do: 'metadata', wheel }, path.basename(wheel));
  return /** @type {{ requires: string[] }} */ (end).requires;
}

/**
 * @param {{ python: string, progress: Progress }} context
 * @param {Record<string, unknown>} request
 * @param {string} what
 * @returns {Promise<unknown>} the last line, without its form checked: fetch.py is ours
 */
async function ask(context, request, what) {
  /** @type {{ type: string, code: string, message: string } | undefined} */
  let end;
  const script = path.join(rootDir(), 'native', 'setup', 'fetch.py');
  const answer = await capture(context.python, [script], {
    input: JSON.stringify(request),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
    onLine(line) {
      const event = JSON.parse(line);
      if (event.type === 'progress') context.progress.bytes(event.label, event.done, event.total);
      else end = event;
    },
  });
  context.progress.clear();
  if (end?.type === 'done') return end;
  if (end?.type === 'error') throw explain(end.code, end.message, what);
  throw new SetupError(
    'INTERNAL',
    `Fetching ${what} failed: ${lastLine(answer.stderr) || `Python ended with code ${answer.code}`}`,
    `Try again; ${context.python} must be Python 3.8 or newer.`,
  );
}

/**
 * @param {string} code
 * @param {string} message
 * @param {string} what
 * @returns {SetupError}
 */
function explain(code, message, what) {
  const again = 'What has arrived is kept; run the same command again to go on.';
  switch (code) {
    case 'NETWORK':
      return new SetupError(
        'LIBTORCH_MISSING',
        `${what} could not be fetched: ${message}.`,
        `Check the network, and pip's index, proxy and certificate settings (python3 -m pip config list). ${again}\n${offlineHint}`,
      );
    case 'NOT_FOUND':
      return new SetupError(
        'LIBTORCH_MISSING',
        `The package index has no fitting wheel: ${message}.`,
        `If pip is set to a private index, it may lack this version. Otherwise set GRADLOOM_LIBTORCH to an installed PyTorch (the folder with include/ and lib/).`,
      );
    case 'HASH':
      return new SetupError(
        'LIBTORCH_MISSING',
        `${message}.`,
        'Something between here and the package index changes files: check the proxy or mirror.',
      );
    case 'FORMAT':
      return new SetupError(
        'LIBTORCH_MISSING',
        `The wheel is damaged: ${message}.`,
        'It has been removed; run the same command again to fetch it anew.',
      );
    case 'DISK_FULL':
      return new SetupError(
        'DISK_FULL',
        `The disk is full: ${what} needs room in the cache.`,
        `Free about 2 GB, or set GRADLOOM_CACHE to a folder on another disk. ${again}`,
      );
    case 'NOT_WRITABLE':
      return new SetupError(
        'NOT_WRITABLE',
        `The cache cannot be written: ${message}.`,
        'Give yourself write access to it, or set GRADLOOM_CACHE to a folder of your own.',
      );
    default:
      return new SetupError('INTERNAL', `${what}: ${message}.`, again);
  }
}

const offlineHint =
  'Without a network: set GRADLOOM_LIBTORCH to an installed PyTorch 2.11 or newer (the folder with include/ and lib/), or copy the ' +
  'cache folder from a machine where set-up has run, or put the wheels into a folder and name it in PIP_FIND_LINKS.';

/**
 * @param {string} text
 * @returns {string}
 */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}
