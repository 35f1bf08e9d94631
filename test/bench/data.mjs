// @ts-check
/**
 * The bench of data: Gradloom's loader against torch.utils.data.DataLoader with torchvision on the same files, in alternating runs; the
 * import of image files against one epoch of that loader, by processor time. `npm run bench:data [-- --quick] [-- --json] [-- NAME…]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureParityPython } from '../parity/environment.mjs';
import { root } from '../suites.mjs';
import { buildParts } from './build-parts.mjs';
import { writeCifar, writeJpegs } from './data-files.mjs';
import { measure, median } from './measure.mjs';

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const chosen = words.filter((word) => !word.startsWith('--'));
const rounds = quick ? 1 : 5;
const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-bench-data-'));
const digits = path.join(root, 'assets', 'data', 'digits');

/** @param {object} source @param {object[]} transforms @param {object} loader */
const project = (source, transforms, loader) => ({
  gradloom: 1,
  data: { source, split: { val: 0 }, transforms, loader: { num_workers: 4, ...loader } },
  model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 10 }] },
});
/** @param {number[]} mean @param {number[]} std */
const normalize = (mean, std) => ({ kind: 'Normalize', mean, std });

/** @typedef {{ name: string, folder: string, make?: () => unknown, project: object, epochs: { ours: number, theirs: number } }} Case */

/** @type {Case[]} */
const cases = [
  {
    name: 'digits',
    folder: digits,
    project: project({ kind: 'idx', path: digits }, [normalize([0.5], [0.5])], {}),
    epochs: { ours: 40, theirs: 2 },
  },
  {
    name: 'cifar',
    folder: path.join(folder, 'cifar'),
    make: () => writeCifar(path.join(folder, 'cifar'), quick ? 5_000 : 20_000),
    project: project(
      { kind: 'cifar', path: path.join(folder, 'cifar') },
      [
        { kind: 'RandomCrop', size: 32, padding: 4 },
        { kind: 'RandomHorizontalFlip' },
        normalize([0.49, 0.48, 0.45], [0.25, 0.24, 0.26]),
      ],
      {},
    ),
    epochs: { ours: 10, theirs: 2 },
  },
  {
    name: 'images',
    folder: path.join(folder, 'images'),
    make: () => writeJpegs(path.join(folder, 'images'), quick ? 200 : 2_000),
    project: project(
      { kind: 'image_folder', path: path.join(folder, 'images'), size: 224, channels: 'RGB' },
      [normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])],
      { batch_size: 64 },
    ),
    epochs: { ours: 4, theirs: 2 },
  },
];

const { nativeFiles, sequencePlans } = await buildParts('data-parts');
const python = await ensureParityPython();

/** Rate of the epochs but the first, in which workers start and files are read first. @param {{ samples: number, seconds: number }[]} epochs */
const rate = (epochs) => median(epochs.slice(1).map(({ samples, seconds }) => samples / seconds));

/** @param {Case} each */
function imported(each) {
  const files = { project: path.join(folder, 'project.json'), plan: path.join(folder, each.name, 'plan.json') };
  const packs = path.join(folder, 'packs', each.name);
  rmSync(packs, { recursive: true, force: true });
  mkdirSync(packs, { recursive: true });
  writeFileSync(files.project, JSON.stringify(each.project));
  mkdirSync(path.dirname(files.plan), { recursive: true });
  const script = path.join(root, 'test', 'bench', 'data-import.mjs');
  const out = execFileSync(process.execPath, [script, files.project, files.plan, packs], { encoding: 'utf8' });
  /** @type {{ seconds: number, cpu: number, samples: number }} */
  const took = JSON.parse(out.trim().split('\n').at(-1) ?? '');
  return { ...took, plan: files.plan };
}

/** Training samples a second of a plan's second epoch. @param {string} plan */
async function training(plan) {
  const { stdout } = await measure(nativeFiles().executable, [plan, '--epochs', '2'], {
    env: { ...process.env, GOMP_SPINCOUNT: '1000' },
  });
  const epochs = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'epoch');
  return epochs[1].samples_per_second;
}

/** What cutting batches to their longest sequence is worth. */
async function sequences() {
  const place = path.join(folder, 'sequences');
  mkdirSync(place, { recursive: true });
  const plans = await sequencePlans(place);
  const ratios = [];
  for (let round = 1; round <= rounds; round++) {
    const [whole, bucketed] = [await training(plans.whole), await training(plans.bucketed)];
    ratios.push(bucketed / whole);
    process.stderr.write(
      `sequences round ${round}/${rounds}: ${Math.round(bucketed)} samples/s in batches of like length, ${Math.round(whole)} whole\n`,
    );
  }
  return { share_of_tokens: plans.used, speed_ratio: median(ratios) };
}

