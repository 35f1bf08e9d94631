/** A run that stops being finite: the layer, the batch and its samples named, the batch and the last good state kept, a way on (cases 12, 13). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { autopsySchema } from '../../engine/contract/autopsy.ts';
import type { RunEvent } from '../../engine/contract/events.ts';
import { readProject } from '../../engine/contract/project.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { readAutopsy } from '../../engine/runs/autopsy.ts';
import { runDetails } from '../../engine/runs/details.ts';
import { RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { idxBytes } from './idx-writer.ts';
import { temporaryFolder } from './runs-helpers.ts';

const float = 13;
const byte = 8;

interface Data {
  samples: number[][];
  labels: number[];
}

/** Two classes that a line parts. */
function parted(count: number): Data {
  const samples = Array.from({ length: count }, (_, i) => [Math.sin(i), Math.cos(3 * i), i % 2 === 0 ? 1 : -1]);
  return { samples, labels: samples.map((_, i) => i % 2) };
}

function written(folder: string, name: string, { samples, labels }: Data): void {
  writeFileSync(path.join(folder, `${name}-images-idx2`), idxBytes([samples.length, 3], samples.flat(), float));
  writeFileSync(path.join(folder, `${name}-labels-idx1`), idxBytes([labels.length], labels, byte));
}

function project(
  train: Data,
  changes: { training?: object; layers?: object[]; val?: Data; loader?: object; transforms?: object[] } = {},
) {
  const folder = temporaryFolder();
  const data = path.join(folder, 'data');
  mkdirSync(data);
  written(data, 'train', train);
  if (changes.val) written(data, 't10k', changes.val);
  const file = path.join(folder, 'small.gradloom.json');
  const text = {
    gradloom: 1,
    name: 'small',
    data: {
      source: { kind: 'idx', path: 'data' },
      split: { val: changes.val ? 'test' : 0.2, stratify: false },
      transforms: changes.transforms ?? [],
      loader: { batch_size: 8, num_workers: 0, ...changes.loader },
    },
    model: {
      layers: changes.layers ?? [
        { kind: 'Linear', out_features: 8 },
        { kind: 'ReLU' },
        { kind: 'Linear', out_features: 2, name: 'head' },
      ],
    },
    training: { epochs: 3, device: 'cpu', ...changes.training },
  };
  writeFileSync(file, JSON.stringify(text));
  return { folder, file, run: path.join(folder, 'run') };
}

async function failing({ file, run }: { file: string; run: string }) {
  const events: RunEvent[] = [];
  const end = await trainRun({ projectFile: file, run }, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('failed');
  const error = events.find((event) => event.type === 'error');
  const autopsy = readAutopsy(run);
  if (!autopsy) throw new Error('no autopsy');
  expect(() =>
    autopsySchema.strict().parse(JSON.parse(readFileSync(path.join(run, 'autopsy.json'), 'utf8'))),
  ).not.toThrow();
  expect(error).toMatchObject({ code: 'NON_FINITE', message: autopsy.message });
  return { end, events, error, autopsy };
}

describe('data that is not finite', () => {
  const bad = 37;
  const spoilt = (value: number) => {
    const data = parted(80);
    (data.samples[bad] as number[])[1] = value;
    return data;
  };

  test.each([Number.NaN, Number.NEGATIVE_INFINITY])('%d: names the sample of the data', async (value) => {
    const { error, autopsy } = await failing(project(spoilt(value), { val: parted(20) }));
    expect(autopsy).toMatchObject({ phase: 'input', part: 'train', faulty: [{ sample: bad, column: 'input' }] });
    expect(autopsy.samples).toContain(bad);
    expect(autopsy.samples).toHaveLength(8);
    expect(autopsy.remedies).toEqual([
      { label: `Mend or remove sample ${bad} of the train part`, why: expect.any(String), edits: [] },
    ]);
    expect(error).toMatchObject({ hint: expect.stringContaining(`sample ${bad}`) });
  });

  test('in the validation part alone: the run stops after the epoch instead of never having a best again', async () => {
    const val = parted(20);
    (val.samples[11] as number[])[0] = Number.NaN;
    const { autopsy, end } = await failing(project(parted(80), { val }));
    expect(autopsy).toMatchObject({
      phase: 'evaluation',
      part: 'test',
      batch: null,
      faulty: [{ sample: 11, column: 'input' }],
      message: expect.stringMatching(
        /validation loss .* sample 11 of the test part\) after epoch 1; the state then is saved/,
      ),
    });
    expect(end).toMatchObject({ epoch: 1, step: 10 });
  });
});

