/**
 * How a session calculates: number formats, loss scaling, clipping, averages, activation checkpointing. Each resumes bit for bit, does not
 * depend on where chunks are cut, and leaves everything as it was when a step is not finite.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NativePlan, NativeSession, StepsRequest, StepsResult } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { segmentStarts } from '../../engine/contract/recompute.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { digest } from '../../engine/export/tensor-source.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';
import { classes, type Pack, tinyPlan } from './plans.ts';

const addon = loadAddon();
const open = (plan: NativePlan): Promise<NativeSession> => addon.createSession(JSON.stringify(plan));
const files = ['model', 'optimizer', 'rng', 'scaler', 'ema'];

const pack: Pack = { samples: 44, shape: [2, 8, 8], input: 'float32' };
/** Dropout, batch statistics, convolutions with and without pooling, repetitions. */
const layers = [
  { kind: 'Conv2d', out_channels: 4, kernel_size: 3, padding: 1 },
  { kind: 'ReLU' },
  { kind: 'MaxPool2d', kernel_size: 2 },
  {
    kind: 'Repeat',
    times: 2,
    layers: [{ kind: 'Conv2d', out_channels: 4, kernel_size: 1 }, { kind: 'BatchNorm2d' }, { kind: 'ReLU' }],
  },
  {
    kind: 'Residual',
    layers: [
      { kind: 'Conv2d', out_channels: 4, kernel_size: 3, padding: 1 },
      { kind: 'Dropout', p: 0.3 },
    ],
  },
  { kind: 'Flatten' },
  { kind: 'Dropout', p: 0.2 },
  { kind: 'Linear', out_features: 12 },
  { kind: 'ReLU' },
  { kind: 'Linear', out_features: classes },
];

const scaling = { init_scale: 2 ** 30, growth_factor: 2, backoff_factor: 0.5, growth_interval: 3 };
const fp16: Partial<NativePlan> = { precision: 'fp16', loss_scale: scaling };
const starts = segmentStarts(
  planProject({ data: { source: { kind: 'random', shape: pack.shape, classes } }, model: { layers } }, null).layers,
);

const variants: [string, Partial<NativePlan>][] = [
  ['bf16', { precision: 'bf16' }],
  ['fp16 with overflows', fp16],
  ['fp16, accumulated and clipped', { ...fp16, accumulate: 2, clip_grad_norm: 0.5, clip_grad_value: 0.01 }],
  ['averaged weights', { ema: { decay: 0.9 } }],
  ['fp16 and averaged weights', { ...fp16, ema: { decay: 0.9 } }],
  ['activation checkpointing', { activation_checkpointing: starts }],
  [
    'everything at once',
    { ...fp16, accumulate: 2, clip_grad_value: 0.01, ema: { decay: 0.9 }, activation_checkpointing: starts },
  ],
];

const planOf = (folder: string, change: Partial<NativePlan>, lr = 0.01): NativePlan =>
  tinyPlan(folder, pack, change, layers, { optimizer: { kind: 'Adam', lr } });

/** Learning rates by real steps, all different. */
const rates = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => 0.01 / (1 + from + i));

interface Position {
  epoch: number;
  batch: number;
  real: number;
}
const beginning: Position = { epoch: 0, batch: 0, real: 0 };

/** Runs chunks of so many steps, over epochs' ends; answers all columns and where it stands. */
async function run(session: NativeSession, plan: NativePlan, chunks: number[], from = beginning) {
  const batches = Math.ceil((plan.data.splits.train?.count ?? 0) / plan.loader.batch_size);
  const columns: Record<string, number[]> = {};
  let { epoch, batch, real } = from;
  for (const asked of chunks) {
    for (let left = asked; left > 0; ) {
      const steps = Math.min(left, Math.ceil((batches - batch) / plan.accumulate));
      const result = await session.trainSteps({ epoch, batch, steps, groups: [{ lr: rates(real, steps) }] });
      expect(result).toMatchObject({ steps, non_finite: false });
      for (const [name, values] of Object.entries(result.columns)) {
        columns[name] = [...(columns[name] ?? []), ...values];
      }
      real += steps - [...(result.columns.skipped ?? [])].reduce((sum, flag) => sum + flag, 0);
      left -= steps;
      batch += steps * plan.accumulate;
      if (batch >= batches) [epoch, batch] = [epoch + 1, 0];
    }
  }
  return { columns, at: { epoch, batch, real } };
}

