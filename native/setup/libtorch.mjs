// @ts-check
/** PyTorch's C++ libraries: finding an installed copy, judging it, and fetching the parts that a CPU needs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cacheDir, libtorchVersion, oldestLibtorch } from './paths.mjs';
import { capture, findPython, SetupError } from './system.mjs';
import { fetchWheel, needPython, pipConfiguration, unpackWheel, wheelRequirements } from './wheels.mjs';

/**
 * @typedef {object} Libtorch
 * @property {string} path the folder that holds include/ and lib/
 * @property {string} version such as `2.15.0+cu132`
 * @property {'GRADLOOM_LIBTORCH' | 'cache' | 'python3'} origin
 * @property {boolean} cuda whether CUDA's part is there
 */

const libraryNames = {
  linux: ['libtorch_cpu.so', 'libc10.so'],
  darwin: ['libtorch_cpu.dylib', 'libc10.dylib'],
  win32: ['torch_cpu.dll', 'c10.dll'],
};

/** @returns {string[]} */
function libraries() {
  return libraryNames[/** @type {'linux'} */ (process.platform)] ?? libraryNames.linux;
}

/**
 * The file whose size and time stand for the whole copy.
 * @param {string} folder
 */
export function mainLibrary(folder) {
  return path.join(folder, 'lib', libraries()[0] ?? '');
}

/**
 * What is wrong with a folder as libtorch, or its version. Reads text files only.
 * @param {string} folder
 * @returns {{ version: string, problem: null } | { version: string | null, problem: string, old: boolean }}
 */
export function judgeLibtorch(folder) {
  /** @param {string} problem @param {string | null} version */
  const no = (problem, version = null, old = false) => ({ version, problem, old });
  if (!existsSync(folder)) return no('does not exist');
  const missing = libraries().filter((name) => !existsSync(path.join(folder, 'lib', name)));
  if (missing.length > 0) return no(`is no libtorch: lib/${missing[0]} is not there`);
  const version = readVersion(folder);
  if (version === null) return no('does not say its version (no version.py, build-version or version.h)');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldestLibtorch[0] || (major === oldestLibtorch[0] && minor < oldestLibtorch[1])) {
    return no(`is PyTorch ${version}; ${oldestLibtorch.join('.')} or newer is needed`, version, true);
  }
  if (!existsSync(path.join(folder, 'include', 'ATen', 'Tensor.h'))) {
    return no(`is PyTorch ${version} without its headers (include/ATen/Tensor.h is not there)`, version);
  }
  return { version, problem: null };
}

/**
 * @param {string} folder
 * @returns {string | null}
 */
function readVersion(folder) {
  /** @param {string[]} parts */
  const text = (...parts) => {
    try {
      return readFileSync(path.join(folder, ...parts), 'utf8');
    } catch {
      return '';
    }
  };
  const python = /__version__\s*=\s*'([^']+)'/.exec(text('version.py'))?.[1];
  if (python) return python;
  const zip = /^\d+\.\d+\S*/.exec(text('build-version'))?.[0];
  if (zip) return zip;
  const header =
    text('include', 'torch', 'headeronly', 'version.h') ||
    text('include', 'torch', 'csrc', 'api', 'include', 'torch', 'version.h');
  const number = /** @param {string} name */ (name) =>
    new RegExp(`#define TORCH_VERSION_${name} (\\d+)`).exec(header)?.[1];
  return number('MAJOR') ? `${number('MAJOR')}.${number('MINOR')}.${number('PATCH')}` : null;
}

/** Where this release's own copy lies in the cache. */
export function cachedLibtorch() {
  return path.join(cacheDir(), 'libtorch', `${libtorchVersion}-${process.platform}-${process.arch}`, 'torch');
}

/**
 * @param {string} folder
 * @param {string} version
 * @param {Libtorch['origin']} origin
 * @returns {Libtorch}
 */
function describe(folder, version, origin) {
  const cuda = ['libtorch_cuda.so', 'libtorch_hip.so', 'torch_cuda.dll'].some((name) =>
    existsSync(path.join(folder, 'lib', name)),
  );
  return { path: realpathSync(folder), version, origin, cuda };
}

/**
 * The libtorch to use: GRADLOOM_LIBTORCH, else the cache's, else the one of `python3`.
 * @returns {Promise<{ libtorch: Libtorch | null, passed: string[] }>} `passed`: what was found and not taken, and why
 * @throws {SetupError} when GRADLOOM_LIBTORCH names something that will not do
 */
