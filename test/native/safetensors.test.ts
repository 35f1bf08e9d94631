/** Weights files by a hostile hand: whatever the bytes, the addon answers WEIGHTS_FORMAT or a report, and never dies. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadReport, NativeSession } from '../../engine/contract/native.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { stepsRequest, temporaryFolder, tinyPlan } from './plans.ts';

const addon = loadAddon();
const names = ['1.weight', '1.bias', '3.weight', '3.bias'];

function fileOf(header: unknown, data: Uint8Array | number, lengthField?: bigint): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(lengthField ?? BigInt(text.length));
  return Buffer.concat([length, text, typeof data === 'number' ? Buffer.alloc(data) : data]);
}

const bias = (offsets: unknown, more: object = {}) => ({
  '3.bias': { dtype: 'F32', shape: [5], data_offsets: offsets, ...more },
});

const malformed: Record<string, Buffer> = {
  'an empty file': Buffer.alloc(0),
  'seven bytes': Buffer.alloc(7),
  'a header longer than the file': fileOf('{}', 0, 1000n),
  'a header of 2^64 − 1 bytes': fileOf('{}', 0, 2n ** 64n - 1n),
  'no header': fileOf('', 0),
  'a header that is no JSON': fileOf('{"a":', 0),
  'a header that is a list': fileOf([], 0),
  'deep nesting': fileOf('['.repeat(200_000), 0),
  'a header that is not UTF-8': fileOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'), 0),
  'an entry that is no object': fileOf({ a: 1 }, 0),
  'an entry without offsets': fileOf({ a: { dtype: 'F32', shape: [1] } }, 4),
  'an unknown dtype': fileOf(bias([0, 20], { dtype: 'F31' }), 20),
  'a dtype that is a number': fileOf(bias([0, 20], { dtype: 32 }), 20),
  'a negative size': fileOf(bias([0, 20], { shape: [-5] }), 20),
  'a fractional size': fileOf(bias([0, 20], { shape: [2.5] }), 20),
  'sizes whose product overflows': fileOf(bias([0, 20], { shape: [2 ** 53, 2 ** 53, 2 ** 53] }), 20),
  'a huge size times zero': fileOf('{"a":{"dtype":"F32","shape":[18446744073709551615,0],"data_offsets":[0,0]}}', 0),
  'offsets beyond the file': fileOf(bias([0, 24]), 20),
  'offsets the wrong way round': fileOf(bias([20, 0]), 20),
  'negative offsets': fileOf(bias([-20, 0]), 20),
  'offsets of another size than the shape': fileOf(bias([0, 16]), 16),
  'three offsets': fileOf(bias([0, 20, 20]), 20),
  'bytes that belong to nobody': fileOf(bias([0, 20]), 24),
  'a gap': fileOf(
    { a: { dtype: 'U8', shape: [1], data_offsets: [0, 1] }, b: { dtype: 'U8', shape: [1], data_offsets: [2, 3] } },
    3,
  ),
  'an overlap': fileOf(
    { a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] }, b: { dtype: 'U8', shape: [2], data_offsets: [1, 3] } },
    3,
  ),
};

async function withSession(use: (session: NativeSession, folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const session = await addon.createSession(JSON.stringify(tinyPlan(folder)));
  await use(session, folder);
  await session.close();
}

describe('refused as WEIGHTS_FORMAT:', () => {
  test('every malformed file, with its path', async () => {
    await withSession(async (session, folder) => {
      for (const [name, bytes] of Object.entries(malformed)) {
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
