// @ts-check
/** What this machine has of what Gradloom needs, where it lies, and what to do about what is missing. Changes nothing. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expectedShell } from './electron.mjs';
import { cachedLibtorch, findLibtorch, mainLibrary, otherCachedVersions } from './libtorch.mjs';
import { driverFromAnswer, driverFromKernel, driverQuestion } from './nvidia.mjs';
import { packagesMatch } from './packages.mjs';
import { cacheDir, homeDir, libtorchVersion, rootDir } from './paths.mjs';
import { mib } from './progress.mjs';
import { checkNode, isSetUp } from './setup.mjs';
import { capture, findPython, instruction, SetupError, which } from './system.mjs';
import { ensureCompiler, findBuildTools } from './tools.mjs';
import { windowIsBuilt } from './window.mjs';

/**
 * @typedef {object} Finding
 * @property {string} name what was looked for: `Node.js`, `C++ compiler`, `libtorch`…
 * @property {'ok' | 'warning' | 'missing'} status `warning`: works without it, but something is amiss
 * @property {string} found one line: a version, a state
 * @property {string} [path] where it lies
 * @property {string} [hint] what to do next
 */

/**
 * @typedef {object} Report
 * @property {boolean} ok nothing is missing
 * @property {Finding[]} findings in the order to read them
 */

/** CUDA 13, which this libtorch is built for, wants at least this driver on Linux. */
const oldestDriver = 580;

/** An installed app was built elsewhere: it comes without a lock file, and needs no tools. */
const isCheckout = () => existsSync(path.join(rootDir(), 'package-lock.json'));

/**
 * @returns {Promise<Report>}
 */
export async function inspect() {
  const looks = isCheckout()
    ? [node, packages, python, compiler, buildTools, libtorch, addon, graphics, appShell, cache, workspace]
    : [libtorch, graphics, cache, workspace];
  const findings = (await Promise.all(looks.map((look) => look()))).flat();
  return { ok: findings.every((finding) => finding.status !== 'missing'), findings };
}

/**
 * The report as people read it.
 * @param {Report} report
 * @returns {string} lines, without a closing newline
 */
export function formatReport(report) {
  const width = Math.max(...report.findings.map((finding) => finding.name.length));
  const marks = { ok: 'ok     ', warning: 'warning', missing: 'MISSING' };
  const indent = ' '.repeat(width + 11);
  return report.findings
    .map((finding) => {
      const head = `${marks[finding.status]}  ${finding.name.padEnd(width)}  ${finding.found}`;
      const place = finding.path === undefined ? '' : `  (${finding.path})`;
      const hint = finding.hint === undefined ? '' : `\n${indent}→ ${finding.hint.replaceAll('\n', `\n${indent}  `)}`;
      return head + place + hint;
    })
    .join('\n');
}

/**
 * The finding that a failed check amounts to.
 * @param {string} name
 * @param {unknown} error
 * @returns {Finding}
 */
function missing(name, error) {
  if (!(error instanceof SetupError)) throw error;
  return { name, status: 'missing', found: error.message, hint: error.hint };
}

/** @returns {Promise<Finding[]>} */
async function node() {
  const name = 'Node.js';
  try {
    checkNode();
    return [{ name, status: 'ok', found: process.versions.node, path: process.execPath }];
  } catch (error) {
    return [missing(name, error)];
  }
}

/** @returns {Promise<Finding[]>} */
async function packages() {
  const name = 'npm packages';
  const folder = path.join(rootDir(), 'node_modules');
  if (packagesMatch()) return [{ name, status: 'ok', found: 'as package-lock.json says', path: folder }];
  const found = existsSync(folder) ? 'not what package-lock.json says' : 'not installed';
  return [{ name, status: 'missing', found, path: folder, hint: 'Run: npm run setup' }];
}

/** @returns {Promise<Finding[]>} */
async function python() {
  const found = findPython();
  // Python serves set-up alone: with everything fetched its absence is no fault.
  const fetched = existsSync(mainLibrary(cachedLibtorch())) || process.env.GRADLOOM_LIBTORCH !== undefined;
  const status = fetched ? 'warning' : 'missing';
  if (found === null) {
    return [
      { name: 'Python 3', status, found: 'not on PATH; set-up fetches with it', hint: `Run: ${instruction('python')}` },
    ];
  }
  const [version, pip] = await Promise.all([
    capture(found, ['--version']),
    capture(found, ['-m', 'pip', '--version', '--disable-pip-version-check']),
  ]);
  return [
    { name: 'Python 3', status: 'ok', found: version.stdout.trim().replace('Python ', ''), path: found },
    pip.code === 0
      ? { name: 'pip', status: 'ok', found: pip.stdout.split(' ')[1] ?? '' }
      : { name: 'pip', status, found: `${found} has none`, hint: `Run: ${instruction('pip')}` },
  ];
}

/** @returns {Promise<Finding[]>} */
async function compiler() {
  const name = 'C++ compiler';
  try {
    const found = await ensureCompiler();
    return [{ name, status: 'ok', found: found.version, ...(found.path ? { path: found.path } : {}) }];
  } catch (error) {
    return [missing(name, error)];
  }
}

/** @returns {Promise<Finding[]>} */
async function buildTools() {
  const tools = await findBuildTools();
  /** @param {string} name @param {import('./tools.mjs').Tool | null} tool @returns {Finding} */
  const finding = (name, tool) =>
    tool === null
      ? {
          name,
          status: 'ok',
          found: `not on PATH; set-up takes its own from the cache`,
          path: path.join(cacheDir(), 'tools'),
        }
      : { name, status: 'ok', found: tool.version, path: tool.path };
  return [finding('CMake', tools.cmake), finding('Ninja', tools.ninja)];
}

