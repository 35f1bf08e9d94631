/** What the loader hands to the network, against the same rules written in TypeScript: order, values, splits, both paths. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';
import { byteAt, classes, type Pack, runPlain, tinyPlan, wide } from './plans.ts';
import { readTensors } from './tensors.ts';

type Loader = NativePlan['loader'];

async function batchesOf(plan: NativePlan, folder: string, where: 'host' | 'device', env: Record<string, string> = {}) {
  const file = path.join(folder, `${where}.safetensors`);
  const { lines } = runPlain(plan, folder, ['--batches', file, '--path', where, '--epochs', '3'], env);
  expect(lines).toEqual([{ type: 'batches', path: file }]);
  return readTensors(file);
}

const { fround } = Math;
const normalize = [{ kind: 'Normalize', args: { mean: [0.5, 0.25], std: [0.5, 0.3] } }];

/** The value of element `i` of sample `row`: scaled and normalised in float32, operation by operation. */
function valueAt(pack: Required<Pick<Pack, 'shape' | 'input'>>, row: number, i: number, normalized: boolean): number {
  const size = pack.shape.reduce((a, b) => a * b, 1);
  const byte = byteAt(row * size + i);
  const value =
    pack.input === 'uint8'
      ? fround(byte / 255)
      : pack.input === 'uint16'
        ? fround(wide(byte) / 65535)
        : fround(byte / 7 - 3);
  if (!normalized) return value;
  const channel = Math.floor(i / (size / (pack.shape[0] ?? 1)));
  return fround(fround(value - fround([0.5, 0.25][channel] ?? 0)) / fround([0.5, 0.3][channel] ?? 1));
}

const variants: { name: string; pack: Pack; loader?: Partial<Loader>; normalized?: boolean; split?: number[] }[] = [
  { name: 'bytes, normalised by channel', pack: { shape: [2, 4, 3] }, normalized: true },
  { name: 'floats, normalised by channel', pack: { shape: [2, 4, 3], input: 'float32' }, normalized: true },
  { name: '16 bits, normalised by channel', pack: { shape: [2, 4, 3], input: 'uint16' }, normalized: true },
  { name: '16 bits as class indices', pack: { shape: [7], target: 'uint16' } },
  { name: 'bytes as vectors', pack: { shape: [7] } },
  { name: 'vectors as targets', pack: { shape: [7], target: 'vector' } },
  { name: 'bytes as class indices', pack: { shape: [7], target: 'uint8' } },
  { name: 'stored order', pack: {}, loader: { shuffle: false } },
  { name: 'whole batches only', pack: { samples: 45 }, loader: { drop_last: true } },
  { name: 'a short last batch', pack: { samples: 45 } },
  { name: 'a part of the samples', pack: {}, split: [31, 2, 2, 17, 39, 0, 5, 8, 13, 21] },
  { name: 'gathered by the session itself', pack: {}, loader: { num_workers: 0 } },
  { name: 'many threads, far ahead', pack: {}, loader: { num_workers: 7, prefetch_factor: 5 } },
  { name: 'threads that stop at each epoch', pack: {}, loader: { persistent_workers: false } },
  { name: 'a batch larger than the data', pack: { samples: 5 }, loader: { batch_size: 64 } },
];

describe.each(variants)('$name', ({ pack: given, loader = {}, normalized = false, split }) => {
  const pack = { samples: 40, shape: [1, 6, 5], input: 'uint8' as const, target: 'class' as const, ...given };

  test('holds the expected samples in the expected order, on both paths', async () => {
    const folder = temporaryFolder();
    const plan = tinyPlan(folder, pack, { transforms: normalized ? normalize : [] });
    Object.assign(plan.loader, loader);
    if (split) {
      const indices = path.join(folder, 'indices');
      writeFileSync(indices, BigInt64Array.from(split, BigInt));
      plan.data.splits.train = { part: 'train', count: split.length, indices };
    }
    const host = await batchesOf(plan, folder, 'host');
    // The other path, and files that are read instead of mapped.
    expect(await batchesOf(plan, folder, 'device', { GRADLOOM_MAP_LIMIT: '0' })).toEqual(host);

    const rows = split ?? Array.from({ length: pack.samples }, (_, i) => i);
    const size = pack.shape.reduce((a, b) => a * b, 1);
    const { batch_size, drop_last, shuffle } = plan.loader;
    const expected = new Map<string, { shape: number[]; values: number[] }>();
    const expectBatches = (name: string, order: number[], whole: boolean) => {
      for (let start = 0; start < order.length && !(whole && start + batch_size > order.length); start += batch_size) {
        const chosen = order.slice(start, start + batch_size);
        expected.set(`${name}.${start / batch_size}.input`, {
          shape: [chosen.length, ...pack.shape],
          values: chosen.flatMap((row) => Array.from({ length: size }, (_, i) => valueAt(pack, row, i, normalized))),
        });
        const vector = pack.target === 'vector';
        expected.set(`${name}.${start / batch_size}.target`, {
          shape: vector ? [chosen.length, classes] : [chosen.length],
          values: chosen.flatMap((row) =>
            vector
              ? Array.from({ length: classes }, (_, i) => byteAt(row * classes + i + 2000) / 64 - 2)
              : [byteAt(row + 1000) % classes],
          ),
        });
      }
    };
    for (let epoch = 0; epoch < 3; ++epoch) {
      const order = shuffle ? Array.from(loadAddon().randperm(rows.length, plan.seed + epoch)) : rows.map((_, i) => i);
      expectBatches(
        String(epoch),
        order.map((position) => rows[position] ?? -1),
        drop_last,
      );
    }
    expectBatches('train', rows, false);
    expect(new Map([...host].sort())).toEqual(new Map([...expected].sort()));
  });
});

test('permutations are those of torch.randperm', () => {
  const { randperm } = loadAddon();
  // Seen in PyTorch 2.15: torch.randperm(n, generator=torch.Generator().manual_seed(7)).
  expect(Array.from(randperm(10, 7))).toEqual([5, 0, 3, 4, 1, 7, 9, 6, 8, 2]);
  expect(Array.from(randperm(1000, 7).slice(0, 6))).toEqual([615, 284, 599, 580, 347, 92]);
  expect(Array.from(randperm(100_000, 7).slice(-3))).toEqual([52301, 18202, 73623]);
  expect(Array.from(randperm(1, 7))).toEqual([0]);
  expect(Array.from(randperm(0, 7))).toEqual([]);
});