const results = [];
/** @type {Awaited<ReturnType<typeof sequences>> | null} */
let bucketing = null;
try {
  if (chosen.length === 0 || chosen.includes('sequences')) bucketing = await sequences();
  for (const each of cases) {
    if (chosen.length > 0 && !chosen.includes(each.name)) continue;
    await each.make?.();
    /** @type {{ ours: number, theirs: number, importByCore: number, epochByCore: number, importRate: number, foreign: number }[]} */
    const runs = [];
    for (let round = 1; round <= rounds; round++) {
      const took = imported(each);
      const ours = await measure(nativeFiles().executable, [took.plan, '--pull', String(each.epochs.ours)], {
        env: { ...process.env, GOMP_SPINCOUNT: '1000' },
      });
      const pulled = ours.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const file = path.join(root, 'test', 'bench', 'data_loader.py');
      const theirs = await measure(python, [file, each.name, each.folder, String(each.epochs.theirs)]);
      const told = JSON.parse(theirs.stdout.trim().split('\n').at(-1) ?? '');
      const run = {
        ours: rate(pulled),
        theirs: rate(told.epochs),
        importByCore: took.samples / took.cpu,
        epochByCore: (took.samples * told.epochs.length) / told.worker_cpu,
        importRate: took.samples / took.seconds,
        foreign: Math.max(ours.foreign ?? Number.NaN, theirs.foreign ?? Number.NaN),
      };
      runs.push(run);
      process.stderr.write(
        `${each.name} round ${round}/${rounds}: ${Math.round(run.ours)} and ${Math.round(run.theirs)} samples/s = ${(run.ours / run.theirs).toFixed(1)}×; ` +
          `import ${Math.round(run.importByCore)}, DataLoader ${Math.round(run.epochByCore)} samples a processor second = ` +
          `${(run.importByCore / run.epochByCore).toFixed(2)}×; others kept ${run.foreign.toFixed(2)} processors busy\n`,
      );
    }
    const ratios = runs.map(({ ours, theirs }) => ours / theirs);
    results.push({
      name: each.name,
      speed_ratio: median(ratios),
      speed_ratio_range: [Math.min(...ratios), Math.max(...ratios)],
      samples_per_second: {
        gradloom: median(runs.map(({ ours }) => ours)),
        python: median(runs.map(({ theirs }) => theirs)),
      },
      import_ratio_per_core: median(runs.map((run) => run.importByCore / run.epochByCore)),
      import_per_core_second: {
        gradloom: median(runs.map((run) => run.importByCore)),
        python: median(runs.map((run) => run.epochByCore)),
      },
      import_samples_per_second: median(runs.map((run) => run.importRate)),
      foreign_processors: median(runs.map(({ foreign }) => foreign)),
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (words.includes('--json')) {
  const machine = { processors: os.availableParallelism(), model: os.cpus()[0]?.model };
  process.stdout.write(`${JSON.stringify({ type: 'bench_data', ...machine, rounds, results, bucketing })}\n`);
} else {
  const head = [
    'data',
    'Gradloom samples/s',
    'DataLoader samples/s',
    'speed',
    'import, samples a processor second',
    'DataLoader’s',
    'import',
    'foreign load',
  ];
  const rows = results.map((row) => [
    row.name,
    String(Math.round(row.samples_per_second.gradloom)),
    String(Math.round(row.samples_per_second.python)),
    `${row.speed_ratio.toFixed(1)}× (${row.speed_ratio_range.map((ratio) => ratio.toFixed(1)).join('–')})`,
    String(Math.round(row.import_per_core_second.gradloom)),
    String(Math.round(row.import_per_core_second.python)),
    `${row.import_ratio_per_core.toFixed(2)}×`,
    row.foreign_processors.toFixed(2),
  ]);
  const table = rows.length === 0 ? [] : [head, head.map(() => '---'), ...rows];
  process.stdout.write(
    `\n${os.cpus()[0]?.model}, ${os.availableParallelism()} processors, ${rounds} alternating rounds, medians\n\n` +
      table.map((row) => `| ${row.join(' | ')} |\n`).join(''),
  );
  if (bucketing) {
    process.stdout.write(
      `\nbucket_by_length, where ${Math.round(bucketing.share_of_tokens * 100)} % of the positions are tokens: ` +
        `training ${bucketing.speed_ratio.toFixed(2)}× as fast as on whole sequences\n`,
    );
  }
}