/** Every tensor that a session saves, by file and name. */
async function stateOf(session: NativeSession, folder = path.join(temporaryFolder(), 'state')) {
  mkdirSync(folder);
  await session.saveState(folder);
  const state: Record<string, string> = {};
  for (const name of files.filter((file) => existsSync(path.join(folder, `${file}.safetensors`)))) {
    const { tensors } = await readSafetensors(path.join(folder, `${name}.safetensors`));
    for (const tensor of tensors) state[`${name} ${tensor.name}`] = await digest(tensor);
  }
  return { folder, state };
}

describe.each(variants)('%s', (_name, change) => {
  test('resumes bit for bit, wherever chunks are cut', async () => {
    const plan = planOf(temporaryFolder(), change);
    const whole = await open(plan);
    const straight = await run(whole, plan, [26]);
    const expected = await stateOf(whole);

    const first = await open(plan);
    const begun = await run(first, plan, [1, 2, 5, 3]);
    const { folder } = await stateOf(first);
    await first.close();
    const second = await open(plan);
    await second.loadState(folder, { model_only: false });
    const ended = await run(second, plan, [4, 1, 10], begun.at);
    for (const [name, values] of Object.entries(straight.columns)) {
      expect([...(begun.columns[name] ?? []), ...(ended.columns[name] ?? [])], name).toEqual(values);
    }
    expect((await stateOf(second)).state).toEqual(expected.state);
    if (change.loss_scale) {
      const { skipped } = straight.columns;
      expect(skipped).toContain(0);
      expect(skipped).toContain(1);
    }
    for (const file of ['scaler', 'ema'] as const) {
      const wanted = file === 'scaler' ? change.loss_scale : change.ema;
      expect(Object.keys(expected.state).some((name) => name.startsWith(`${file} `))).toBe(wanted !== undefined);
    }
    await Promise.all([whole.close(), second.close()]);
  });

  test('a step that is not finite leaves everything as it was before it', async () => {
    // The third real update is so long that the next forward overflows.
    const plan = { ...planOf(temporaryFolder(), change), optimizer: sgd };
    const epoch = async (session: NativeSession, steps: number, lr: number[], batch = 0): Promise<StepsResult> =>
      session.trainSteps({ epoch: 0, batch, steps, groups: [{ lr }] });
    const far = change.loss_scale ? { ...plan, loss_scale: { ...scaling, init_scale: 1 } } : plan; // no overflow on the way
    const [one, other] = [await open(far), await open(far)];
    await epoch(one, 2, [0.01, 1e30]);
    const before = await stateOf(one);
    const result = await epoch(other, 3, [0.01, 1e30, 0.01]);
    expect(result).toMatchObject({ steps: 2, non_finite: true });
    expect((await stateOf(other)).state).toEqual(before.state);
    // Asked again it fails again, and still changes nothing.
    expect(await epoch(other, 1, [0.01], 2 * plan.accumulate)).toMatchObject({ steps: 0, non_finite: true });
    expect((await stateOf(other)).state).toEqual(before.state);
    await Promise.all([one.close(), other.close()]);
  });
});

const sgd: NativePlan['optimizer'] = {
  kind: 'SGD',
  args: { lr: 0.01, momentum: 0, dampening: 0, weight_decay: 0, nesterov: false, maximize: false },
};

