/** The command line with real training: every command on a real run. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPt } from '../../engine/export/pt-read.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { SettingsFile } from '../../engine/settings.ts';
import { type Ended, gradloom, type Line, quickProject } from './cli-process.ts';

const home = mkdtempSync(join(tmpdir(), 'gradloom-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = join(home, 'the run');
const typesOf = (lines: Line[]) => [...new Set(lines.map(({ type }) => type))];
let trained: Ended;

beforeAll(async () => {
  trained = await gradloom(home, [
    'train',
    quickProject(home, 'quick', 2),
    '--run',
    run,
    '--json',
    '--set',
    'training.optimizer.lr=0.02',
  ]);
}, 60_000);

test('train: JSON only on standard output, epochs with all their values, a closing line for people', () => {
  expect(trained.code, trained.stderr).toBe(0);
  const { lines, stderr } = trained;
  expect(lines[0]).toMatchObject({
    type: 'start',
    run,
    name: 'quick',
    epochs: 2,
    steps_per_epoch: 6,
    train_samples: 300,
    val_samples: 100,
  });
  expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'completed', run, epoch: 2, step: 12 });
  const known = ['start', 'steps', 'epoch', 'checkpoint', 'state', 'advice', 'end'];
  expect(typesOf(lines).filter((type) => !known.includes(type))).toEqual([]);
  const epochs = lines.filter(({ type }) => type === 'epoch');
  expect(epochs.map(({ epoch, step }) => [epoch, step])).toEqual([[1, 6], [2, 12]]); // biome-ignore format: short
  for (const epoch of epochs) {
    const numbers = ['train_loss', 'train_accuracy', 'val_loss', 'val_accuracy', 'lr', 'seconds', 'samples_per_second'];
    for (const name of numbers) expect(epoch[name], name).toEqual(expect.any(Number));
    expect(epoch.lr).toBe(0.02);
    const size = expect.any(Number);
    expect(epoch.memory).toEqual({ allocated: size, reserved: size, peak: size, rss: size });
  }
  expect(stderr).toMatch(/^epoch 2\/2 {2}loss \d/m);
  expect(stderr).toMatch(/Learned: \d+\.\d\d % of 100 validation samples right/);
  expect(stderr).toMatch(/Speed: {3}[\d,]+ samples\/s on cpu/);
  expect(stderr).toContain(`Run:     ${run}`);
  expect(stderr).not.toContain('\x1b'); // no terminal, no colours
});

test('the journal holds the same lines', async () => {
  const journal = readFileSync(join(run, 'metrics.jsonl'), 'utf8');
  expect(
    journal
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ).toEqual(trained.lines);
  const watched = await gradloom(home, ['watch', run, '--json']);
  expect(watched.code).toBe(0);
  expect(watched.lines).toEqual(trained.lines);
});

test('a run folder in use is refused and left alone', async () => {
  const before = readdirSync(run);
  const { code, lines } = await gradloom(home, ['train', join(home, 'quick.gradloom.json'), '--run', run, '--json']);
  expect(code).toBe(2);
  expect(lines).toMatchObject([{ type: 'error', code: 'RUN_EXISTS', path: run }]);
  expect(readdirSync(run)).toEqual(before);
});

test.each<[string[], string]>([
  [['--device', 'warp:3'], 'DEVICE_UNKNOWN'],
  [['--precision', 'fp8'], 'PROJECT_INVALID'],
  [['--set', 'training.optimizer.kind=Adm'], 'PROJECT_INVALID'],
  [['--set', 'training.optimizer.lrr=3'], 'BAD_CALL'],
  [['--set', 'training.optimiser.lr=3'], 'BAD_CALL'],
  [['--set', 'model.layers.0.out_features=-1'], 'PROJECT_INVALID'],
])('train %j is refused with %s and leaves nothing', async (words, expected) => {
  const folder = join(home, 'refused');
  const { code, lines } = await gradloom(home, [
    'train',
    join(home, 'quick.gradloom.json'),
    '--run',
    folder,
    '--json',
    ...words,
  ]);
  expect([code, lines.map((line) => line.code)]).toEqual([2, [expected]]);
  expect(existsSync(folder)).toBe(false);
});

test('evaluate: loss, metrics and confusion matrix agree with the last epoch', async () => {
  const last = trained.lines.findLast(({ type }) => type === 'epoch');
  const { code, lines } = await gradloom(home, ['evaluate', run, '--checkpoint', 'last', '--json']);
  expect(code).toBe(0);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    type: 'evaluate',
    split: 'val',
    checkpoint: 'last',
    metrics: { accuracy: last?.val_accuracy },
  });
  expect(lines[0]?.loss).toBeCloseTo(last?.val_loss as number, 6);
  const confusion = lines[0]?.confusion as number[][];
  expect(confusion.flat().reduce((a, b) => a + b)).toBe(100);
  expect(confusion.reduce((right, row, i) => right + (row[i] as number), 0) / 100).toBeCloseTo(
    last?.val_accuracy as number,
    9,
  );
  const test_ = await gradloom(home, ['evaluate', run, '--split', 'test', '--json']);
  expect(test_).toMatchObject({ code: 2, lines: [{ type: 'error' }] });
});

test('predict: one line a sample, probabilities that sum to one', async () => {
  const { code, lines } = await gradloom(home, ['predict', run, '--split', 'val', '--limit', '5', '--json']);
  expect(code).toBe(0);
  expect(lines.map(({ type, index }) => [type, index])).toEqual([0, 1, 2, 3, 4].map((index) => ['prediction', index]));
  for (const { logits, probabilities, class: answer } of lines as unknown as {
    logits: number[];
    probabilities: number[];
    class: number;
  }[]) {
    expect(logits).toHaveLength(3);
    expect(probabilities.reduce((a, b) => a + b)).toBeCloseTo(1, 5);
    expect(logits[answer]).toBe(Math.max(...logits));
  }
  const text = await gradloom(home, ['predict', run, '--split', 'val', '--limit', '2']);
  expect(text.stdout).toMatch(/^index +class +probability +true class\n +0 +\d/);
});

test('export: both formats hold the checkpoint’s tensors; the metadata says where they come from', async () => {
  const out = { pt: join(home, 'out', 'w.pt'), safetensors: join(home, 'out', 'w.safetensors') };
  for (const [format, path] of Object.entries(out)) {
    const { code, lines } = await gradloom(home, ['export', run, '--format', format, '--out', path, '--json']);
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { type: 'export', path, format, checkpoint: 'best', certificate: { tensors: 4, equal: true } },
    ]);
  }
  const { metadata, tensors } = await readSafetensors(out.safetensors);
  const names = ['0.weight', '0.bias', '2.weight', '2.bias'];
  expect(tensors.map(({ name }) => name)).toEqual(names);
  expect((await readPt(out.pt)).map(({ name }) => name)).toEqual(names);
  expect(metadata).toMatchObject({ format: 'pt', run: 'the run', classes: '["0","1","2"]', transforms: '[]' });
  expect(JSON.parse(metadata.project as string)).toMatchObject({
    name: 'quick',
    training: { optimizer: { lr: 0.02 } },
  });
  const own = await gradloom(home, ['export', run, '--format', 'pt']);
  expect(own.stdout).toContain(join(run, 'export', 'the run.pt'));
  expect(own.stdout).toMatch(/^Wrote /m);
  expect((await gradloom(home, ['export', run, '--format', 'pt'])).stdout).toMatch(/^Replaced /m);
  const missing = await gradloom(home, ['export', run, '--format', 'pt', '--checkpoint', '999', '--json']);
  expect(missing).toMatchObject({ code: 2, lines: [{ type: 'error', code: 'CHECKPOINT_MISSING' }] });
});

test('resume: nothing left to do is done; a new total extends', async () => {
  const idle = await gradloom(home, ['resume', run, '--json']);
  expect(idle).toMatchObject({ code: 0, lines: [{ type: 'end', status: 'completed', run, epoch: 2 }] });
  expect(idle.stderr).toMatch(/Nothing was left to do/);
  const longer = await gradloom(home, ['resume', run, '--epochs', '3', '--json']);
  expect(longer.code).toBe(0);
  expect(longer.lines).toContainEqual(expect.objectContaining({ type: 'resume', from_step: 12 }));
  expect(longer.lines.filter(({ type }) => type === 'epoch').map(({ epoch }) => epoch)).toEqual([3]);
});

test('runs: lists those of the workspace', async () => {
  await gradloom(home, ['train', join(home, 'quick.gradloom.json'), '--epochs', '1']);
  const { lines } = await gradloom(home, ['runs', '--json']);
  expect(lines).toMatchObject([
    { type: 'run', name: 'quick-001', run: join(home, 'runs', 'quick-001'), status: 'completed', epoch: 1 },
  ]);
  expect((await gradloom(home, ['runs'])).stdout).toMatch(/^run +status[^\n]*\nquick-001 +completed +1\/1 /);
  const byName = await gradloom(home, ['evaluate', 'quick-001', '--json']);
  expect(byName.lines).toMatchObject([{ type: 'evaluate' }]);
});

test('devices: the CPU is there', async () => {
  const { code, lines } = await gradloom(home, ['devices', '--json']);
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.objectContaining({ type: 'device', name: 'cpu', memory_total: expect.any(Number) }),
  );
});

test('new: the templates there are, and a project of one of them', async () => {
  const { lines } = await gradloom(home, ['new', '--json']);
  expect(lines).toContainEqual(
    expect.objectContaining({ type: 'template', name: 'resnet-18', parameters: 11_689_512, input: [3, 224, 224] }),
  );
  const { code, lines: made } = await gradloom(home, ['new', 'tabular-mlp', '--json']);
  const path = join(home, 'projects', 'tabular-mlp.gradloom.json');
  expect({ code, made }).toEqual({ code: 0, made: [{ type: 'project', template: 'tabular-mlp', path }] });
  // The window lists it.
  expect((await new SettingsFile(home).recent())[0]).toMatchObject({ file: path, name: 'tabular-mlp' });
  const planned = await gradloom(home, ['plan', path, '--json']);
  expect(planned.lines.at(-1)).toMatchObject({ type: 'plan', input: [30], problems: [] });
});

test('new --fit: a template with the data of another project, or of a folder; what does not go says what does', async () => {
  const digits = join(home, 'data', 'digits');
  const { lines: begun } = await gradloom(home, ['new', 'lenet-5', '--json']);
  const from = begun[0]?.path as string;
  const fitted = await gradloom(home, ['new', 'tabular-mlp', '--fit', from, '--json']);
  expect(fitted.lines).toEqual([
    {
      type: 'project',
      template: 'tabular-mlp',
      path: expect.stringContaining('tabular-mlp'),
      changes: ['Insert Flatten before layer 0, and set out_features of layer 4 to 10'],
    },
  ]);
  const path = fitted.lines[0]?.path as string;
  const { data } = JSON.parse(readFileSync(path, 'utf8')) as { data: { source: object; transforms: object[] } };
  expect(data).toMatchObject({ source: { kind: 'idx', path: '../data/digits' }, transforms: [{ mean: [0.5] }] });
  const planned = await gradloom(home, ['plan', path, '--json']);
  expect(planned.lines.at(-1)).toMatchObject({ type: 'plan', input: [1, 28, 28], output: [10], problems: [] });
  const wrong = await gradloom(home, ['new', 'char-gpt', '--fit', digits, '--json']);
  expect(wrong.code).toBe(2);
  expect(wrong.lines[0]).toMatchObject({ type: 'error', code: 'NOT_SUPPORTED' });
  expect(wrong.lines[0]?.hint).toContain('digits-cnn');
  const all = await gradloom(home, ['new', '--fit', digits, '--json']);
  expect(all.lines.filter(({ fits }) => fits === true).length).toBeGreaterThan(8);
});

test('fit: changes the file, once and only what it must; --dry-run only says so', async () => {
  const { lines } = await gradloom(home, ['new', 'digits-mlp', '--json']);
  const path = lines[0]?.path as string;
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('"out_features": 10 }', '"out_features": 12 }'));
  const before = readFileSync(path, 'utf8');
  const changes = ['Linear: out_features 12 → 10'];
  const dry = await gradloom(home, ['fit', path, '--dry-run', '--json']);
  expect(dry.lines[0]).toMatchObject({ type: 'fit', changes, written: false, refused: null });
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect((await gradloom(home, ['fit', path, '--json'])).lines[0]).toMatchObject({ changes, written: true });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect((await gradloom(home, ['fit', path, '--json'])).lines[0]).toMatchObject({ changes: [], written: false });
});

test('plan --code: the network as Python and nothing else; a network that cannot be built has none', async () => {
  const { lines } = await gradloom(home, ['new', 'lenet-5', '--json']);
  const path = lines[0]?.path as string;
  const { code, stdout } = await gradloom(home, ['plan', path, '--code']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^import torch\n[\s\S]*\n {4}nn\.Linear\(84, 10\),\n\)\n$/);
  const broken = join(home, 'projects', 'broken.gradloom.json');
  writeFileSync(broken, readFileSync(path, 'utf8').replace('"kernel_size": 2', '"kernel_size": 99'));
  const none = await gradloom(home, ['plan', broken, '--code', '--json']);
  expect(none.code).toBe(2);
  expect(none.lines).toMatchObject([{ type: 'error', code: 'PROJECT_INVALID' }]);
});

test('demo: a copy of the template in the workspace, trained; a second one uses the same project', async () => {
  const words = ['demo', '--epochs', '1', '--json'];
  const [first, second] = [await gradloom(home, words), await gradloom(home, words)];
  for (const [number, { code, lines, stderr }] of [first, second].entries()) {
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(join(home, 'projects', 'digits-mlp.gradloom.json'));
    expect(lines.at(-1)).toMatchObject({ status: 'completed', run: join(home, 'runs', `digits-mlp-00${number + 1}`) });
  }
  const epoch = first.lines.find(({ type }) => type === 'epoch');
  expect(epoch?.val_accuracy).toBeGreaterThan(0.7);
  expect(second.lines.find(({ type }) => type === 'epoch')?.train_loss).toBe(epoch?.train_loss);
  // From now on the templates' times are those of this computer.
  const { lines } = await gradloom(home, ['new', '--json']);
  const timed = (template: string) => lines.find(({ name }) => name === template);
  expect(timed('digits-mlp')).toMatchObject({ measured_in: 'digits-mlp-002', epoch_seconds: expect.any(Number) });
  // Both say one second where nothing has been trained yet.
  const [measured, scaled] = ['digits-mlp', 'lenet-5'].map((name) => timed(name)?.epoch_seconds as number);
  expect(timed('lenet-5')?.measured_in).toBeNull();
  expect(scaled).toBeCloseTo(measured as number, 9);
});
