/** Every optimizer: its state is what its row says, a resumed session is the uninterrupted one to the bit, and a step that is not finite is void. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeSession } from '../../engine/contract/native.ts';
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { constantGroups, openSession, planOf, samples } from './random-session.ts';

const batch_size = 2;
const batches = samples / batch_size;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gradloom-optimizers-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

/** Options that make a kind keep more state, or follow another path. */
const variants = (params: object): object[] => [
  {},
  ...('maximize' in params ? [{ maximize: true, ...('weight_decay' in params ? { weight_decay: 0.1 } : {}) }] : []),
  ...('amsgrad' in params ? [{ amsgrad: true }] : []),
  ...('momentum' in params ? [{ momentum: 0.7, nesterov: true }] : []),
  ...('centered' in params ? [{ centered: true, momentum: 0.9 }] : []),
  ...('t0' in params ? [{ t0: 1 }] : []),
];

const cases = optimizerKinds.flatMap(({ kind, params }) =>
  variants(params).map((more) => ({
    optimizer: { kind, ...Object.fromEntries(Object.entries(more).filter(([key]) => key in params)) },
  })),
);

/** Parameters of four dimensions, two and one, in two groups and one of them frozen. */
function planWith(optimizer: object): Plan {
  const layers = [
    { kind: 'Conv2d', out_channels: 3, kernel_size: 2 },
    { kind: 'Tanh' },
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 7, train: { lr: 0.003 } },
    { kind: 'LayerNorm', train: { freeze: true } },
    { kind: 'Linear', out_features: 4 },
  ];
  const training = { optimizer, loss: { kind: 'MSELoss' } };
  const plan = planOf({ name: '', input: [2, 4, 3], output: [4], layers, training }, { batch_size, shuffle: false });
  expect(plan.problems).toEqual([]);
  return plan;
}

let counter = 0;
const open = (plan: Plan, change?: (columns: { input: string }) => void) =>
  openSession(plan, path.join(folder, String(counter++)), change);

async function save(session: NativeSession): Promise<string> {
  const into = path.join(folder, `state-${counter++}`);
  mkdirSync(into);
  await session.saveState(into);
  return into;
}

const files = ['model', 'optimizer', 'rng'] as const;
const bytes = (state: string) => files.map((name) => readFileSync(path.join(state, `${name}.safetensors`), 'base64'));

async function stateOf(session: NativeSession): Promise<string[]> {
  const into = await save(session);
  const state = bytes(into);
  rmSync(into, { recursive: true });
  return state;
}

const train = (session: NativeSession, plan: Plan, batch: number, steps: number) =>
  session.trainSteps({ epoch: 0, batch, steps, groups: constantGroups(plan, steps) });

describe.each(cases)('$optimizer', ({ optimizer }) => {
  const plan = planWith(optimizer);

  test('keeps the state that its row says, and none of a frozen layer', async () => {
    const session = await open(plan);
    expect(await train(session, plan, 0, 3)).toMatchObject({ steps: 3, non_finite: false });
    const { tensors } = await readSafetensors(path.join(await save(session), 'optimizer.safetensors'));
    const row = optimizerKinds.find(({ kind }) => kind === plan.optimizer.kind);
    const planned = plan.tensors
      .filter(({ name }) => !plan.frozen.includes(name))
      .flatMap(({ name, shape }) =>
        Object.entries(row?.state(plan.optimizer.args, shape) ?? {}).map(([key, dims]) => [`${name}.${key}`, dims]),
      );
    expect(Object.fromEntries(tensors.map(({ name, shape }) => [name, shape]))).toEqual(Object.fromEntries(planned));
    expect(tensors.every(({ dtype }) => dtype === 'F32')).toBe(true);
    const bytes = tensors.reduce((sum, { shape }) => sum + 4 * shape.reduce((a, b) => a * b, 1), 0);
    expect(plan.memory.optimizer).toBe(bytes);
    await session.close();
  });

  test('saved and loaded after any step it goes on as if nothing had been', async () => {
    const whole = await open(plan);
    await train(whole, plan, 0, batches);
    const end = await stateOf(whole);
    for (const at of [0, 1, batches - 1]) {
      const first = await open(plan);
      if (at > 0) await train(first, plan, 0, at);
      const saved = await save(first);
      const second = await open(plan);
      await train(second, plan, 0, 2); // whatever it did before
      await second.loadState(saved, { model_only: false });
      expect(await stateOf(second)).toEqual(bytes(saved));
      await train(second, plan, at, batches - at);
      expect(await stateOf(second), `after ${at} steps`).toEqual(end);
      await Promise.all([first.close(), second.close()]);
    }
    await whole.close();
  });

  test.each([0, 2])(
    'where batch %i is not finite neither weights nor state change, and it goes on from there',
    async (bad) => {
      const spoil = ({ input }: { input: string }) => {
        const values = new Float32Array(Uint8Array.from(readFileSync(input)).buffer);
        values.fill(
          Number.NaN,
          (bad * batch_size * values.length) / samples,
          (bad * batch_size * values.length) / samples + 1,
        );
        writeFileSync(input, values);
      };
      const spoilt = await open(plan, spoil);
      const good = await open(plan);
      if (bad > 0) await train(good, plan, 0, bad);
      const before = await stateOf(good);
      expect(await train(spoilt, plan, 0, batches)).toMatchObject({ steps: bad, non_finite: true });
      expect(await stateOf(spoilt)).toEqual(before);
      for (const session of [spoilt, good]) await train(session, plan, bad + 1, 2);
      expect(await stateOf(spoilt)).toEqual(await stateOf(good));
      await Promise.all([spoilt.close(), good.close()]);
    },
  );

  test('where chunks of steps are cut does not matter', async () => {
    const [whole, parts] = [await open(plan), await open(plan)];
    await train(whole, plan, 0, batches);
    for (const [batch, steps] of [
      [0, 1],
      [1, 3],
      [4, batches - 4],
    ] as const)
      await train(parts, plan, batch, steps);
    expect(await stateOf(parts)).toEqual(await stateOf(whole));
    await Promise.all([whole.close(), parts.close()]);
  });
});
