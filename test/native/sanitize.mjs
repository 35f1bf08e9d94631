// @ts-check
/**
 * Builds core with AddressSanitizer and UndefinedBehaviorSanitizer into the cache, then runs: the native tests, a small training of every kind, the loader both ways, and every malformed weights file. Exits with 1 on any report.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runnerImport } from 'vite';
import { cacheDir, rootDir } from '../../native/setup/paths.mjs';
import { createProgress } from '../../native/setup/progress.mjs';
import { ensureBuildTools, ensureCompiler } from '../../native/setup/tools.mjs';

if (process.platform === 'win32') {
  process.stdout.write('sanitize: GCC or Clang is needed; nothing was run\n');
  process.exit(0);
}

/** @template T @param {string} file @returns {Promise<T>} */
const load = async (file) =>
  /** @type {any} */ ((await runnerImport(new URL(file, import.meta.url).pathname, { logLevel: 'error' })).module);
/** @type {typeof import('../../engine/native/load.ts')} */
const { nativeFiles } = await load('../../engine/native/load.ts');
/** @type {typeof import('./every-kind.ts')} */
const { plansOfEveryKind } = await load('./every-kind.ts');
/** @type {typeof import('./plans.ts')} */
const { tinyPlan } = await load('./plans.ts');
/** @type {typeof import('./malformed.ts')} */
const { malformedWeights } = await load('./malformed.ts');

const programs = await build();
const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-sanitize-'));
let failures = 0;
try {
  runAll();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(failures === 0 ? 'sanitize: nothing reported\n' : `sanitize: ${failures} failures\n`);
process.exitCode = failures === 0 ? 0 : 1;

function runAll() {
  expect('native tests', programs.test, [], 0);
  const plans = plansOfEveryKind(folder);
  for (const { name, plan } of plans) {
    const state = path.join(folder, 'state', name);
    mkdirSync(state, { recursive: true });
    const file = written(`${name}.json`, JSON.stringify(plan));
    expect(`${name}: trains`, programs.run, [file, '--steps', '2', '--evaluate', 'train', '--save', state], 0);
    expect(`${name}: goes on`, programs.run, [file, '--steps', '1', '--load', state], 0);
  }
  const last = written('last.json', JSON.stringify(plans.at(-1)?.plan));
  for (const where of ['host', 'device']) {
    const batches = path.join(folder, 'batches.safetensors');
    expect(`batches by ${where}`, programs.run, [last, '--epochs', '2', '--batches', batches, '--path', where], 0);
  }
  for (const [name, bytes] of Object.entries(malformedWeights)) {
    expect(`${name} as weights`, programs.run, [last, '--weights', written('weights', bytes)], 1, 'WEIGHTS_FORMAT');
  }
  const large = written('large.json', JSON.stringify(tinyPlan(path.join(folder, 'large'), { shape: [300, 100] })));
  expect('a plan that is none', programs.run, [written('none.json', '{"model": [[[')], 2, 'BAD_CALL');
  expect('too little memory', programs.run, [large], 1, 'OUT_OF_MEMORY', { GRADLOOM_CPU_LIMIT: '200000' });
}

/** @param {string} name @param {string | Uint8Array} content */
function written(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/**
 * Runs a program; anything but the expected exit and code is a failure and is shown.
 * @param {string} what
 * @param {string} program
 * @param {string[]} words
 * @param {number} status
 * @param {string} [code] of the error line
 * @param {Record<string, string>} [environment]
 */
function expect(what, program, words, status, code, environment = {}) {
  const env = {
    ...process.env,
    GOMP_SPINCOUNT: '1000',
    ASAN_OPTIONS: 'exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1',
    UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
    ...environment,
  };
  const run = spawnSync(program, words, { env, encoding: 'utf8', timeout: 300_000 });
  const right = run.status === status && run.stderr === '' && (code === undefined || run.stdout.includes(`"${code}"`));
  if (right) return;
  ++failures;
  process.stdout.write(`${what}: exit ${run.status ?? run.signal}\n${run.stdout}${run.stderr}\n`);
}

async function build() {
  const progress = createProgress();
  const [compiler, tools] = [await ensureCompiler(), await ensureBuildTools(progress)];
  // CMake refuses a tree configured for other sources: every checkout has its own.
  const checkout = createHash('sha256').update(rootDir()).digest('hex').slice(0, 12);
  const tree = path.join(cacheDir(), 'build', `sanitize-${checkout}`);
  progress.say('Building core with sanitizers…');
  /** @param {string[]} words */
  const cmake = (words) => execFileSync(tools.cmake.path, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  cmake([
    ...['-S', path.join(rootDir(), 'native'), '-B', tree, '-G', 'Ninja', `-DCMAKE_MAKE_PROGRAM=${tools.ninja.path}`],
    ...[`-DCMAKE_CXX_COMPILER=${compiler.path}`, '-DCMAKE_BUILD_TYPE=None', '-DCMAKE_CXX_FLAGS=-O1'],
    ...[`-DGRADLOOM_TORCH_DIR=${nativeFiles().libtorch.path}`, '-DGRADLOOM_SANITIZE=address,undefined'],
  ]);
  cmake(['--build', tree, '--parallel', '2', '--target', 'gradloom-run', 'gradloom-test']);
  return { run: path.join(tree, 'gradloom-run'), test: path.join(tree, 'gradloom-test') };
}
