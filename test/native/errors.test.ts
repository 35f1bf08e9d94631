/** Every refusal of the addon is a GradloomError with a code, and the session survives a refused call. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import type { NativePlan } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';
import { runPlain, stepsRequest, tinyPlan } from './plans.ts';

const addon = loadAddon();

async function refusal(promise: Promise<unknown>): Promise<GradloomError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GradloomError);
  return error as GradloomError;
}

/** A plan, spoilt. */
const spoilt: Record<string, { code: string; path?: RegExp; spoil: (plan: NativePlan, folder: string) => unknown }> = {
  'no object': { code: 'BAD_CALL', spoil: () => [] },
  'an empty object': { code: 'BAD_CALL', spoil: () => ({}) },
  'a missing argument': {
    code: 'BAD_CALL',
    path: /model\.1\.args/,
    spoil: (plan) => {
      delete plan.model[1]?.args.out_features;
      return plan;
    },
  },
  'an unknown kind': {
    code: 'NOT_SUPPORTED',
    spoil: (plan) => ({ ...plan, model: [{ path: '0', kind: 'Perceptron', args: {}, output: [5] }] }),
  },
  'an unknown transform': {
    code: 'NOT_SUPPORTED',
    spoil: (plan) => ({ ...plan, transforms: [{ kind: 'Crop', args: {} }] }),
  },
  'no such device': { code: 'DEVICE_UNKNOWN', spoil: (plan) => ({ ...plan, device: 'abacus' }) },
  'an absent device': { code: 'DEVICE_UNAVAILABLE', spoil: (plan) => ({ ...plan, device: 'cuda:17' }) },
  'a second CPU': { code: 'DEVICE_UNAVAILABLE', spoil: (plan) => ({ ...plan, device: 'cpu:3' }) },
  'missing data': {
    code: 'DATA_MISSING',
    path: /input\.gone$/,
    spoil: (plan) => {
      const part = plan.data.parts.train as NativePlan['data']['parts'][string];
      part.input.path += '.gone';
      return plan;
    },
  },
  'truncated inputs': {
    code: 'DATA_TRUNCATED',
    path: /input$/,
    spoil: (plan, folder) => {
      truncateSync(path.join(folder, 'input'), 1199);
      return plan;
    },
  },
  'truncated targets': {
    code: 'DATA_TRUNCATED',
    path: /target$/,
    spoil: (plan, folder) => {
      truncateSync(path.join(folder, 'target'), 0);
      return plan;
    },
  },
  'a count beyond all numbers': {
    code: 'DATA_TRUNCATED',
    spoil: (plan) => {
      const part = plan.data.parts.train as NativePlan['data']['parts'][string];
      part.count = 2 ** 52;
      return plan;
    },
  },
  'a shape beyond all numbers': {
    code: 'DATA_FORMAT',
    spoil: (plan) => {
      const part = plan.data.parts.train as NativePlan['data']['parts'][string];
      part.input.shape = [2 ** 31, 2 ** 31, 2 ** 31];
      return plan;
    },
  },
  'an index outside the part': {
    code: 'DATA_FORMAT',
    path: /indices$/,
    spoil: (plan, folder) => {
      const indices = path.join(folder, 'indices');
      writeFileSync(indices, BigInt64Array.from([0n, 40n]));
      return { ...plan, data: { ...plan.data, splits: { train: { part: 'train', count: 2, indices } } } };
    },
  },
  'a negative index': {
    code: 'DATA_FORMAT',
    spoil: (plan, folder) => {
      const indices = path.join(folder, 'indices');
      writeFileSync(indices, BigInt64Array.from([0n, -1n]));
      return { ...plan, data: { ...plan.data, splits: { train: { part: 'train', count: 2, indices } } } };
    },
  },
  'more samples than the part has': {
    code: 'DATA_COUNT',
    spoil: (plan) => ({ ...plan, data: { ...plan.data, splits: { train: { part: 'train', count: 41 } } } }),
  },
};

