/**
 * Every optimizer with its options, and parameter groups, against torch.optim as a person calls it on a CPU: every weight and every tensor
 * of state after a dozen steps.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupSchedule } from '../../engine/contract/native.ts';
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import { openSession, planOf, samples } from '../conformance/random-session.ts';
import { PythonServer } from './python.ts';

/** What a step takes: a factor of every group's learning rate, a momentum (or beta1). */
type Values = { factor?: number; momentum?: number };
type Settings = { [key: string]: unknown };

const python = new PythonServer('optimizers.py');
const batch_size = 4;
const steps = 12;
let top = '';
let counter = 0;

beforeAll(() => {
  top = mkdtempSync(path.join(tmpdir(), 'gradloom-optimizers-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

/** Four dimensions, two and one; nothing whose gradient is zero but for rounding. */
const network = [
  { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
  { kind: 'Tanh' },
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 20 },
  { kind: 'LayerNorm' },
  { kind: 'Tanh' },
  { kind: 'Linear', out_features: 6 },
  { kind: 'Tanh' },
  { kind: 'Linear', out_features: 3, bias: false },
];

interface Trial {
  optimizer: Settings;
  training?: Settings;
  layers?: unknown[];
  blocks?: Settings;
  values?: (step: number) => Values;
}

/** The largest relative difference of any tensor after the steps here and there. */
async function difference({ optimizer, training = {}, layers = network, blocks = {}, values = () => ({}) }: Trial) {
  const folder = path.join(top, String(counter++));
  const settings = { loss: { kind: 'MSELoss' }, optimizer, ...training };
  const [input, output] = [[1, 6, 6], [3]];
  const plan = planOf({ name: '', input, output, layers, blocks, training: settings }, { batch_size, shuffle: false });
  expect(plan.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const session = await openSession(plan, folder);
  const save = async (name: string) => {
    mkdirSync(path.join(folder, name));
    await session.saveState(path.join(folder, name));
  };
  await save('before');
  const each = Array.from({ length: steps }, (_, step) => values(step));
  for (let step = 0, batches = samples / batch_size; step < steps; step++) {
    const { factor = 1, momentum } = each[step] as Values;
    const groups = plan.groups.map(
      ({ lr }): GroupSchedule => ({ lr: [lr * factor], ...(momentum === undefined ? {} : { momentum: [momentum] }) }),
    );
    const place = { epoch: Math.floor(step / batches), batch: step % batches };
    expect(await session.trainSteps({ ...place, steps: 1, groups })).toMatchObject({ steps: 1, non_finite: false });
  }
  await save('after');
  await session.close();
  const answer = await python.ask<{ differences: Record<string, number>; moved: Record<string, number> }>({
    ...{ folder, input, output, layers, blocks, training: settings, batch_size, steps },
    values: each,
  });
  return { ...answer, worst: Math.max(...Object.values(answer.differences)) };
}

const options: { [kind: string]: Settings[] } = {
  SGD: [
    {},
    { lr: 0.1, momentum: 0.9 },
    { lr: 0.1, momentum: 0.9, nesterov: true, weight_decay: 0.05 },
    { lr: 0.01, momentum: 0.8, dampening: 0.3, maximize: true },
    { weight_decay: 0.1, maximize: true },
  ],
  Adam: [{}, { lr: 0.02, amsgrad: true, weight_decay: 0.05 }, { betas: [0.7, 0.95], eps: 1e-4, maximize: true }],
  AdamW: [
    {},
    { lr: 0.02, amsgrad: true, weight_decay: 0.3 },
    { betas: [0.7, 0.95], eps: 1e-4, maximize: true, weight_decay: 0 },
  ],
  NAdam: [
    {},
    { lr: 0.02, weight_decay: 0.05, momentum_decay: 0.1 },
    { weight_decay: 0.3, decoupled_weight_decay: true, betas: [0.7, 0.95], maximize: true },
  ],
  RAdam: [
    {},
    { lr: 0.02, weight_decay: 0.05, betas: [0.7, 0.9] },
    { weight_decay: 0.3, decoupled_weight_decay: true, eps: 1e-4, maximize: true },
  ],
  Adamax: [{}, { lr: 0.02, weight_decay: 0.05, betas: [0.7, 0.9] }, { eps: 1e-3, maximize: true }],
  Adagrad: [
    {},
    { lr: 0.1, lr_decay: 0.2, weight_decay: 0.05 },
    { initial_accumulator_value: 0.5, eps: 1e-3, maximize: true },
  ],
  Adadelta: [{}, { lr: 0.5, rho: 0.7, weight_decay: 0.05 }, { eps: 1e-3, maximize: true }],
  RMSprop: [
    {},
    { lr: 0.005, momentum: 0.9, weight_decay: 0.05 },
    { centered: true, alpha: 0.9, eps: 1e-3 },
    { centered: true, momentum: 0.5, maximize: true, eps: 1e-2 },
  ],
  Rprop: [{}, { lr: 0.001, etas: [0.3, 1.5], step_sizes: [1e-4, 0.01] }, { maximize: true, lr: 0.002 }],
  ASGD: [{}, { lr: 0.1, lambd: 0.1, alpha: 0.5, t0: 3, weight_decay: 0.05 }, { t0: 0, maximize: true }],
  Adafactor: [{}, { lr: 0.1, weight_decay: 0.1, beta2_decay: -0.5 }, { eps: [1e-3, 0.01], d: 2, maximize: true }],
  Muon: [
    {},
    { lr: 0.02, momentum: 0.8, nesterov: false, weight_decay: 0.3, adamw_lr: 0.01 },
    { adjust_lr_fn: 'match_rms_adamw', ns_steps: 3, adamw_betas: [0.8, 0.9], adamw_weight_decay: 0.2 },
    { adjust_lr_fn: 'spectral_unclamped', ns_coefficients: [2, -1.5, 0.5], eps: 1e-3, adamw_eps: 1e-4 },
  ],
};

test('every optimizer is tried', () => {
  expect(Object.keys(options).sort()).toEqual(optimizerKinds.map(({ kind }) => kind).sort());
});

const trials = Object.entries(options).flatMap(([kind, list]) => list.map((more) => ({ kind, more })));

test.each(trials)('$kind $more', async ({ kind, more }) => {
  const { worst, differences, moved } = await difference({ optimizer: { kind, ...more } });
  expect(worst, JSON.stringify(differences)).toBeLessThanOrEqual(1e-5);
  for (const far of Object.values(moved)) expect(far).toBeGreaterThan(1e-4);
});

describe('values that change from step to step', () => {
  const warm = (step: number) => ({ factor: Math.min(1, (step + 1) / 5) });
  test.each(Object.keys(options))('the learning rate of %s', async (kind) => {
    const { worst, differences } = await difference({ optimizer: { kind }, values: warm });
    expect(worst, JSON.stringify(differences)).toBeLessThanOrEqual(1e-5);
  });

  test.each([
    { kind: 'SGD', lr: 0.05, momentum: 0.95 },
    { kind: 'RMSprop', momentum: 0.95, lr: 0.001 },
    { kind: 'Muon' },
    { kind: 'Adam' },
    { kind: 'AdamW' },
    { kind: 'NAdam' },
    { kind: 'RAdam' },
    { kind: 'Adamax' },
  ])('momentum or beta1 of $kind', async (optimizer) => {
    const values = (step: number) => ({ factor: 1 + step / 10, momentum: 0.95 - step / 100 });
    const { worst, differences } = await difference({ optimizer, values });
    expect(worst, JSON.stringify(differences)).toBeLessThanOrEqual(1e-5);
  });
});

describe('parameter groups', () => {
  const own = (layer: object, train: object) => ({ ...layer, train });
  const [conv, tanh, flatten, wide, norm, , narrow, , last] = network as object[];
  const layers = [
    own(conv as object, { freeze: true }),
    tanh,
    flatten,
    own(wide as object, { lr: 0.02, weight_decay: 0.2 }),
    norm,
    { kind: 'Residual', layers: [{ kind: 'Linear', out_features: 20 }, tanh], train: { lr: 0.005 } },
    own({ kind: 'Repeat', times: 2, layers: [own(narrow as object, { freeze: false }), tanh] }, { freeze: true }),
    { kind: 'Block', ref: 'b', train: { weight_decay: 0 } },
    { kind: 'Block', ref: 'b', train: { freeze: true } },
    last,
  ];
  const blocks = { b: { layers: [{ kind: 'Linear', out_features: 6 }, tanh, own(norm as object, { lr: 0.03 })] } };

  test.each(optimizerKinds.map(({ kind }) => kind))(
    'frozen layers, rates and decay of layers and blocks: %s',
    async (kind) => {
      const optimizer = { kind, ...(kind === 'Rprop' ? {} : { weight_decay: 0.1 }) };
      for (const decay_norms_and_biases of [true, false]) {
        const training = { decay_norms_and_biases };
        const { worst, differences, moved } = await difference({ optimizer, training, layers, blocks });
        expect(worst, JSON.stringify(differences)).toBeLessThanOrEqual(1e-5);
        expect(Object.keys(moved).filter((name) => moved[name] === 0)).toEqual([
          '0.weight',
          '0.bias',
          '8.layers.0.weight',
          '8.layers.0.bias',
          '8.layers.2.weight',
          '8.layers.2.bias',
        ]);
      }
    },
  );
});