describe('activation checkpointing', () => {
  const request = (steps: number): StepsRequest => ({ epoch: 0, batch: 0, steps, groups: [{ lr: rates(0, steps) }] });

  test.each<[string, Partial<NativePlan>]>([
    ['fp32', {}],
    ['bf16', { precision: 'bf16' }],
    ['accumulated', { accumulate: 3 }],
  ])('%s: losses, weights, statistics and generators are those of a plain run, bit for bit', async (_name, change) => {
    expect(starts.length).toBeGreaterThan(1);
    const [plain, checkpointed] = [
      await open(planOf(temporaryFolder(), change)),
      await open(planOf(temporaryFolder(), { ...change, activation_checkpointing: starts })),
    ];
    const steps = change.accumulate ? 2 : 6;
    const losses = await Promise.all([plain, checkpointed].map((each) => each.trainSteps(request(steps))));
    expect(losses[1]?.columns).toEqual(losses[0]?.columns);
    expect((await stateOf(checkpointed)).state).toEqual((await stateOf(plain)).state);
    await Promise.all([plain.close(), checkpointed.close()]);
  });

  test('a deep network needs far less memory', async () => {
    const deep = [
      { kind: 'Flatten' },
      { kind: 'Repeat', times: 24, layers: [{ kind: 'Linear', out_features: 64 }, { kind: 'GELU' }] },
      { kind: 'Linear', out_features: classes },
    ];
    const batch = { loader: { batch_size: 512 } };
    const peak = async (checkpointing: boolean) => {
      const project = {
        data: { source: { kind: 'random', shape: [64], classes, samples: 512 }, ...batch, split: { val: 0 } },
        model: { layers: deep },
        training: { activation_checkpointing: checkpointing },
      };
      const planned = planProject(project, null);
      const plan = tinyPlan(temporaryFolder(), { samples: 512, shape: [64] }, {}, deep);
      const session = await open({
        ...plan,
        loader: { ...plan.loader, batch_size: 512, num_workers: 0 },
        activation_checkpointing: checkpointing ? segmentStarts(planned.layers) : [],
      });
      await session.trainSteps(request(1));
      const before = await session.memory({ reset_peak: true });
      const { columns } = await session.trainSteps(request(1));
      const after = await session.memory({ reset_peak: true });
      await session.close();
      return { bytes: after.peak - before.allocated, estimated: planned.memory.activations, loss: columns.loss[0] };
    };
    const [plain, checkpointed] = [await peak(false), await peak(true)];
    expect(checkpointed.loss).toBe(plain.loss);
    expect(checkpointed.bytes).toBeLessThan(0.5 * plain.bytes);
    // The estimate follows what is measured.
    expect(checkpointed.estimated).toBeLessThan(0.5 * plain.estimated);
    for (const { bytes, estimated } of [plain, checkpointed]) {
      expect(estimated / bytes).toBeGreaterThan(0.5);
      expect(estimated / bytes).toBeLessThan(1.5);
    }
  });

  test('segments begin only at layers of the sequence', async () => {
    for (const wrong of [
      ['0', '4.layers.0'],
      ['0', '99'],
      ['2', '5'],
    ]) {
      const refused = open(planOf(temporaryFolder(), { activation_checkpointing: wrong }));
      await expect(refused).rejects.toMatchObject({ code: 'BAD_CALL', path: 'activation_checkpointing' });
    }
  });
});

describe('a checkpoint', () => {
  const everything: Partial<NativePlan> = { ...fp16, ema: { decay: 0.9 } };

  test.each(['ema', 'scaler'])(
    'whose %s.safetensors belongs to something else is refused, and nothing has changed',
    async (file) => {
      const plan = planOf(temporaryFolder(), everything);
      const [session, other] = [await open(plan), await open(plan)];
      await run(session, plan, [14]);
      const { folder } = await stateOf(session);
      copyFileSync(path.join(folder, 'optimizer.safetensors'), path.join(folder, `${file}.safetensors`));
      const before = await stateOf(other);
      await expect(other.loadState(folder, { model_only: false })).rejects.toMatchObject({ code: 'WEIGHTS_MISMATCH' });
      expect((await stateOf(other)).state).toEqual(before.state);
      await Promise.all([session.close(), other.close()]);
    },
  );

  test('of a run without loss scaling and averages is gone on with by one that has them', async () => {
    const plain = planOf(temporaryFolder(), {});
    const first = await open(plain);
    const { at } = await run(first, plain, [4]);
    const { folder } = await stateOf(first);
    const plan = { ...plain, ...everything };
    const second = await open(plan);
    await second.loadState(folder, { model_only: false });
    const { columns } = await run(second, plan, [2], at);
    expect(columns.scale).toEqual([scaling.init_scale, scaling.init_scale / 2]);
    await Promise.all([first.close(), second.close()]);
  });
});