/** @returns {Promise<Finding[]>} */
async function libtorch() {
  const name = 'libtorch';
  try {
    const { libtorch: found, passed } = await findLibtorch();
    if (found) {
      const origin = {
        GRADLOOM_LIBTORCH: 'named by GRADLOOM_LIBTORCH',
        cache: 'from the cache',
        python3: "python3's own",
      }[found.origin];
      return [
        {
          name,
          status: 'ok',
          found: `${found.version}, ${origin}${found.cuda ? ', with CUDA' : ', CPU'}`,
          path: found.path,
        },
      ];
    }
    const found2 = `not fetched yet${passed.map((reason) => `; ${reason}`).join('')}`;
    return [{ name, status: 'missing', found: found2, hint: 'Run: npm run setup' }];
  } catch (error) {
    return [missing(name, error)];
  }
}

/** @returns {Promise<Finding[]>} */
async function addon() {
  const dist = path.join(rootDir(), 'dist');
  const file = path.join(dist, 'native.json');
  if (!existsSync(file)) return [{ name: 'addon', status: 'missing', found: 'not built', hint: 'Run: npm run setup' }];
  const native = JSON.parse(readFileSync(file, 'utf8'));
  const lost = [native.addon, native.libtorch.path].find((place) => !existsSync(place));
  if (lost) return [{ name: 'addon', status: 'missing', found: `${lost} is gone`, hint: 'Run: npm run setup' }];
  const current = isSetUp();
  return [
    { name: 'addon', status: 'ok', found: `built against PyTorch ${native.libtorch.version}`, path: native.addon },
    {
      name: 'dist',
      status: current ? 'ok' : 'warning',
      found: current ? 'up to date' : 'sources, tools or settings changed since the last set-up',
      path: dist,
      ...(current ? {} : { hint: 'Run: npm run setup' }),
    },
  ];
}

/** What `npm start` opens. @returns {Promise<Finding[]>} */
async function appShell() {
  const { electron, why } = expectedShell();
  const built = windowIsBuilt();
  return [
    { name: 'app', status: 'ok', found: electron ? why : `in the ${why}` },
    {
      name: 'window',
      status: built ? 'ok' : 'warning',
      found: built ? 'built' : 'not built, or its sources changed since',
      path: path.join(rootDir(), 'dist', 'renderer'),
      ...(built ? {} : { hint: 'Run: npm run setup' }),
    },
  ];
}

/** An NVIDIA driver, and whether the libtorch in use can drive it. @returns {Promise<Finding[]>} */
async function graphics() {
  const name = 'NVIDIA driver';
  const smi = which('nvidia-smi');
  const version = await driverVersion(smi);
  if (version === null) {
    return [
      {
        name,
        status: 'ok',
        found:
          smi === null ? 'none found; training runs on the CPU' : `${smi} sees no device; training runs on the CPU`,
      },
    ];
  }
  const library = await findLibtorch().then(
    (found) => found.libtorch,
    () => null,
  );
  if (library?.cuda) {
    if (Number.parseInt(version, 10) >= oldestDriver) return [{ name, status: 'ok', found: version }];
    return [
      {
        name,
        status: 'warning',
        found: `${version}; a PyTorch for CUDA 13 wants ${oldestDriver} or newer`,
        hint: `Update the driver, or set GRADLOOM_LIBTORCH to a PyTorch built for an older CUDA.`,
      },
    ];
  }
  return [
    {
      name,
      status: 'warning',
      found: `${version}, but the libtorch in use has no CUDA part: training runs on the CPU`,
      hint:
        `Install PyTorch with CUDA and name it:\npython3 -m venv ~/gradloom-torch && ~/gradloom-torch/bin/pip install torch==${libtorchVersion}\n` +
        `export GRADLOOM_LIBTORCH=$(~/gradloom-torch/bin/python -c 'import torch; print(torch.__path__[0])') && npm run setup`,
    },
  ];
}

/**
 * @param {string | null} smi
 * @returns {Promise<string | null>}
 */
async function driverVersion(smi) {
  if (smi !== null) {
    const answer = await capture(smi, driverQuestion);
    const found = driverFromAnswer(answer.stdout);
    if (answer.code === 0 && found) return found;
  }
  return driverFromKernel();
}

/** @returns {Promise<Finding[]>} */
async function cache() {
  const folder = cacheDir();
  const others = otherCachedVersions();
  const old = others.length > 0 ? `; libtorch of other releases: ${others.join(', ')}` : '';
  if (!existsSync(folder)) return [writableFinding('cache', folder, 'empty')];
  return [writableFinding('cache', folder, `${mib(await folderSize(folder))}${old}`)];
}

/** @returns {Promise<Finding[]>} */
async function workspace() {
  const folder = homeDir();
  return [writableFinding('workspace', folder, existsSync(folder) ? 'writable' : 'will be made on first use')];
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {string} found
 * @returns {Finding}
 */
function writableFinding(name, folder, found) {
  let existing = folder;
  while (!existsSync(existing)) existing = path.dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return { name, status: 'ok', found, path: folder };
  } catch {
    const variable = name === 'cache' ? 'GRADLOOM_CACHE' : 'GRADLOOM_HOME';
    const hint = `Give yourself write access to it, or set ${variable} to a folder of your own.`;
    return { name, status: 'missing', found: `${existing} cannot be written`, path: folder, hint };
  }
}

/**
 * @param {string} folder
 * @returns {Promise<number>} bytes
 */
async function folderSize(folder) {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) sum += await folderSize(file);
    else
      sum += await lstat(file).then(
        (stat) => stat.size,
        () => 0,
      );
  }
  return sum;
}
