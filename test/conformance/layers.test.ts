/** Every example of every layer kind, every loss, in the plan and in the addon: shape, tensors, a finite step, save and load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../engine/contract/layers/kind.ts';
import type { NativeSession } from '../../engine/contract/native.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { digest } from '../../engine/export/tensor-source.ts';
import { type Case, examples, lossCases, maskCases, metricCases, openSession, planOf } from './random-session.ts';

const batch_size = 5;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gradloom-conformance-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

type State = { [file: string]: { [tensor: string]: { shape: number[]; dtype: string; hash: string } } };

/** What a session's state holds, tensor by tensor. */
async function stateOf(session: NativeSession): Promise<{ folder: string; state: State }> {
  const into = mkdtempSync(path.join(folder, 'state-'));
  await session.saveState(into);
  const state: State = {};
  for (const file of ['model', 'optimizer', 'rng']) {
    const { tensors } = await readSafetensors(path.join(into, `${file}.safetensors`));
    state[file] = {};
    for (const tensor of tensors) {
      state[file][tensor.name] = { shape: tensor.shape, dtype: tensor.dtype, hash: await digest(tensor) };
    }
  }
  return { folder: into, state };
}

const reference: Case = {
  name: 'Block',
  input: [4],
  output: [3],
  layers: [
    { kind: 'Block', ref: 'b' },
    { kind: 'Linear', out_features: 3 },
  ],
  blocks: { b: { layers: [{ kind: 'Linear', out_features: 5 }, { kind: 'Tanh' }] } },
};

const cases: Case[] = [...examples, ...maskCases, reference, ...lossCases, ...metricCases];

describe.each(cases)('$name', (one) => {
  const plan = planOf(one, { batch_size });

  test('is planned as its row says', () => {
    expect(plan.problems).toEqual([]);
    expect(plan.output).toEqual(one.output);
    const values = plan.tensors.reduce((sum, { shape, buffer }) => sum + (buffer ? 0 : product(shape)), 0);
    expect(plan.parameters).toBe(values);
  });

  const data = () => path.join(folder, one.name.replaceAll(/\W+/g, '-'));

  test('is built by the addon, steps finitely, and its state comes back whole', async () => {
    const session = await openSession(plan, data());
    const before = await stateOf(session);
    const planned = plan.tensors.map(({ name, shape, dtype }) => [
      name,
      { shape, dtype: dtype === 'int64' ? 'I64' : 'F32' },
    ]);
    const built = Object.entries(before.state.model ?? {}).map(([name, { shape, dtype }]) => [name, { shape, dtype }]);
    expect(Object.fromEntries(built)).toEqual(Object.fromEntries(planned));

    const { lr } = plan.optimizer.args as { lr: number };
    const steps = await session.trainSteps({ epoch: 0, batch: 0, steps: 2, groups: [{ lr: [lr, lr] }] });
    expect(steps).toMatchObject({ steps: 2, non_finite: false, cancelled: false });
    expect([...steps.columns.loss].every(Number.isFinite)).toBe(true);
    const evaluated = await session.evaluate({ split: 'train', batch_size, confusion: false });
    expect(Number.isFinite(evaluated.loss)).toBe(true);
    expect(Object.keys(evaluated.metrics).sort()).toEqual(plan.metrics.map(({ key }) => key).sort());
    const predicted = await session.predict({ split: 'train', start: 0, count: 2 });
    expect(predicted).toMatchObject({ width: product(one.output) });

    const after = await stateOf(session);
    expect(after.state.model).not.toEqual(before.state.model);
    const other = await openSession(plan, data());
    await other.loadState(after.folder, { model_only: false });
    expect((await stateOf(other)).state).toEqual(after.state);
    const [next, again] = await Promise.all(
      [session, other].map((each) => each.trainSteps({ epoch: 0, batch: 2, steps: 1, groups: [{ lr: [lr] }] })),
    );
    expect([...(again?.columns.loss ?? [])]).toEqual([...(next?.columns.loss ?? [])]);
    await Promise.all([session.close(), other.close()]);
  });
});
