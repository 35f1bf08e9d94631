/** Where a step stops being finite: what `diagnose` names and counts, that it leaves no trace, and the batch that `saveBatch` keeps. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NativePlan, NativeSession } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { readFloats, writeFloats } from './floats.ts';
import { temporaryFolder } from './folders.ts';
import { classes, stepsRequest, tinyPlan } from './plans.ts';

const addon = loadAddon();
const open = (plan: NativePlan): Promise<NativeSession> => addon.createSession(JSON.stringify(plan));

type Weights = { [name: string]: { shape: number[]; value: number } };

/** A network of Linear layers without bias on one input value; every weight is set to the value given for its layer. */
async function opened(layers: object[], weights: Weights, training: object = {}) {
  const folder = temporaryFolder();
  const plan = tinyPlan(folder, { shape: [1], input: 'float32' }, {}, layers, training);
  const session = await open(plan);
  const file = path.join(folder, 'weights.safetensors');
  const tensors = Object.entries(weights).map(([name, { shape, value }]) => ({
    name,
    shape,
    values: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(value),
  }));
  await writeFloats(file, tensors);
  expect((await session.loadWeights(file)).matched).toHaveLength(tensors.length);
  return { session, plan, folder };
}

const linear = (out_features: number) => ({ kind: 'Linear', out_features, bias: false });