export async function findLibtorch() {
  const named = process.env.GRADLOOM_LIBTORCH;
  if (named) {
    const given = path.resolve(named);
    // The torch folder itself, or the site-packages folder around it.
    const folder =
      existsSync(path.join(given, 'lib')) || !existsSync(path.join(given, 'torch', 'lib'))
        ? given
        : path.join(given, 'torch');
    const judged = judgeLibtorch(folder);
    if (judged.problem === null) return { libtorch: describe(folder, judged.version, 'GRADLOOM_LIBTORCH'), passed: [] };
    throw new SetupError(
      judged.old ? 'LIBTORCH_TOO_OLD' : 'LIBTORCH_MISSING',
      `GRADLOOM_LIBTORCH is set, but ${folder} ${judged.problem}.`,
      `Point it at the folder of PyTorch ${oldestLibtorch.join('.')} or newer that holds include/ and lib/ (the path that ` +
        `«python3 -c "import torch; print(torch.__path__[0])"» prints), or unset it: set-up then fetches PyTorch ${libtorchVersion}'s libraries.`,
    );
  }
  const cached = cachedLibtorch();
  const judged = judgeLibtorch(cached);
  if (judged.problem === null) return { libtorch: describe(cached, judged.version, 'cache'), passed: [] };
  const installed = await pythonTorch();
  if (installed === null) return { libtorch: null, passed: [] };
  const other = judgeLibtorch(installed);
  if (other.problem === null) return { libtorch: describe(installed, other.version, 'python3'), passed: [] };
  return { libtorch: null, passed: [`${installed} ${other.problem}`] };
}

/**
 * Where python3's torch lies; it is located, not imported.
 * @returns {Promise<string | null>}
 */
async function pythonTorch() {
  const python = findPython();
  if (python === null) return null;
  const program =
    'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s and s.submodule_search_locations else "")';
  const answer = await capture(python, ['-c', program]);
  return answer.code === 0 ? answer.stdout.trim() || null : null;
}

/**
 * Finds libtorch or fetches it.
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<Libtorch>}
 */
export async function ensureLibtorch(progress) {
  const found = await findLibtorch();
  if (found.libtorch) return found.libtorch;
  for (const reason of found.passed) progress.say(`Not used: ${reason}.`);
  await withLock(
    path.join(cacheDir(), 'libtorch.lock'),
    async () => {
      if (judgeLibtorch(cachedLibtorch()).problem !== null) await fetchLibtorch(progress);
    },
    (holder) => progress.say(`Waiting for another set-up (${holder}), which is fetching PyTorch's libraries…`),
  );
  const judged = judgeLibtorch(cachedLibtorch());
  if (judged.problem !== null) {
    throw new SetupError(
      'LIBTORCH_MISSING',
      `What was fetched will not do: ${cachedLibtorch()} ${judged.problem}.`,
      `Remove ${path.dirname(cachedLibtorch())} and try again.`,
    );
  }
  return describe(cachedLibtorch(), judged.version, 'cache');
}

/**
 * A regular expression for the platform tag of wheels that run here.
 * @returns {string}
 */
export function wheelPlatform() {
  const machine = {
    x64: { linux: 'x86_64', darwin: 'x86_64', win32: 'amd64' },
    arm64: { linux: 'aarch64', darwin: 'arm64', win32: 'arm64' },
  }[/** @type {'x64'} */ (process.arch)]?.[/** @type {'linux'} */ (process.platform)];
  if (machine === undefined) {
    throw new SetupError(
      'LIBTORCH_MISSING',
      `There are no PyTorch wheels for ${process.platform} on ${process.arch}.`,
      'Set GRADLOOM_LIBTORCH to a PyTorch built for this machine.',
    );
  }
  if (process.platform === 'darwin') return `^macosx_.*_(${machine}|universal2)$`;
  if (process.platform === 'win32') return `^win_${machine}$`;
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report?.getReport());
  if (!report.header?.glibcVersionRuntime) {
    throw new SetupError(
      'LIBTORCH_MISSING',
      "This system's C library is not glibc; PyTorch publishes no libraries for it.",
      'Use a glibc system (Debian, Ubuntu, Fedora…), or set GRADLOOM_LIBTORCH to a PyTorch built here.',
    );
  }
  return `^(many)?linux.*_${machine}$`;
}