test('TF32 is nothing to a CPU', async () => {
  const losses = await Promise.all(
    [false, true].map(async (tf32) => {
      const plan = planOf(temporaryFolder(), { tf32 });
      const session = await open(plan);
      const { columns } = await run(session, plan, [6]);
      await session.close();
      return columns.loss;
    }),
  );
  expect(losses[1]).toEqual(losses[0]);
});

describe('averaged weights', () => {
  test('evaluate and predict use them, and training does not', async () => {
    const plan = planOf(temporaryFolder(), { ema: { decay: 0.8 } });
    const session = await open(plan);
    const evaluate = (each: NativeSession) => each.evaluate({ split: 'train', batch_size: 8, confusion: false });
    const fresh = await evaluate(session);
    const raw = await open({ ...plan, ema: null });
    expect(await evaluate(raw)).toEqual(fresh);
    await run(session, plan, [6]);
    await run(raw, plan, [6]);
    const [averaged, plain] = [await evaluate(session), await evaluate(raw)];
    expect(averaged.loss).not.toBe(plain.loss);

    const { folder, state } = await stateOf(session);
    // Evaluating has left the model itself alone.
    expect((await stateOf(raw)).state).toEqual(
      Object.fromEntries(Object.entries(state).filter(([name]) => !name.startsWith('ema '))),
    );
    const other = await open(plan);
    await other.loadState(folder, { model_only: true });
    expect(await evaluate(other)).toEqual(averaged);
    const predict = (each: NativeSession) => each.predict({ split: 'train', start: 0, count: 5 });
    expect(await predict(other)).toEqual(await predict(session));
    expect((await predict(raw)).logits).not.toEqual((await predict(session)).logits);
    await Promise.all([session, raw, other].map((each) => each.close()));
  });
});

describe('loss scaling', () => {
  test('skipped steps use up no planned values, and count as steps', async () => {
    const plan = planOf(temporaryFolder(), { ...fp16 });
    const session = await open({ ...plan, optimizer: sgd });
    const before = await stateOf(session);
    const result = await session.trainSteps({ epoch: 0, batch: 0, steps: 2, groups: [{ lr: [0, 1e30] }] });
    expect(result).toMatchObject({ steps: 2, non_finite: false });
    expect([...(result.columns.skipped ?? [])]).toEqual([1, 1]);
    expect([...(result.columns.scale ?? [])]).toEqual([2 ** 30, 2 ** 29]);
    const weights = (state: Record<string, string>) =>
      Object.entries(state).filter(([name]) => /^model .*(weight|bias)$/.test(name));
    expect(weights((await stateOf(session)).state)).toEqual(weights(before.state));
    await session.close();
  });

  test('ends where the scale is lost, and stands as before that step', async () => {
    const backingOff = async (backoff_factor: number) =>
      open(planOf(temporaryFolder(), { precision: 'fp16', loss_scale: { ...scaling, backoff_factor } }));
    const asked = { epoch: 0, batch: 0, steps: 1, groups: [{ lr: [0.01] }] };
    const hopeful = await backingOff(2 ** -54);
    expect(await hopeful.trainSteps(asked)).toMatchObject({ steps: 1, non_finite: false });
    const lost = await backingOff(2 ** -55);
    const { state } = await stateOf(lost);
    expect(await lost.trainSteps(asked)).toMatchObject({ steps: 0, non_finite: true });
    expect((await stateOf(lost)).state).toEqual(state);
    await Promise.all([hopeful.close(), lost.close()]);
  });
});
