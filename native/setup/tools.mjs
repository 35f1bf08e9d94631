// @ts-check
/** The tools of the build: a C++20 compiler that works, CMake and Ninja from the system or as wheels in the cache. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { wheelPlatform } from './libtorch.mjs';
import { withLock } from './lock.mjs';
import { cacheDir } from './paths.mjs';
import { capture, instruction, SetupError, which } from './system.mjs';
import { fetchWheel, needPython, pipConfiguration, unpackWheel } from './wheels.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */
/** @typedef {{ path: string, version: string }} Tool */

const oldestCmake = /** @type {const} */ ([3, 20]);
/** The wheels taken when the system has none. */
const toolWheels = /** @type {const} */ ({ cmake: '4.1.2', ninja: '1.13.0' });

/** What a C++20 compiler with its standard library must be able to build. */
const probe =
  '#include <concepts>\n#include <span>\n#include <string>\nint main() { std::string s; return static_cast<int>(std::span(s).size()); }\n';

/**
 * The C++ compiler on PATH (or CXX); not yet tried. null on Windows, where CMake finds Visual Studio by itself.
 * @returns {string | null}
 */
export function findCompiler() {
  const named = process.env.CXX;
  if (named) return which(named);
  for (const name of ['g++', 'c++', 'clang++']) {
    const found = which(name);
    if (found) return found;
  }
  return null;
}

/**
 * A compiler that has built a small C++20 program.
 * @returns {Promise<Tool>}
 */
export async function ensureCompiler() {
  if (process.platform === 'win32') return { path: '', version: 'Visual Studio, found by CMake' };
  const compiler = findCompiler();
  if (compiler === null) {
    const what = process.env.CXX
      ? `CXX is set to ${process.env.CXX}, which was not found`
      : 'No C++ compiler was found on PATH (g++, c++, clang++)';
    throw new SetupError('ADDON_MISSING', `${what}.`, `Run: ${instruction('compiler')}`);
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-compiler-'));
  try {
    const source = path.join(folder, 'probe.cpp');
    writeFileSync(source, probe);
    const built = await capture(compiler, ['-std=c++20', source, '-o', path.join(folder, 'probe')]);
    const version = (await capture(compiler, ['--version'])).stdout.split('\n')[0] ?? '';
    if (built.code !== 0) {
      const reason =
        built.stderr.split('\n').find((line) => /error/i.test(line)) ?? built.stderr.trim().split('\n').at(-1) ?? '';
      throw new SetupError(
        'ADDON_MISSING',
        `The C++ compiler ${compiler} (${version || 'unknown version'}) cannot build a C++20 program: ${reason}.`,
        `GCC 11 or Clang 14 or newer is needed, with its standard library. Run: ${instruction('compiler')}\nAnother compiler can be named in CXX.`,
      );
    }
    return { path: compiler, version };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * CMake and Ninja of the system, as far as they will do.
 * @returns {Promise<{ cmake: Tool | null, ninja: Tool | null }>}
 */
export async function findBuildTools() {
  const [cmake, ninja] = await Promise.all([version(which('cmake')), version(which('ninja') ?? which('ninja-build'))]);
  const numbers = cmake?.version.split('.').map(Number) ?? [];
  const fits =
    (numbers[0] ?? 0) > oldestCmake[0] || (numbers[0] === oldestCmake[0] && (numbers[1] ?? 0) >= oldestCmake[1]);
  return { cmake: fits ? cmake : null, ninja };
}

/**
 * @param {string | null} program
 * @returns {Promise<Tool | null>}
 */
async function version(program) {
  if (program === null) return null;
  const answer = await capture(program, ['--version']);
  const found = /\d+\.\d+(\.\d+)?/.exec(answer.stdout)?.[0];
  return answer.code === 0 && found ? { path: program, version: found } : null;
}

/**
 * CMake and Ninja: the system's, else the cache's, else fetched into it.
 * @param {Progress} progress
 * @returns {Promise<{ cmake: Tool, ninja: Tool }>}
 */
export async function ensureBuildTools(progress) {
  const system = await findBuildTools();
  return {
    cmake: system.cmake ?? (await fetchTool('cmake', progress)),
    ninja: system.ninja ?? (await fetchTool('ninja', progress)),
  };
}

/**
 * @param {'cmake' | 'ninja'} name
 * @param {Progress} progress
 * @returns {Promise<Tool>}
 */
async function fetchTool(name, progress) {
  const wanted = toolWheels[name];
  const home = path.join(cacheDir(), 'tools', `${name}-${wanted}-${process.platform}-${process.arch}`);
  const exe = process.platform === 'win32' ? `${name}.exe` : name;
  // cmake's wheel keeps its programs in the package, ninja's in the scripts folder.
  const places = [
    path.join('cmake', 'data', 'bin', exe),
    path.join(`ninja-${wanted}.data`, 'scripts', exe),
    path.join('ninja', 'data', 'bin', exe),
  ];
  const find = () => places.map((place) => path.join(home, place)).find((file) => existsSync(file));
  try {
    if (!find()) {
      await withLock(path.join(cacheDir(), 'tools.lock'), async () => {
        if (find()) return;
        const python = needPython();
        const context = { python, config: await pipConfiguration(python), progress };
        progress.say(
          `No ${name === 'cmake' ? 'CMake 3.20 or newer' : 'Ninja'} on PATH: fetching ${name} ${wanted} into the cache…`,
        );
        const folder = path.join(cacheDir(), 'downloads');
        const wheel = await fetchWheel(context, { package: name, version: wanted, platform: wheelPlatform(), folder });
        const fresh = `${home}.new`;
        rmSync(fresh, { recursive: true, force: true });
        mkdirSync(fresh, { recursive: true });
        await unpackWheel(context, { wheel: wheel.path, target: fresh, include: `^${name}` });
        rmSync(home, { recursive: true, force: true });
        renameSync(fresh, home);
        if (!wheel.borrowed) rmSync(wheel.path, { force: true });
      });
    }
  } catch (error) {
    if (error instanceof SetupError) {
      throw new SetupError(
        error.code === 'LIBTORCH_MISSING' ? 'ADDON_MISSING' : error.code,
        error.message,
        `Install it by hand: ${instruction('cmake')}\nor: ${error.hint}`,
      );
    }
    throw error;
  }
  return { path: find() ?? home, version: wanted };
}