describe('a plan with', () => {
  test.each(Object.entries(spoilt))('%s', async (_, { code, path: place, spoil }) => {
    const folder = temporaryFolder();
    const plan = spoil(tinyPlan(folder), folder);
    const error = await refusal(addon.createSession(JSON.stringify(plan)));
    expect({ code: error.code, message: error.message }).toEqual({
      code,
      message: expect.stringMatching(/^[A-Z/].*\.$/s),
    });
    if (place) expect(error.path).toMatch(place);
  });

  test('text that is not JSON', async () => {
    expect((await refusal(addon.createSession('{"seed"'))).code).toBe('BAD_CALL');
  });
});

test('an unavailable device names those there are', async () => {
  const error = await refusal(
    addon.createSession(JSON.stringify({ ...tinyPlan(temporaryFolder()), device: 'cuda:17' })),
  );
  expect(error.hint).toContain('cpu');
});

test('malformed calls are refused and the session goes on', async () => {
  const session = await addon.createSession(JSON.stringify(tinyPlan(temporaryFolder())));
  const calls: Promise<unknown>[] = [
    session.trainSteps(undefined as never),
    session.trainSteps({ ...stepsRequest(1), epoch: 0.5 }),
    session.trainSteps({ ...stepsRequest(1), steps: '1' as never }),
    session.trainSteps({ ...stepsRequest(2), groups: [{ lr: [0.1] }] }),
    session.trainSteps({ ...stepsRequest(1), groups: {} as never }),
    session.trainSteps(stepsRequest(1, 0, 99)),
    session.evaluate({ split: 'nowhere', batch_size: 8, confusion: false }),
    session.evaluate({ split: 'train', batch_size: 8, confusion: 1 as never }),
    session.saveState(7 as never),
    session.loadState('somewhere', {} as never),
    session.memory({} as never),
  ];
  for (const [index, answer] of (await Promise.allSettled(calls)).entries()) {
    expect(answer, `call ${index}`).toMatchObject({
      status: 'rejected',
      reason: { name: 'GradloomError', code: 'BAD_CALL' },
    });
  }
  expect((await session.trainSteps(stepsRequest(5))).steps).toBe(5);
  await session.close();
});

test('synchronous entries throw the same class', () => {
  for (const call of [() => addon.randperm(-1, 0), () => addon.randperm(1.5, 0), () => addon.lock(3 as never)]) {
    expect(call).toThrow(GradloomError);
    expect(call).toThrow(expect.objectContaining({ code: 'BAD_CALL' }));
  }
});

test('files that cannot be written or read are named', async () => {
  const folder = temporaryFolder();
  const session = await addon.createSession(JSON.stringify(tinyPlan(folder)));
  const nowhere = path.join(folder, 'nowhere');
  expect(await refusal(session.saveState(nowhere))).toMatchObject({
    code: 'NOT_WRITABLE',
    path: expect.stringContaining(nowhere),
  });
  expect(await refusal(session.loadState(nowhere, { model_only: false }))).toMatchObject({ code: 'FILE_NOT_FOUND' });
  expect(await refusal(session.loadWeights(folder))).toMatchObject({ code: 'NOT_READABLE', path: folder });
  await session.close();
});

test.runIf(process.platform === 'linux')('a full disk is DISK_FULL, and nothing half-written stays', async () => {
  const folder = temporaryFolder();
  const session = await addon.createSession(JSON.stringify(tinyPlan(folder)));
  const state = path.join(folder, 'state');
  mkdirSync(state);
  symlinkSync('/dev/full', path.join(state, 'model.safetensors'));
  const error = await refusal(session.saveState(state));
  expect(error).toMatchObject({ code: 'DISK_FULL', path: path.join(state, 'model.safetensors') });
  expect(error.hint).toBeTruthy();
  await session.saveState(state);
  await session.close();
});

test('a bounded CPU runs out of memory with a typed error', () => {
  const folder = temporaryFolder();
  const plan = tinyPlan(folder, { shape: [200, 200] });
  expect(runPlain(plan, folder, ['--steps', '2']).status).toBe(0);
  const { status, lines } = runPlain(plan, folder, ['--steps', '2'], { GRADLOOM_CPU_LIMIT: '5000000' });
  expect(status).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    type: 'error',
    code: 'OUT_OF_MEMORY',
    message: expect.stringContaining('5000000 bytes'),
  });
});
