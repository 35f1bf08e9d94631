// @ts-check
/** The native addon: built from the checkout's sources against one libtorch, kept in the cache by what went into it. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listFiles } from './files.mjs';
import { libtorchIdentity } from './libtorch.mjs';
import { withLock } from './lock.mjs';
import { cacheDir, rootDir } from './paths.mjs';
import { capture, SetupError, which } from './system.mjs';
import { ensureBuildTools, ensureCompiler } from './tools.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */
/** @typedef {import('./libtorch.mjs').Libtorch} Libtorch */
/** @typedef {{ addon: string, executable: string }} Built */

const executableName = process.platform === 'win32' ? 'gradloom-run.exe' : 'gradloom-run';

/**
 * Environment variables that change what the compiler makes.
 * @returns {string}
 */
export function buildFlags() {
  const { CXX = '', CXXFLAGS = '', LDFLAGS = '', GRADLOOM_BUILD_TYPE = 'Release' } = process.env;
  return JSON.stringify([CXX, CXXFLAGS, LDFLAGS, GRADLOOM_BUILD_TYPE]);
}

/** Folders and files that go into the addon. */
export function nativeSources() {
  const native = path.join(rootDir(), 'native');
  return [
    path.join(native, 'CMakeLists.txt'),
    ...listFiles(path.join(native, 'src')),
    ...listFiles(path.join(native, 'third_party')),
  ];
}

/**
 * @param {Libtorch} libtorch
 * @param {string} compiler its path and version
 * @returns {string} the same for the same sources, libtorch, compiler and flags, whatever the checkout
 */
function addonKey(libtorch, compiler) {
  const root = rootDir();
  const hash = createHash('sha256');
  for (const file of nativeSources()) {
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  for (const headers of ['node-api-headers', 'node-addon-api']) {
    hash.update(JSON.parse(readFileSync(path.join(root, 'node_modules', headers, 'package.json'), 'utf8')).version);
  }
  hash.update([libtorchIdentity(libtorch), compiler, buildFlags(), process.platform, process.arch].join('\0'));
  return hash.digest('hex').slice(0, 24);
}

/**
 * @param {Libtorch} libtorch
 * @param {Progress} progress
 * @returns {Promise<Built>}
 */
export async function ensureAddon(libtorch, progress) {
  const compiler = await ensureCompiler();
  const home = path.join(cacheDir(), 'addon', addonKey(libtorch, `${compiler.path} ${compiler.version}`));
  const built = { addon: path.join(home, 'gradloom.node'), executable: path.join(home, executableName) };
  if (existsSync(built.addon)) return built;
  const place = createHash('sha256').update(rootDir()).digest('hex').slice(0, 12);
  const tree = path.join(cacheDir(), 'build', `${path.basename(rootDir())}-${place}`);
  await withLock(
    `${tree}.lock`,
    async () => {
      if (!existsSync(built.addon)) await build(libtorch, compiler.path, tree, home, progress);
    },
    (holder) => progress.say(`Waiting for another set-up (${holder}), which is building the addon…`),
  );
  return built;
}

/**
 * Configures and builds in the incremental tree, then puts what was made under its key.
 * @param {Libtorch} libtorch
 * @param {string} compiler
 * @param {string} tree
 * @param {string} home
 * @param {Progress} progress
 */
async function build(libtorch, compiler, tree, home, progress) {
  const tools = await ensureBuildTools(progress);
  const root = rootDir();
  progress.say(`Building the native addon against PyTorch ${libtorch.version} (${libtorch.path})…`);
  mkdirSync(tree, { recursive: true });
  const log = path.join(tree, 'build.log');
  writeFileSync(log, '');
  const configure = [
    '-S',
    path.join(root, 'native'),
    '-B',
    tree,
    `-DGRADLOOM_TORCH_DIR=${libtorch.path}`,
    `-DGRADLOOM_NODE_API_DIR=${path.join(root, 'node_modules', 'node-api-headers', 'include')}`,
    `-DGRADLOOM_ADDON_API_DIR=${path.join(root, 'node_modules', 'node-addon-api')}`,
    `-DCMAKE_BUILD_TYPE=${process.env.GRADLOOM_BUILD_TYPE ?? 'Release'}`,
  ];
  if (process.platform !== 'win32') {
    configure.push('-G', 'Ninja', `-DCMAKE_MAKE_PROGRAM=${tools.ninja.path}`, `-DCMAKE_CXX_COMPILER=${compiler}`);
  }
  const ccache = which('ccache');
  configure.push(`-DCMAKE_CXX_COMPILER_LAUNCHER=${ccache ?? ''}`);
  // Another libtorch, compiler or set of flags starts a fresh configuration; CMake keeps old answers otherwise.
  const settings = JSON.stringify([configure, buildFlags(), libtorchIdentity(libtorch)]);
  const settingsFile = path.join(tree, 'gradloom-settings.json');
  if (readOr(settingsFile, '') !== settings) rmSync(path.join(tree, 'CMakeCache.txt'), { force: true });
  const configured = await capture(tools.cmake.path, configure);
  appendFileSync(log, configured.stdout + configured.stderr);
  if (configured.code !== 0)
    throw buildFailure('CMake could not configure the build', configured.stdout + configured.stderr, log);
  writeFileSync(settingsFile, settings);

  const jobs = process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(buildJobs());
  const made = await runBuild(
    tools.cmake.path,
    ['--build', tree, '--config', process.env.GRADLOOM_BUILD_TYPE ?? 'Release', '--parallel', jobs],
    log,
    progress,
  );
  if (made.code !== 0) throw buildFailure('The addon does not build', made.output, log);

  const fresh = `${home}.${process.pid}.new`;
  mkdirSync(fresh, { recursive: true });
  for (const name of ['gradloom.node', executableName]) {
    const file = [path.join(tree, name), path.join(tree, 'Release', name)].find((place) => existsSync(place));
    if (file === undefined) throw buildFailure(`The build made no ${name}`, made.output, log);
    copyFileSync(file, path.join(fresh, name));
  }
  // Another checkout may have built the same meanwhile: equal by its key. A folder that lost its addon is replaced.
  if (!existsSync(path.join(home, 'gradloom.node'))) rmSync(home, { recursive: true, force: true });
  try {
    renameSync(fresh, home);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(path.join(home, 'gradloom.node'))) throw error;
  }
}