describe('a step that is not finite', () => {
  test('in its parameters before it began: an earlier update is to blame', async () => {
    const { session } = await opened([linear(3), { kind: 'ReLU' }, linear(classes)], {
      '2.weight': { shape: [classes, 3], value: Number.NaN },
    });
    expect(await session.diagnose({ epoch: 0, batch: 0 })).toEqual({
      phase: 'parameters',
      layer: '2',
      kind: 'Linear',
      tensor: '2.weight',
      batch: null,
      values: { elements: 15, nan: 15, positive_infinity: 0, negative_infinity: 0, min: null, max: null },
    });
    await session.close();
  });

  test('in a layer inside a block, forward, with its counts', async () => {
    const { session, plan, folder } = await opened(
      [{ kind: 'Residual', layers: [linear(4), linear(1)] }, linear(classes)],
      { '0.layers.0.weight': { shape: [4, 1], value: 1e30 }, '0.layers.1.weight': { shape: [1, 4], value: 1e30 } },
    );
    const found = await session.diagnose({ epoch: 0, batch: 2 });
    expect(found).toMatchObject({ phase: 'forward', layer: '0.layers.1', kind: 'Linear', tensor: null, batch: 2 });
    const file = path.join(folder, 'batch.safetensors');
    await session.saveBatch({ epoch: 0, batch: 2 }, file);
    const { input, target } = await readFloats(file);
    expect(input?.shape).toEqual([8, 1]);
    expect(target?.shape).toEqual([8]);
    // x · 1e30 · 1e30 · 4: infinite with the sign of x.
    const signs = [...(input?.values ?? [])].map(Math.sign);
    expect(found.values).toMatchObject({
      elements: 8,
      positive_infinity: signs.filter((sign) => sign > 0).length,
      negative_infinity: signs.filter((sign) => sign < 0).length,
    });
    expect(plan.loader.batch_size).toBe(8);
    await session.close();
  });

  test('backward, where branches are multiplied: the block is named, not the branch beside it', async () => {
    const { session } = await opened(
      [
        {
          kind: 'Parallel',
          join: 'multiply',
          branches: [[linear(2)], [linear(2), { kind: 'Tanh' }, linear(2)]],
        },
        linear(classes),
      ],
      {
        // Branch 0 answers about 1e-38, branch 1 about 1e38; the next layer's weight brings the gradient of branch 0 beyond any float.
        '0.branches.0.0.weight': { shape: [2, 1], value: 1e-38 },
        '0.branches.1.2.weight': { shape: [2, 2], value: 1e38 },
        '1.weight': { shape: [classes, 2], value: 0 },
      },
    );
    const file = path.join(temporaryFolder(), 'w.safetensors');
    const values = new Float32Array(classes * 2);
    values[0] = 1e4;
    await writeFloats(file, [{ name: '1.weight', shape: [classes, 2], values }]);
    await session.loadWeights(file);
    expect(await session.diagnose({ epoch: 0, batch: 0 })).toMatchObject({
      phase: 'backward',
      layer: '0',
      kind: 'Parallel',
      tensor: null,
    });
    await session.close();
  });

  test('in the update only, with the step’s own values', async () => {
    const { session, folder } = await opened(
      [linear(classes)],
      { '0.weight': { shape: [classes, 1], value: 1 } },
      { optimizer: { kind: 'SGD', lr: 0.1 } },
    );
    const before = path.join(folder, 'before');
    const after = path.join(folder, 'after');
    for (const made of [before, after]) mkdirSync(made);
    await session.saveState(before);
    const request = { epoch: 0, batch: 0 };
    expect(await session.diagnose(request)).toMatchObject({ phase: 'none', values: null });
    expect(await session.diagnose({ ...request, groups: [{ lr: [0.1] }] })).toMatchObject({ phase: 'none' });
    expect(await session.diagnose({ ...request, groups: [{ lr: [1e39] }] })).toMatchObject({
      phase: 'update',
      layer: '0',
      tensor: '0.weight',
    });
    await session.saveState(after);
    for (const file of ['model', 'optimizer', 'rng']) {
      const name = `${file}.safetensors`;
      expect(readFileSync(path.join(after, name)).equals(readFileSync(path.join(before, name))), file).toBe(true);
    }
    await session.close();
  });

  test('among the batches of an accumulated step: the batch is named', async () => {
    const plan = tinyPlan(temporaryFolder(), { shape: [2], input: 'float32' }, { accumulate: 3 });
    const file = plan.data.parts.train?.input.path ?? '';
    const bytes = readFileSync(file);
    bytes.writeFloatLE(Number.NaN, 4 * (8 * 2 + 3)); // of the second sample of batch 1
    writeFileSync(file, bytes);
    const session = await open({ ...plan, loader: { ...plan.loader, shuffle: false } });
    const step = await session.trainSteps(stepsRequest(1));
    expect(step).toMatchObject({ steps: 0, non_finite: true });
    expect(await session.diagnose({ epoch: 0, batch: 0, batches: 3 })).toMatchObject({
      phase: 'input',
      batch: 1,
      values: { elements: 16, nan: 1, positive_infinity: 0 },
    });
    await session.close();
  });

  test('in half precision, mixed, with activations computed again: the same layer is named, and nothing moves', async () => {
    const weights: Weights = {
      '0.weight': { shape: [3, 1], value: 1e30 },
      '2.weight': { shape: [3, 3], value: 1e30 },
      '4.weight': { shape: [classes, 3], value: 1 },
    };
    const layers = [linear(3), { kind: 'Tanh' }, linear(3), { kind: 'ReLU' }, linear(classes)];
    for (const large of [false, true]) {
      const { session, plan, folder } = await opened(large ? layers.with(1, { kind: 'Identity' }) : layers, weights, {
        optimizer: { kind: 'SGD', lr: 0.1 },
      });
      await session.close();
      const change: Partial<NativePlan> = {
        precision: 'bf16',
        activation_checkpointing: ['0', '2', '4'],
        mixup: { alpha: 0.5 },
        ema: { decay: 0.9 },
      };
      const other = await open({ ...plan, ...change });
      expect((await other.loadWeights(path.join(folder, 'weights.safetensors'))).matched).toHaveLength(3);
      const found = await other.diagnose({ epoch: 0, batch: 1, groups: [{ lr: [0.1] }] });
      expect(found).toMatchObject(large ? { phase: 'forward', layer: '2', batch: 1 } : { phase: 'none' });
      await other.close();
    }
  });
});
