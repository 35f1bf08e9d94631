// @ts-check
/** This system: its package manager's words for what may be missing, programs on PATH, and running them. */
import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A set-up that cannot go on: what is wrong and exactly what to do. The codes are among `engine/contract/errors.ts`'s. */
export class SetupError extends Error {
  /**
   * @param {'BAD_CALL' | 'LIBTORCH_MISSING' | 'LIBTORCH_TOO_OLD' | 'ADDON_MISSING' | 'NOT_WRITABLE' | 'DISK_FULL' | 'INTERNAL'} code
   * @param {string} message one sentence
   * @param {string} hint what to do next; may have several lines
   */
  constructor(code, message, hint) {
    super(message);
    this.name = 'SetupError';
    this.code = code;
    this.hint = hint;
  }
}

/** @typedef {'compiler' | 'python' | 'pip' | 'venv' | 'cmake'} Need */
/** @typedef {'debian' | 'fedora' | 'arch' | 'suse' | 'alpine' | 'macos' | 'windows' | 'unknown'} Family */

/** @type {Record<Family, Record<Need, string>>} */
const instructions = {
  debian: {
    compiler: '$sudo apt-get update && $sudo apt-get install -y g++',
    python: '$sudo apt-get update && $sudo apt-get install -y python3 python3-pip python3-venv',
    pip: '$sudo apt-get update && $sudo apt-get install -y python3-pip',
    venv: '$sudo apt-get update && $sudo apt-get install -y python3-venv',
    cmake: '$sudo apt-get update && $sudo apt-get install -y cmake ninja-build',
  },
  fedora: {
    compiler: '$sudo dnf install -y gcc-c++',
    python: '$sudo dnf install -y python3 python3-pip',
    pip: '$sudo dnf install -y python3-pip',
    venv: '$sudo dnf install -y python3',
    cmake: '$sudo dnf install -y cmake ninja-build',
  },
  arch: {
    compiler: '$sudo pacman -S --needed gcc',
    python: '$sudo pacman -S --needed python python-pip',
    pip: '$sudo pacman -S --needed python-pip',
    venv: '$sudo pacman -S --needed python',
    cmake: '$sudo pacman -S --needed cmake ninja',
  },
  suse: {
    compiler: '$sudo zypper install -y gcc-c++',
    python: '$sudo zypper install -y python3 python3-pip',
    pip: '$sudo zypper install -y python3-pip',
    venv: '$sudo zypper install -y python3',
    cmake: '$sudo zypper install -y cmake ninja',
  },
  alpine: {
    compiler: '$sudo apk add g++',
    python: '$sudo apk add python3 py3-pip',
    pip: '$sudo apk add py3-pip',
    venv: '$sudo apk add python3',
    cmake: '$sudo apk add cmake ninja',
  },
  macos: {
    compiler: 'xcode-select --install',
    python: 'xcode-select --install    (or: brew install python)',
    pip: 'python3 -m ensurepip --upgrade',
    venv: 'brew install python',
    cmake: 'brew install cmake ninja',
  },
  windows: {
    compiler:
      'winget install Microsoft.VisualStudio.2022.BuildTools --override "--add Microsoft.VisualStudio.Workload.VCTools --includeRecommended --passive"',
    python: 'winget install Python.Python.3.12',
    pip: 'py -m ensurepip --upgrade',
    venv: 'winget install Python.Python.3.12',
    cmake: 'winget install Kitware.CMake Ninja-build.Ninja',
  },
  unknown: {
    compiler: "install a C++20 compiler (GCC 11 or newer, or Clang 14 or newer) with this system's package manager",
    python: "install Python 3.8 or newer with pip with this system's package manager",
    pip: 'python3 -m ensurepip --upgrade',
    venv: "install Python's venv module with this system's package manager",
    cmake: "install CMake 3.20 or newer and Ninja with this system's package manager",
  },
};

/**
 * @param {string} [osRelease] the text of /etc/os-release
 * @param {string} [platform]
 * @returns {Family}
 */
export function systemFamily(osRelease = readOsRelease(), platform = process.platform) {
  if (platform === 'darwin') return 'macos';
  if (platform === 'win32') return 'windows';
  /** @param {string} key */
  const field = (key) => (new RegExp(`^${key}=(.*)$`, 'm').exec(osRelease)?.[1] ?? '').replaceAll('"', '');
  const ids = `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/);
  /** @type {[Family, string[]][]} */
  const known = [
    ['debian', ['debian', 'ubuntu']],
    ['fedora', ['fedora', 'rhel', 'centos']],
    ['arch', ['arch']],
    ['suse', ['suse', 'opensuse', 'opensuse-tumbleweed', 'opensuse-leap']],
    ['alpine', ['alpine']],
  ];
  return known.find(([, names]) => names.some((name) => ids.includes(name)))?.[0] ?? 'unknown';
}

/**
 * The command that brings what is missing, in this system's words.
 * @param {Need} need
 * @param {Family} [family]
 * @returns {string}
 */
export function instruction(need, family = systemFamily()) {
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  return instructions[family][need].replaceAll('$sudo ', sudo);
}

function readOsRelease() {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/**
 * The first program of that name on PATH, or the path itself when one is given.
 * @param {string} name
 * @returns {string | null}
 */
export function which(name) {
  const extensions = process.platform === 'win32' ? (process.env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  const folders = path.isAbsolute(name) ? [''] : (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  for (const folder of folders) {
    for (const extension of extensions) {
      const file = path.join(folder, name + extension);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // not here
      }
    }
  }
  return null;
}

/**
 * Python 3: `python3`, on Windows also `python`.
 * @returns {string | null}
 */
export function findPython() {
  return which('python3') ?? (process.platform === 'win32' ? which('python') : null);
}

/**
 * @typedef {object} Finished
 * @property {number} code −1 when it could not be started
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a program to its end and collects what it says.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string, onLine?: (line: string) => void }} [options] `onLine`: each line of
 *   standard output as it comes
 * @returns {Promise<Finished>}
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let pending = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      if (!options.onLine) return;
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) options.onLine(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', (error) => resolve({ code: -1, stdout, stderr: stderr + error.message }));
    child.on('close', (code) => {
      if (pending) options.onLine?.(pending);
      resolve({ code: code ?? -1, stdout, stderr });
    });
    if (options.input !== undefined) {
      child.stdin?.on('error', () => {}); // it ended before reading; its exit code tells
      child.stdin?.end(options.input);
    }
  });
}

/**
 * Turns a failed write into what to do about it; anything else is passed on as it is.
 * @param {unknown} error
 * @returns {unknown}
 */
export function explainWrite(error) {
  const { code, path: place } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  const where = place ?? 'the cache or the checkout';
  if (code === 'ENOSPC') {
    const hint = 'Free some space, or set GRADLOOM_CACHE to a folder on another disk.';
    return new SetupError('DISK_FULL', `The disk is full: ${where} could not be written.`, hint);
  }
  if (code !== undefined && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(code)) {
    const hint = 'Give yourself write access to it, or set GRADLOOM_CACHE to a folder of your own.';
    return new SetupError('NOT_WRITABLE', `${where} cannot be written.`, hint);
  }
  return error;
}