/** A compile of libtorch's headers takes up to about 2 GB. */
function buildJobs() {
  return Math.max(1, Math.min(os.availableParallelism(), Math.floor(os.totalmem() / 2 ** 31)));
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} log
 * @param {Progress} progress
 * @returns {Promise<{ code: number, output: string }>}
 */
function runBuild(command, args, log, progress) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let pending = '';
    /** @param {string} text */
    const take = (text) => {
      output += text;
      appendFileSync(log, text);
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        const match = /^\[(\d+)\/(\d+)\] (.*)/.exec(line);
        if (match)
          progress.count(
            'compiling',
            Number(match[1]),
            Number(match[2]),
            path.basename((match[3] ?? '').trim().split(' ').at(-1) ?? ''),
          );
      }
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: -1, output: output + error.message }));
    child.on('close', (code) => {
      progress.clear();
      resolve({ code: code ?? -1, output });
    });
  });
}

/**
 * @param {string} what
 * @param {string} output
 * @param {string} log
 */
function buildFailure(what, output, log) {
  const lines = output.split('\n');
  const first = lines.findIndex((line) => /(\berror\b|CMake Error|FAILED|ninja: |Killed|No space left)/i.test(line));
  const shown = (first === -1 ? lines.slice(-20) : lines.slice(first, first + 20)).join('\n').trimEnd();
  if (/No space left on device/.test(output)) {
    return new SetupError(
      'DISK_FULL',
      `${what}: the disk is full.`,
      'Free about 1 GB, or set GRADLOOM_CACHE to a folder on another disk. What was built is kept.',
    );
  }
  const memory = /Killed|cc1plus.*(terminated|out of memory)/.test(output)
    ? '\nThe compiler was killed, most likely for want of memory: set CMAKE_BUILD_PARALLEL_LEVEL=1 and run it again.'
    : '';
  return new SetupError(
    'ADDON_MISSING',
    `${what}:\n${shown}`,
    `The whole log: ${log}${memory}\nWhat was built is kept; the same command goes on from there.`,
  );
}

/**
 * @param {string} file
 * @param {string} fallback
 */
function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}