/** Not needed on a CPU, or Python's own: half of the wheel. */
const unneeded =
  'torch/lib/(.*(torch_python|cuda|nvshmem|nvrtc|shm).*|libtorch\\.(so|dylib)|torch\\.dll|libtorch_global_deps\\..*)$';

/**
 * @param {import('./progress.mjs').Progress} progress
 */
async function fetchLibtorch(progress) {
  const python = needPython();
  const home = path.dirname(cachedLibtorch());
  const folder = path.join(cacheDir(), 'downloads');
  const fresh = `${home}.new`;
  const platform = wheelPlatform();
  try {
    mkdirSync(folder, { recursive: true });
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    const context = { python, config: await pipConfiguration(python), progress };
    progress.say(`Fetching PyTorch ${libtorchVersion}'s C++ libraries (about 540 MB; once, kept in ${cacheDir()})…`);
    const torch = await fetchWheel(context, { package: 'torch', version: libtorchVersion, platform, folder });
    const wheels = [torch];
    for (const need of await cudaRequirements(context, torch.path, folder)) {
      wheels.push(await fetchWheel(context, { ...need, platform, folder }));
    }
    await unpackWheel(context, {
      wheel: torch.path,
      target: fresh,
      include: '^torch/(lib/[^/]*$|include/|version\\.py$)|\\.dist-info/(METADATA|licenses/|LICENSE|NOTICE)',
      exclude: unneeded,
    });
    for (const wheel of wheels.slice(1)) {
      await unpackWheel(context, {
        wheel: wheel.path,
        target: fresh,
        include: '^nvidia/.*/lib/lib(cudart|cupti)\\.so[.0-9]*$|\\.dist-info/(METADATA|licenses/|License)',
      });
    }
    rmSync(home, { recursive: true, force: true });
    renameSync(fresh, home);
    for (const wheel of wheels) if (!wheel.borrowed) rmSync(wheel.path, { force: true });
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
}

/**
 * libtorch_cpu of a CUDA wheel links CUDA's runtime and profiler interface; their versions follow from the wheel's metadata,
 * which names them itself or through `cuda-toolkit[…]`.
 * @param {{ python: string, config: Record<string, string>, progress: import('./progress.mjs').Progress }} context
 * @param {string} wheel
 * @param {string} folder
 * @returns {Promise<{ package: string, version: string }[]>}
 */
async function cudaRequirements(context, wheel, folder) {
  if (process.platform !== 'linux') return [];
  const requires = await wheelRequirements(context, wheel);
  const direct = pinned(requires, /^nvidia-cuda-(runtime|cupti)(-cu\d+)?$/);
  if (direct.length > 0) return direct;
  const [toolkit] = pinned(requires, /^cuda-toolkit$/);
  if (toolkit === undefined) return []; // a CPU-only wheel
  const meta = await fetchWheel(context, { ...toolkit, platform: '^any$', folder });
  const needs = pinned(await wheelRequirements(context, meta.path), /^nvidia-cuda-(runtime|cupti)$/);
  if (!meta.borrowed) rmSync(meta.path, { force: true });
  return needs;
}

/**
 * The requirements of matching name that pin a version with ==, each once.
 * @param {string[]} requires Requires-Dist lines
 * @param {RegExp} name
 * @returns {{ package: string, version: string }[]}
 */
export function pinned(requires, name) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const line of requires) {
    const match = /^([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?==\s*([0-9][^\s;,)]*)/.exec(line);
    if (match?.[1] && match[2] && name.test(match[1].toLowerCase())) found.set(match[1].toLowerCase(), match[2]);
  }
  return [...found].map(([package_, version]) => ({ package: package_, version }));
}

/**
 * Leftovers of other releases in the cache, for the doctor.
 * @returns {string[]}
 */
export function otherCachedVersions() {
  try {
    const mine = path.basename(path.dirname(cachedLibtorch()));
    return readdirSync(path.join(cacheDir(), 'libtorch')).filter((name) => name !== mine && !name.endsWith('.new'));
  } catch {
    return [];
  }
}

/**
 * What identifies the copy in keys and stamps: another one rebuilds the addon.
 * @param {Libtorch} libtorch
 */
export function libtorchIdentity(libtorch) {
  const { size, mtimeMs } = statSync(mainLibrary(libtorch.path));
  return `${libtorch.path}|${libtorch.version}|${size}|${mtimeMs}`;
}
