// @ts-check
/**
 * The bench: both templates end to end, Gradloom against the tutorial-style and the strong PyTorch script, in alternating runs;
 * medians of the ratios within each round. `npm run bench [-- --quick] [-- --json]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureParityPython } from '../parity/environment.mjs';
import { root } from '../suites.mjs';
import { measure, median } from './measure.mjs';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 5;
const templates = /** @type {const} */ (['digits-mlp', 'digits-cnn']);
const scripts = /** @type {const} */ (['tutorial', 'strong']);
const data = path.join(root, 'assets', 'data', 'digits');

/** Epochs per template and runner: enough to be steady, not longer. */
const epochs = {
  'digits-mlp': quick ? { gradloom: 5, tutorial: 1, strong: 5 } : { gradloom: 20, tutorial: 2, strong: 20 },
  'digits-cnn': quick ? { gradloom: 1, tutorial: 1, strong: 1 } : { gradloom: 2, tutorial: 2, strong: 2 },
};

/**
 * @typedef {object} Run
 * @property {number} rate training samples a second
 * @property {number | null} peak bytes
 * @property {number} firstStep seconds from launch to the end of the first step
 * @property {number | null} foreign
 * @property {number} accuracy
 */

const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-bench-'));
const python = await ensureParityPython();
let counter = 0;

/**
 * @param {typeof templates[number]} template
 * @returns {Promise<Run>}
 */
async function gradloom(template) {
  const file = path.join(root, 'assets', 'templates', `${template}.gradloom.json`);
  const run = path.join(folder, String(++counter));
  let firstStep = Number.NaN;
  const launched = Date.now();
  const args = [
    path.join(root, 'dist', 'cli.js'),
    'train',
    file,
    '--run',
    run,
    '--json',
    '--epochs',
    String(epochs[template].gradloom),
  ];
  const measured = await measure(process.execPath, [...args, '--device', 'cpu'], {
    env: { ...process.env, GRADLOOM_HOME: folder },
    onLine(line) {
      if (Number.isNaN(firstStep) && JSON.parse(line).type === 'steps') firstStep = (Date.now() - launched) / 1000;
    },
  });
  const lines = measured.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'epoch');
  const samples = 8000 * lines.length;
  const seconds = lines.reduce((sum, line) => sum + 8000 / line.samples_per_second, 0);
  rmSync(run, { recursive: true, force: true });
  return {
    rate: samples / seconds,
    peak: measured.peak,
    firstStep,
    foreign: measured.foreign,
    accuracy: lines.at(-1).val_accuracy,
  };
}

/**
 * @param {typeof scripts[number]} script
 * @param {typeof templates[number]} template
 * @returns {Promise<Run>}
 */
async function torch(script, template) {
  const file = path.join(root, 'test', 'bench', `${script}.py`);
  const measured = await measure(python, [file, template, data, String(epochs[template][script])]);
  const line = JSON.parse(measured.stdout.trim().split('\n').at(-1) ?? '');
  return {
    rate: line.samples_per_second,
    peak: measured.peak,
    firstStep: line.first_step - measured.started,
    foreign: measured.foreign,
    accuracy: line.accuracy,
  };
}

/** @param {number | null} bytes */
const mib = (bytes) => (bytes === null ? '–' : `${Math.round(bytes / 2 ** 20)}`);
/** @param {(number | null)[]} values */
const middle = (values) => median(values.filter((value) => value !== null));

const results = [];
for (const template of templates) {
  /** @type {Record<'gradloom' | 'tutorial' | 'strong', Run[]>} */
  const runs = { gradloom: [], tutorial: [], strong: [] };
  await gradloom(template); // packs the digits and warms the files
  for (let round = 1; round <= rounds; round++) {
    for (const runner of /** @type {const} */ (['gradloom', 'tutorial', 'strong'])) {
      const run = runner === 'gradloom' ? await gradloom(template) : await torch(runner, template);
      runs[runner].push(run);
      process.stderr.write(
        `${template} round ${round}/${rounds} ${runner.padEnd(8)} ${Math.round(run.rate)} samples/s, peak ${mib(run.peak)} MiB, ` +
          `first step ${run.firstStep.toFixed(2)} s, others kept ${run.foreign?.toFixed(2) ?? '?'} processors busy\n`,
      );
    }
  }
  for (const script of scripts) {
    const ratios = runs.gradloom.map((run, i) => run.rate / (runs[script][i]?.rate ?? Number.NaN));
    const memory = runs.gradloom.map((run, i) => (run.peak ?? Number.NaN) / (runs[script][i]?.peak ?? Number.NaN));
    const start = runs.gradloom.map((run, i) => run.firstStep / (runs[script][i]?.firstStep ?? Number.NaN));
    results.push({
      template,
      against: script,
      speed_ratio: median(ratios),
      speed_ratio_range: [Math.min(...ratios), Math.max(...ratios)],
      memory_ratio: median(memory),
      first_step_ratio: median(start),
      samples_per_second: {
        gradloom: middle(runs.gradloom.map(({ rate }) => rate)),
        python: middle(runs[script].map(({ rate }) => rate)),
      },
      peak_bytes: {
        gradloom: middle(runs.gradloom.map(({ peak }) => peak)),
        python: middle(runs[script].map(({ peak }) => peak)),
      },
      first_step_seconds: {
        gradloom: middle(runs.gradloom.map(({ firstStep }) => firstStep)),
        python: middle(runs[script].map(({ firstStep }) => firstStep)),
      },
      foreign_processors: middle([...runs.gradloom, ...runs[script]].map(({ foreign }) => foreign)),
    });
  }
}
rmSync(folder, { recursive: true, force: true });

if (process.argv.includes('--json')) {
  process.stdout.write(
    `${JSON.stringify({ type: 'bench', processors: os.availableParallelism(), model: os.cpus()[0]?.model, rounds, results })}\n`,
  );
} else {
  const rows = results.map((row) => [
    row.template,
    row.against,
    `${Math.round(row.samples_per_second.gradloom)}`,
    `${Math.round(row.samples_per_second.python)}`,
    `${row.speed_ratio.toFixed(2)}× (${row.speed_ratio_range.map((ratio) => ratio.toFixed(2)).join('–')})`,
    `${mib(row.peak_bytes.gradloom)} / ${mib(row.peak_bytes.python)} = ${row.memory_ratio.toFixed(2)}×`,
    `${row.first_step_seconds.gradloom.toFixed(2)} / ${row.first_step_seconds.python.toFixed(2)}`,
    row.foreign_processors.toFixed(2),
  ]);
  const head = [
    'template',
    'against',
    'Gradloom samples/s',
    'PyTorch samples/s',
    'speed',
    'peak MiB',
    'first step s',
    'foreign load',
  ];
  process.stdout.write(
    `\n${os.cpus()[0]?.model}, ${os.availableParallelism()} processors, ${rounds} alternating rounds, medians\n\n` +
      [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n') +
      '\n',
  );
}
