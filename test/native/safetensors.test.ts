/** Weights files by a hostile hand: whatever the bytes, the addon answers WEIGHTS_FORMAT or a report, and never dies. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadReport, NativeSession } from '../../engine/contract/native.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';
import { malformedWeights } from './malformed.ts';
import { stepsRequest, tinyPlan } from './plans.ts';

const addon = loadAddon();
const names = ['1.weight', '1.bias', '3.weight', '3.bias'];

async function withSession(use: (session: NativeSession, folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const session = await addon.createSession(JSON.stringify(tinyPlan(folder)));
  await use(session, folder);
  await session.close();
}

describe('refused as WEIGHTS_FORMAT:', () => {
  test('every malformed file, with its path', async () => {
    await withSession(async (session, folder) => {
      for (const [name, bytes] of Object.entries(malformedWeights)) {
        const file = path.join(folder, 'weights.safetensors');
        writeFileSync(file, bytes);
        const error = await session.loadWeights(file).then(
          () => `${name} was accepted`,
          (thrown: unknown) => thrown,
        );
        expect(error, name).toMatchObject({ code: 'WEIGHTS_FORMAT', path: file });
      }
    });
  });

  test('a file cut anywhere', async () => {
    await withSession(async (session, folder) => {
      const state = path.join(folder, 'state');
      mkdirSync(state);
      await session.saveState(state);
      const whole = readFileSync(path.join(state, 'model.safetensors'));
      const file = path.join(folder, 'cut.safetensors');
      for (let length = 0; length < whole.length; length += 1 + (length >> 4)) {
        writeFileSync(file, whole.subarray(0, length));
        await expect(session.loadWeights(file), String(length)).rejects.toMatchObject({ code: 'WEIGHTS_FORMAT' });
      }
    });
  });
});

test('random damage is answered, and an accepted file names only known tensors as matched', async () => {
  await withSession(async (session, folder) => {
    const state = path.join(folder, 'state');
    mkdirSync(state);
    await session.saveState(state);
    const whole = readFileSync(path.join(state, 'model.safetensors'));
    const file = path.join(folder, 'damaged.safetensors');
    // Most damage where the structure is: the first bytes.
    const change = fc.tuple(fc.oneof(fc.nat(700), fc.nat(whole.length - 1)), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        writeFileSync(file, bytes);
        const answer: LoadReport | { code: string } = await session.loadWeights(file).catch((error) => error);
        if ('code' in answer) expect(answer.code).toBe('WEIGHTS_FORMAT');
        else for (const name of answer.matched) expect(names).toContain(name);
      }),
      { numRuns: 300 },
    );
    expect((await session.trainSteps(stepsRequest(1))).steps).toBe(1);
  });
});

test('files are whole by the other reader too, aligned, and restore the session exactly', async () => {
  const folder = temporaryFolder();
  const layers = [
    { kind: 'Conv2d', out_channels: 3, kernel_size: 3 },
    { kind: 'BatchNorm2d' },
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 5 },
  ];
  const plan = tinyPlan(folder, {}, {}, layers);
  const session = await addon.createSession(JSON.stringify(plan));
  await session.trainSteps(stepsRequest(3));
  const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
  for (const state of [first, second]) mkdirSync(state);
  await session.saveState(first);
  const model = path.join(first, 'model.safetensors');
  const { tensors } = await readSafetensors(model);
  expect(tensors.map(({ name, shape }) => [name, shape])).toEqual([
    ['0.weight', [3, 1, 3, 3]],
    ['0.bias', [3]],
    ['1.weight', [3]],
    ['1.bias', [3]],
    ['1.running_mean', [3]],
    ['1.running_var', [3]],
    ['1.num_batches_tracked', []],
    ['3.weight', [5, 36]],
    ['3.bias', [5]],
  ]);
  const bytes = readFileSync(model);
  const headerLength = Number(bytes.readBigUInt64LE());
  expect(headerLength % 8).toBe(0);
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + headerLength));
  expect(header['1.num_batches_tracked'].data_offsets[0] % 8).toBe(0);

  const other = await addon.createSession(JSON.stringify(plan));
  await other.trainSteps(stepsRequest(2, 1));
  await other.loadState(first, { model_only: false });
  await other.saveState(second);
  for (const name of ['model', 'optimizer', 'rng']) {
    expect(
      readFileSync(path.join(second, `${name}.safetensors`)).equals(
        readFileSync(path.join(first, `${name}.safetensors`)),
      ),
      name,
    ).toBe(true);
  }
  expect((await other.trainSteps(stepsRequest(2, 0, 3))).columns.loss).toEqual(
    (await session.trainSteps(stepsRequest(2, 0, 3))).columns.loss,
  );
  await Promise.all([session.close(), other.close()]);
});
