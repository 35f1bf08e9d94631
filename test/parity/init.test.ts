/** Initial weights of every kind of `train.init` against torch.nn.init: the same seed gives the same bits, and leaves the same generator. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initKinds } from '../../engine/contract/inits.ts';
import { openSession, planOf } from '../conformance/random-session.ts';
import { PythonServer } from './python.ts';

const python = new PythonServer('init.py');
let top: string;

beforeAll(() => {
  top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-init-'));
});
afterAll(async () => {
  await python.close();
  rmSync(top, { recursive: true, force: true });
});

interface Answer {
  worst: { [tensor: string]: number };
  following: boolean;
}

async function compare(layers: unknown[], input: number[], output: number[], blocks = {}): Promise<Answer> {
  const plan = planOf({ name: 'init', input, output, layers, blocks }, { batch_size: 4 });
  expect(plan.problems).toEqual([]);
  const folder = mkdtempSync(path.join(top, 'case-'));
  const session = await openSession(plan, path.join(folder, 'data'));
  const state = path.join(folder, 'state');
  mkdirSync(state);
  await session.saveState(state);
  await session.close();
  const seed = 1; // that of `openSession`
  const [weights, rng] = ['model', 'rng'].map((name) => path.join(state, `${name}.safetensors`));
  return python.ask<Answer>({ layers, blocks, input, seed, weights, rng });
}

/** Every kind with its defaults, and the options that change what is drawn. */
const variants: [string, object][] = [
  ...initKinds.map(({ kind }): [string, object] => [
    kind,
    { kind, ...(kind === 'constant' ? { val: 0.25 } : kind === 'sparse' ? { sparsity: 0.37 } : {}) },
  ]),
  ['uniform between bounds', { kind: 'uniform', a: -0.3, b: 0.1 }],
  ['normal with a mean', { kind: 'normal', mean: 0.5, std: 0.02 }],
  ['trunc_normal cut close', { kind: 'trunc_normal', mean: 0.1, std: 1, a: -0.7, b: 0.6 }],
  ['trunc_normal in a tail', { kind: 'trunc_normal', mean: 0, std: 0.5, a: 1, b: 3 }],
  ['trunc_normal in a narrow slit', { kind: 'trunc_normal', mean: 1, std: 2, a: 0.9, b: 1 }],
  ['xavier_uniform with a gain', { kind: 'xavier_uniform', gain: 1.6 }],
  ['kaiming_uniform for the way back', { kind: 'kaiming_uniform', mode: 'fan_out', nonlinearity: 'relu' }],
  ['kaiming_normal with a slope', { kind: 'kaiming_normal', a: 0.2 }],
  ['kaiming_normal for tanh', { kind: 'kaiming_normal', nonlinearity: 'tanh', bias: { kind: 'zeros' } }],
  ['kaiming_normal for selu', { kind: 'kaiming_normal', nonlinearity: 'selu', bias: { kind: 'constant', val: 0.1 } }],
  ['orthogonal with a gain', { kind: 'orthogonal', gain: 0.5 }],
  ['a bias alone', { kind: 'default', bias: { kind: 'zeros' } }],
];

/** LAPACK's QR is the same, the threads it runs on may not be. */
const allowed = (name: string) => (name.startsWith('orthogonal') ? 1e-6 : 0);

test.each(variants)('%s', async (name, init) => {
  const linear = [
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 24, train: { init } },
    { kind: 'Tanh' },
    { kind: 'Linear', out_features: 7 },
    { kind: 'Linear', out_features: 33, train: { init } },
  ];
  const convolution = [
    { kind: 'Conv2d', out_channels: 6, kernel_size: [3, 2], groups: 2, train: { init } },
    { kind: 'BatchNorm2d', train: { init: { kind: 'constant', val: 0.5, bias: 'ones' } } },
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 3, train: { init } },
  ];
  const answers = [await compare(linear, [2, 5, 4], [33])];
  if (!name.startsWith('sparse')) answers.push(await compare(convolution, [2, 5, 4], [3]));
  for (const { worst, following } of answers) {
    expect(Math.max(...Object.values(worst)), JSON.stringify(worst)).toBeLessThanOrEqual(allowed(name));
    expect(following, 'the generator stands elsewhere').toBe(true);
  }
});

test('a block hands its own to the layers inside, norms aside, and a layer may decline it', async () => {
  const init = { kind: 'kaiming_normal', mode: 'fan_out', nonlinearity: 'relu', bias: 'zeros' };
  const layers = [
    {
      kind: 'Residual',
      shortcut: 'auto',
      train: { init },
      layers: [
        { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 },
        { kind: 'BatchNorm2d' },
        { kind: 'ReLU' },
        { kind: 'Conv2d', out_channels: 8, kernel_size: 1, train: { init: 'default' } },
      ],
    },
    { kind: 'Block', ref: 'head', train: { init: { kind: 'normal', std: 0.02 } } },
    { kind: 'Block', ref: 'head' },
    {
      kind: 'Parallel',
      train: { init: 'orthogonal' },
      branches: [[{ kind: 'Linear', out_features: 5 }], [{ kind: 'Linear', out_features: 4, train: { init: 'ones' } }]],
      dim: -1,
    },
    { kind: 'Repeat', times: 2, train: { init: 'xavier_uniform' }, layers: [{ kind: 'Linear', out_features: 9 }] },
  ];
  const blocks = { head: { layers: [{ kind: 'Linear', out_features: 6 }, { kind: 'LayerNorm' }] } };
  const { worst, following } = await compare(layers, [3, 6, 6], [8, 6, 9], blocks);
  expect(Math.max(...Object.values(worst)), JSON.stringify(worst)).toBeLessThanOrEqual(1e-6);
  expect(following).toBe(true);
});