test('a validation loss that is not finite, for weights and data that are: told once, and the end the second time', async () => {
  const val = parted(20);
  (val.samples[4] as number[]).fill(3e38);
  const transforms = [{ kind: 'Normalize', mean: [0], std: [0.1] }]; // finite values become infinite
  const { autopsy, end, events } = await failing(project(parted(80), { val, transforms, training: { epochs: 5 } }));
  expect(events.filter(({ type }) => type === 'advice')).toMatchObject([{ code: 'VALIDATION_NON_FINITE' }]);
  expect(events.filter(({ type }) => type === 'epoch')).toMatchObject([{ epoch: 1 }]);
  expect(autopsy).toMatchObject({ phase: 'evaluation', epoch: 2, part: 'test', faulty: [] });
  expect(end).toMatchObject({ step: 20 });
});

describe('a learning rate that is too large', () => {
  const wild = { training: { optimizer: { kind: 'SGD', lr: 1e25 }, checkpoint: { every_epochs: 1 } } };

  test('names the layer, keeps the batch as it reached the network, and what went before', async () => {
    const made = project(parted(80), wild);
    const { autopsy, error } = await failing(made);
    expect(autopsy).toMatchObject({
      phase: 'forward',
      layer: '2',
      kind: 'Linear',
      name: 'head',
      place: 'model.layers.2',
    });
    expect(error).toMatchObject({
      path: 'model.layers.2',
      message: expect.stringContaining('layer 2 (Linear, "head")'),
    });
    expect(autopsy.values?.nan ?? 0 + (autopsy.values?.positive_infinity ?? 0)).toBeGreaterThan(0);
    expect(autopsy.recent).toEqual({ step: [1], lr: [1e25], loss: [expect.any(Number)] });
    expect(autopsy).toMatchObject({ step: 2, epoch: 1, batch: 2, batches: 8, lr: 1e25, precision: 'fp32' });

    const { tensors } = await readSafetensors(path.join(made.run, autopsy.batch_file as string));
    expect(tensors.map(({ name, shape }) => [name, shape])).toEqual([
      ['input', [8, 3]],
      ['target', [8]],
    ]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of tensors[0]?.chunks() ?? []) chunks.push(chunk);
    const input = new Float32Array(new Uint8Array(Buffer.concat(chunks)).buffer);
    const { samples } = parted(80);
    expect(autopsy.samples.map((sample) => (samples[sample] as number[]).map(Math.fround))).toEqual(
      Array.from({ length: 8 }, (_, row) => Array.from(input.subarray(3 * row, 3 * row + 3))),
    );
    expect((await runDetails(made.run)).autopsy).toEqual(autopsy);
  });

  test('its remedies are edits; resumed with one, the run goes back before the ruined state and learns', async () => {
    const made = project(parted(80), wild);
    const { autopsy } = await failing(made);
    const [rate, clip] = autopsy.remedies;
    expect(rate).toMatchObject({
      label: 'Set the learning rate to 0.001',
      edits: [{ op: 'set', path: ['training', 'optimizer', 'lr'], value: 0.001 }],
    });
    expect(clip).toMatchObject({ edits: [{ op: 'set', path: ['training', 'clip_grad_norm'], value: 1 }] });

    // As it stands it fails in the same way: nothing is hidden.
    const again = await resumeRun({ run: made.run }, () => {}, new RunControl());
    expect(again).toMatchObject({ status: 'failed', step: 1 });
    expect(readAutopsy(made.run)?.recent).toEqual(autopsy.recent); // also of an earlier life

    const events: RunEvent[] = [];
    const edits = rate?.edits ?? [];
    const end = await resumeRun({ run: made.run, edits }, (event) => events.push(event), new RunControl());
    expect(end.status).toBe('completed');
    expect(events.find(({ type }) => type === 'resume')).toMatchObject({
      from_step: 0,
      note: expect.stringContaining('Went back to the initial state'),
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'change', lr: 0.001, lr_before: 1e25 }));
    expect(readProject(readFileSync(path.join(made.run, 'project.json'), 'utf8')).project).toMatchObject({
      training: { optimizer: { lr: 0.001 } },
    });
    expect((await runDetails(made.run)).autopsy).toBeNull(); // it is healthy again
  });

  test('goes back to the newest checkpoint before it, not to the beginning', async () => {
    const made = project(parted(80), {
      training: { optimizer: { kind: 'SGD', lr: 0.01 }, epochs: 1 },
    });
    await trainRun({ projectFile: made.file, run: made.run }, () => {}, new RunControl());
    const lr = { op: 'set' as const, path: ['training', 'optimizer', 'lr'], value: 1e25 };
    const ruined = await resumeRun({ run: made.run, epochs: 3, edits: [lr] }, () => {}, new RunControl());
    expect(ruined.status).toBe('failed');
    const events: RunEvent[] = [];
    const mended = { ...lr, value: 0.01 };
    const end = await resumeRun({ run: made.run, edits: [mended] }, (event) => events.push(event), new RunControl());
    expect(end).toMatchObject({ status: 'completed', epoch: 3, step: 24 });
    expect(events.find(({ type }) => type === 'resume')).toMatchObject({ from_step: 8 });
  });

  test('an update that is not finite is found in the next step; no state of after it is kept as a good one', async () => {
    const large = parted(80);
    large.samples = large.samples.map((sample) => sample.map((value) => 1000 * value));
    const quiet = { optimizer: { kind: 'SGD', lr: 1e-6 }, epochs: 1 };
    const made = project(large, { training: quiet });
    await trainRun({ projectFile: made.file, run: made.run }, () => {}, new RunControl());
    const lr = { op: 'set' as const, path: ['training', 'optimizer', 'lr'], value: 3e38 };
    const end = await resumeRun({ run: made.run, epochs: 2, edits: [lr] }, () => {}, new RunControl());
    expect(end).toMatchObject({ status: 'failed', step: 9 });
    expect(readAutopsy(made.run)).toMatchObject({
      phase: 'parameters',
      layer: expect.any(String),
      tensor: expect.stringMatching(/weight|bias/),
      step: 10,
      checkpoint: { folder: expect.stringMatching(/^step-00000008/), step: 8 },
      message: expect.stringContaining('the last good state is that of step 8, 1 step before'),
    });
    const events: RunEvent[] = [];
    const mended = { ...lr, value: 1e-6 };
    const again = await resumeRun({ run: made.run, edits: [mended] }, (event) => events.push(event), new RunControl());
    expect(again).toMatchObject({ status: 'completed', step: 16 });
    expect(events.find(({ type }) => type === 'resume')).toMatchObject({ from_step: 8 });
  });
});

