// @ts-check
/**
 * The bench of the memory estimate: over all templates and random networks of every family, the estimate against the measured peak of tensors
 * on the CPU. `npm run bench:memory [-- --random] [-- --seed N] [-- --count N] [-- --family NAME] [-- --json]`
 */
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../suites.mjs';
import { buildParts } from './build-parts.mjs';

/** @param {string} name */
function optionOf(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const json = process.argv.includes('--json');
const seed = Number(optionOf('--seed') ?? 1);
const count = Number(optionOf('--count') ?? 64);
const only = optionOf('--family');
const bounds = { 'feed-forward': 0.1, sequence: 0.2 };

const { randomNetwork, templateOf } = await buildParts('memory-parts');
const templates = path.join(root, 'assets', 'templates');

/** @typedef {{ name: string, family: string, bound: keyof typeof bounds, text: string }} Case */
/** @type {Case[]} */
const cases = [];
const wanted = process.argv.includes('--random') ? [] : readdirSync(templates);
for (const file of wanted.filter((name) => name.endsWith('.gradloom.json'))) {
  cases.push(templateOf(file.replace('.gradloom.json', ''), readFileSync(path.join(templates, file), 'utf8')));
}
for (let at = 0; at < count; at++) {
  const { project, ...stack } = randomNetwork(seed + at);
  cases.push({ ...stack, text: JSON.stringify(project) });
}

const worker = path.join(root, 'test', 'bench', 'memory-worker.mjs');
let child = fork(worker);

/**
 * In a process of its own, so that what brings it down ends one measurement.
 * @param {string} text @returns {Promise<{ estimate: import("../../engine/contract/estimate-types.ts").MemoryEstimate, measured: number, phases: object } | { failed: string }>}
 */
function compare(text) {
  return new Promise((resolve) => {
    /** @param {any} answer */
    const answered = (answer) => {
      child.off('exit', ended);
      resolve(answer);
    };
    /** @param {number | null} code @param {string | null} signal */
    const ended = (code, signal) => {
      child = fork(worker);
      resolve({ failed: `the process ended (${signal ?? code})` });
    };
    child.once('message', answered);
    child.once('exit', ended);
    child.send({ text, baseDir: templates });
  });
}

/** @type {{ family: string, bound: keyof typeof bounds, error: number }[]} */
const results = [];
/** @type {string[]} */
const failed = [];
for (const { text, ...stack } of cases.filter(({ family }) => !only || family === only)) {
  const answer = await compare(text);
  if ('failed' in answer) {
    failed.push(`${stack.name}: ${answer.failed}`);
    if (!json) process.stdout.write(`${stack.name.padEnd(24)} not measured: ${answer.failed}\n`);
    continue;
  }
  const { estimate, measured, phases } = answer;
  const error = estimate.total / measured - 1;
  results.push({ ...stack, error, ...{ measured, estimate, phases, project: JSON.parse(text) } });
  if (!json) {
    const figures = [estimate.total, measured].map((bytes) => (bytes / 2 ** 20).toFixed(3).padStart(9));
    const mark = Math.abs(error) > bounds[stack.bound] ? ' <<' : '';
    const { phase, path: at } = estimate.peak;
    const shown = `${(100 * error).toFixed(1).padStart(6)} %`;
    process.stdout.write(`${stack.name.padEnd(24)} ${figures.join(' ')} MiB ${shown} ${phase} ${at ?? ''}${mark}\n`);
  }
}

/** @param {string} name @param {typeof results} of */
function summary(name, of) {
  const errors = of.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const within = of.filter(({ error, bound }) => Math.abs(error) <= bounds[bound]).length;
  const percent = (/** @type {number | undefined} */ share) => `${(100 * (share ?? 0)).toFixed(1)} %`;
  const [low, high] = [Math.min(...of.map(({ error }) => error)), Math.max(...of.map(({ error }) => error))];
  process.stdout.write(
    `${name.padEnd(18)} ${String(of.length).padStart(4)} networks, mean ${percent(mean)}, nine of ten ${percent(errors[Math.ceil(0.9 * errors.length) - 1])}, from ${percent(low)} to ${percent(high)}, ${within} within their bound\n`,
  );
}

if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
else {
  for (const family of [...new Set(results.map((one) => one.family))].sort()) {
    summary(
      family,
      results.filter((one) => one.family === family),
    );
  }
  for (const bound of /** @type {const} */ (['feed-forward', 'sequence'])) {
    const of = results.filter((one) => one.bound === bound);
    if (of.length > 0) summary(`${bound}, ${100 * bounds[bound]} %`, of);
  }
}
child.kill();
if (failed.length > 0) process.stderr.write(`Not measured: ${failed.join('; ')}\n`);
process.exitCode = results.some(({ error, bound }) => Math.abs(error) > bounds[bound]) ? 1 : 0;
