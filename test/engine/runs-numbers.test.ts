/** Whole runs in other number formats: what the journal tells, resuming bit for bit, which weights are measured and taken away. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { digest } from '../../engine/export/tensor-source.ts';
import { Checkpoints, weightsFile } from '../../engine/runs/checkpoints.ts';
import { evaluateRun, exportRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import { compareRuns } from '../../engine/verify/compare.ts';
import { traceLife } from '../../engine/verify/trace.ts';
import { temporaryFolder } from './runs-helpers.ts';

const projectText = (training: object): string =>
  JSON.stringify({
    gradloom: 1,
    name: 'numbers',
    data: {
      source: { kind: 'random', shape: [1, 6, 6], classes: 3, samples: 90, seed: 1 },
      split: { val: 0.2, stratify: false },
      loader: { batch_size: 8, num_workers: 0 },
    },
    model: {
      layers: [
        { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
        { kind: 'BatchNorm2d' },
        { kind: 'ReLU' },
        { kind: 'Flatten' },
        { kind: 'Dropout', p: 0.2 },
        { kind: 'Linear', out_features: 8 },
        { kind: 'Tanh' },
        { kind: 'Linear', out_features: 3 },
      ],
    },
    training: { epochs: 3, device: 'cpu', optimizer: { kind: 'Adam', lr: 0.01 }, ...training },
  });

const overflowing = { init_scale: 2 ** 26, growth_interval: 4 };
const inSteps = { kind: 'ExponentialLR', gamma: 0.9, unit: 'step' };
const fp16 = { precision: 'fp16', loss_scale: overflowing, schedule: inSteps };

type StepsEvent = Extract<RunEvent, { type: 'steps' }> & { scale?: number[]; skipped?: number[] };

async function run(training: object) {
  const folder = path.join(temporaryFolder(), 'run');
  const events: RunEvent[] = [];
  const end = await trainRun(
    { projectText: projectText(training), baseDir: temporaryFolder(), run: folder },
    (event) => events.push(event),
    new RunControl(),
  );
  const lines = events.filter((event) => event.type === 'steps') as StepsEvent[];
  const column = (name: 'lr' | 'scale' | 'skipped' | 'step') => lines.flatMap((line) => line[name] ?? []);
  return { folder, end, events, column, checkpoints: new Checkpoints(folder, 100) };
}

describe('fp16', () => {
  test('case 11: skipped steps are counted and told, the schedule moves on real steps only', async () => {
    const { column, end, checkpoints } = await run(fp16);
    expect(end).toMatchObject({ status: 'completed', step: 27 });
    const [lr, scale, skipped] = [column('lr'), column('scale'), column('skipped')];
    expect(skipped).toHaveLength(27);
    expect(skipped).toContain(1);
    expect(skipped).toContain(0);
    let [real, good, expected] = [0, 0, overflowing.init_scale];
    for (const [i, flag] of skipped.entries()) {
      expect(lr[i]).toBeCloseTo(0.01 * 0.9 ** real, 12);
      expect(scale[i]).toBe(expected);
      // torch.amp.GradScaler, updated exactly once a step.
      good = flag === 1 ? 0 : good + 1;
      if (flag === 1) expected /= 2;
      else if (good === overflowing.growth_interval) [expected, good] = [expected * 2, 0];
      if (flag === 0) real += 1;
    }
    const { state } = await checkpoints.loadModel('last');
    expect(state).toMatchObject({ step: 27, scaler: { skipped: 27 - real } });
  });

  test('a scale that is lost ends the run with the layer or the gradient named', async () => {
    const loss_scale = { init_scale: 2 ** 30, backoff_factor: 2 ** -56 };
    const { events, end } = await run({ ...fp16, loss_scale });
    expect(end).toMatchObject({ status: 'failed', step: 0 });
    expect(events.find((event) => event.type === 'error')).toMatchObject({ code: 'NON_FINITE' });
  });
});

test.each<[string, object]>([
  ['fp16 with overflows', fp16],
  [
    'fp16, accumulated, clipped, averaged, with recomputed activations',
    {
      ...fp16,
      accumulate: 2,
      clip_grad_norm: 1,
      clip_grad_value: 0.05,
      ema: { decay: 0.8 },
      activation_checkpointing: true,
    },
  ],
  [
    'bf16, averaged, on a plateau',
    {
      precision: 'bf16',
      ema: { decay: 0.9 },
      schedule: { kind: 'ReduceLROnPlateau', patience: 0, factor: 0.5 },
    },
  ],
])('%s: chunks of other sizes, a stop and a resume give the same bits', async (_name, training) => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'numbers.gradloom.json');
  writeFileSync(file, projectText(training));
  const place = (name: string) => ({ run: path.join(folder, name), trace: path.join(folder, `${name}.trace`) });
  const lived = (where: ReturnType<typeof place>, life: { resume?: boolean; stop?: number; chunk?: number }) =>
    traceLife(
      { projectFile: file },
      { resume: false, stop: 1000, kill: null, chunk: 1, ...where, ...life },
      () => {},
      new RunControl(),
    );
  const [one, two] = [place('one'), place('two')];
  await lived(one, {});
  await lived(two, { stop: 6, chunk: 4 });
  await lived(two, { resume: true, chunk: 3 });
  expect(await compareRuns(one, two)).toMatchObject({ difference: null, epochEnds: 3 });
});

test('averaged weights are validated, evaluated and exported; the trained ones are kept beside them', async () => {
  const { folder, events, checkpoints } = await run({ ema: { decay: 0.95 }, schedule: null });
  const { folder: last } = await checkpoints.loadModel('last');
  expect(path.basename(weightsFile(last))).toBe('ema.safetensors');
  expect(existsSync(path.join(last, 'model.safetensors'))).toBe(true);
  const epoch = events.findLast((event) => event.type === 'epoch');
  const evaluated = await evaluateRun(folder, { checkpoint: 'last' });
  expect(evaluated.loss).toBe(epoch?.val_loss);
  const out = path.join(temporaryFolder(), 'weights.safetensors');
  await exportRun(folder, { format: 'safetensors', out, checkpoint: 'last' });
  const hashes = async (file: string) =>
    Promise.all((await readSafetensors(file)).tensors.map(async (tensor) => `${tensor.name} ${await digest(tensor)}`));
  expect(await hashes(out)).toEqual(await hashes(path.join(last, 'ema.safetensors')));
  expect(await hashes(out)).not.toEqual(await hashes(path.join(last, 'model.safetensors')));
  const plain = await run({ schedule: null });
  const losses = (list: RunEvent[]) => list.flatMap((event) => (event.type === 'steps' ? event.train_loss : []));
  expect(losses(events)).toEqual(losses(plain.events));
});

test('precision auto is chosen for the device, recorded with its reason, and kept by who evaluates', async () => {
  const { folder, events } = await run({ precision: 'auto' });
  const start = events.find((event) => event.type === 'start');
  expect(start).toMatchObject({
    precision: expect.stringMatching(/^(fp32|bf16)$/),
    precision_reason: expect.any(String),
  });
  const environment = JSON.parse(readFileSync(path.join(folder, 'environment.json'), 'utf8')) as { precision: string };
  expect(environment.precision).toBe(start?.precision);
  const epoch = events.findLast((event) => event.type === 'epoch');
  expect((await evaluateRun(folder, { checkpoint: 'last' })).loss).toBe(epoch?.val_loss);
});

test('fp16 on a CPU that auto has chosen as the device is advised against', async () => {
  const { events } = await run({ ...fp16, device: 'auto', epochs: 1 });
  const advice = events.filter((event) => event.type === 'advice' && event.code === 'SLOW_PRECISION');
  expect(advice).toHaveLength(1);
  const { events: told } = await run({ ...fp16, epochs: 1 });
  expect(told.filter((event) => event.type === 'advice' && event.code === 'SLOW_PRECISION')).toHaveLength(1);
});