test('fp16 ends at 65,504: a wider format is the first remedy, and cures the state as it stands', async () => {
  const large = parted(80);
  large.samples = large.samples.map((sample) => sample.map((value) => 70_000 * value));
  const training = { precision: 'fp16', optimizer: { kind: 'SGD', lr: 1e-12 }, epochs: 1 };
  const made = project(large, {
    training,
    layers: [
      { kind: 'Linear', out_features: 8 },
      { kind: 'Linear', out_features: 2 },
    ],
  });
  const { autopsy } = await failing(made);
  expect(autopsy).toMatchObject({ phase: 'forward', precision: 'fp16' });
  const [first] = autopsy.remedies;
  expect(first).toMatchObject({ label: 'Set precision to bf16', why: expect.stringContaining('65,504') });
  const events: RunEvent[] = [];
  const edits = first?.edits ?? [];
  const end = await resumeRun({ run: made.run, edits }, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  expect(events.find(({ type }) => type === 'start')).toMatchObject({ precision: 'bf16' });
});

test.each([{ ignore_index: 1 }, { weight: [1, 0] }])('every target ignored, %j: the mean of nothing', async (loss) => {
  const data = parted(16);
  data.labels = data.labels.map(() => 1);
  const made = project(data, {
    training: { loss: { kind: 'CrossEntropyLoss', ...loss } },
    loader: { batch_size: 4 },
  });
  const { autopsy } = await failing(made);
  expect(autopsy).toMatchObject({ phase: 'loss', layer: null });
  expect(autopsy.remedies).toEqual([
    {
      label: 'Set batch_size to 8',
      why: expect.stringContaining('mean of nothing'),
      edits: [{ op: 'set', path: ['data', 'loader', 'batch_size'], value: 8 }],
    },
  ]);
});

describe('a label out of range (case 13)', () => {
  test('is refused before anything is uploaded, naming class and sample, and the device stays usable', async () => {
    const data = parted(40);
    data.labels[23] = 7;
    const made = project(data);
    const started = trainRun({ projectFile: made.file, run: made.run }, () => {}, new RunControl());
    await expect(started).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: expect.stringMatching(/8 classes: class "7" \(sample 23 of .*train-labels-idx1\) has none/),
    });
    expect(existsSync(made.run)).toBe(false);
    expect(loadAddon().randperm(3, 0)).toHaveLength(3);
    const sound = project(parted(40), { training: { epochs: 1 } });
    expect((await trainRun({ projectFile: sound.file, run: sound.run }, () => {}, new RunControl())).status).toBe(
      'completed',
    );
  });
});
