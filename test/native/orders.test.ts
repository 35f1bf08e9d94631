/** Which samples batches hold: drawn by class, grouped by length and cut; what a network makes of cut sequences. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { NativePlan } from '../../engine/contract/native.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { byteAt, classes, runPlain, stepsRequest, tinyPlan } from './plans.ts';
import { readTensors } from './tensors.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'gradloom-orders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(path.join(root, 'folder-'));

const labelOf = (row: number) => byteAt(row + 1000) % classes;
const order = (plan: NativePlan, epoch = 0) => Array.from(loadAddon().epochOrder(JSON.stringify(plan), epoch));
const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const all = (count: number) => Array.from({ length: count }, (_, i) => i);

function withLoader(plan: NativePlan, loader: Partial<NativePlan['loader']>): NativePlan {
  return { ...plan, loader: { ...plan.loader, ...loader } };
}

describe('samplers', () => {
  const samples = 4000;
  const plan = tinyPlan(newFolder(), { samples, shape: [3] });
  const shares = (drawn: number[]) =>
    all(classes).map((index) => drawn.filter((row) => labelOf(row) === index).length / drawn.length);

  test('shuffle is a permutation, another one each epoch', () => {
    expect(sorted(order(plan))).toEqual(all(samples));
    expect(order(plan, 1)).not.toEqual(order(plan));
    expect(order(withLoader(plan, { shuffle: false }), 5)).toEqual(all(samples));
  });

  test('balanced draws each class alike, whatever there is of it, the same again for the same epoch', () => {
    const rare = path.join(newFolder(), 'rare');
    const kept = all(samples).filter((row) => labelOf(row) !== 2 || row % 40 === 0);
    writeFileSync(rare, BigInt64Array.from(kept, BigInt));
    const few = withLoader(plan, { sampler: 'balanced' });
    few.data = { ...few.data, splits: { train: { part: 'train', count: kept.length, indices: rare } } };
    const rows = (epoch: number) => order(few, epoch).map((position) => kept[position] as number);
    expect(rows(0)).toHaveLength(kept.length);
    for (const share of shares(rows(0))) expect(Math.abs(share - 1 / classes)).toBeLessThan(0.03);
    expect(rows(3)).toEqual(rows(3));
    expect(rows(3)).not.toEqual(rows(0));
  });

  test('weighted draws by the weights of the classes, and nothing of a weight of 0', () => {
    const drawn = order(withLoader(plan, { sampler: 'weighted', class_weights: [0, 1, 1, 0, 4] }));
    const [a, b, c, d, e] = shares(drawn) as [number, number, number, number, number];
    expect([a, d]).toEqual([0, 0]);
    const sizes = shares(all(samples));
    const total = (sizes[1] ?? 0) + (sizes[2] ?? 0) + 4 * (sizes[4] ?? 0);
    for (const [found, wanted] of [
      [b, (sizes[1] ?? 0) / total],
      [c, (sizes[2] ?? 0) / total],
      [e, (4 * (sizes[4] ?? 0)) / total],
    ] as const) {
      expect(Math.abs(found - wanted)).toBeLessThan(0.03);
    }
  });

  test('weights that leave nothing to draw, and targets without classes, are refused', () => {
    const none = withLoader(plan, { sampler: 'weighted', class_weights: all(classes).map(() => 0) });
    expect(() => order(none)).toThrow('No sample of the training split has a chance');
    const vectors = tinyPlan(newFolder(), { samples: 20, shape: [3], target: 'vector' });
    expect(() => order(withLoader(vectors, { sampler: 'balanced' }))).toThrow('Samples can only be drawn by class');
  });

  test('a sample that comes twice in an epoch is moved in two ways', async () => {
    const folder = newFolder();
    const flip = [{ kind: 'RandomHorizontalFlip', args: { p: 0.5 } }];
    const images = tinyPlan(folder, { samples: 30, shape: [1, 1, 8] }, { transforms: flip });
    const drawn = withLoader(images, { sampler: 'balanced', batch_size: 30 });
    const file = path.join(folder, 'batches');
    runPlain(drawn, folder, ['--batches', file, '--epochs', '4']);
    const tensors = await readTensors(file);
    const ways = all(4).flatMap((epoch) => {
      const pixels = tensors.get(`${epoch}.0.input`)?.values ?? [];
      const seen = new Map<number, Set<string>>();
      for (const [i, row] of order(drawn, epoch).entries()) {
        seen.set(row, (seen.get(row) ?? new Set()).add(pixels.slice(i * 8, i * 8 + 8).join()));
      }
      return [...seen.values()].map((set) => set.size);
    });
    expect(Math.max(...ways)).toBe(2);
  });
});

const longest = 24;
const padding = 0;

/** Sequences of 1 to 24 tokens and then padding; the 7th is padding alone. Each token tells its row and position. */
function writeSequences(folder: string, samples: number) {
  mkdirSync(folder, { recursive: true });
  const lengths = all(samples).map((row) => (row === 7 ? 0 : 1 + (byteAt(row * 3) % longest)));
  const tokens = lengths.flatMap((length, row) =>
    all(longest).map((i) => (i < length ? 1 + ((row * 31 + i * 7) % 49) : padding)),
  );
  const [input, target] = [path.join(folder, 'tokens'), path.join(folder, 'labels')];
  writeFileSync(input, BigInt64Array.from(tokens, BigInt));
  writeFileSync(
    target,
    BigInt64Array.from(all(samples), (row) => BigInt(labelOf(row))),
  );
  const column = { dtype: 'int64' as const, scaled: false };
  const part = {
    count: samples,
    input: { path: input, shape: [longest], ...column },
    target: { path: target, shape: [], ...column },
  };
  return { lengths, tokens, part };
}

/** A plan of these layers on them. */
function sequencePlan(folder: string, samples: number, layers: unknown[], loader: Partial<NativePlan['loader']>) {
  const { lengths, tokens, part } = writeSequences(path.join(folder, 'data'), samples);
  const made = tinyPlan(path.join(folder, 'other'), { shape: [longest], tokens: 50 }, {}, layers);
  const plan = withLoader(made, { batch_size: 8, padding, shortest: 1, ...loader });
  plan.data = { parts: { train: part }, splits: { train: { part: 'train', count: samples } } };
  return { plan, lengths, tokens };
}

const embedding = { kind: 'Embedding', num_embeddings: 50, embedding_dim: 6, padding_idx: padding, mask_padding: true };
const bag = { kind: 'EmbeddingBag', num_embeddings: 50, embedding_dim: 6, padding_idx: padding };
const head = { kind: 'Linear', out_features: classes };

describe('sequences of like length', () => {
  const samples = 1003; // the last batch is short
  const folder = newFolder();
  const { plan, lengths, tokens } = sequencePlan(folder, samples, [bag, head], {});
  const cutLength = (rows: number[]) => Math.max(...rows.map((row) => lengths[row] || longest));

  test('come together: each once, by chance, in batches cut to their longest', async () => {
    const file = path.join(folder, 'batches');
    runPlain(plan, folder, ['--batches', file, '--epochs', '2']);
    const tensors = await readTensors(file);
    let positions = 0;
    for (const epoch of [0, 1]) {
      const rows = order(plan, epoch);
      expect(sorted(rows)).toEqual(all(samples));
      for (let batch = 0; batch * 8 < samples; batch++) {
        const held = rows.slice(batch * 8, batch * 8 + 8);
        const length = cutLength(held);
        positions += length * held.length;
        expect(tensors.get(`${epoch}.${batch}.input`)).toEqual({
          shape: [held.length, length],
          values: held.flatMap((row) => tokens.slice(row * longest, row * longest + length)),
        });
        expect(tensors.get(`${epoch}.${batch}.target`)?.values).toEqual(held.map(labelOf));
      }
    }
    // Grouped, hardly more than the tokens themselves is left; without grouping batches of 8 would keep nine tenths of all positions.
    const needed = 2 * lengths.reduce((sum, length) => sum + (length || longest), 0);
    expect(positions).toBeLessThan(1.1 * needed);
    expect(positions).toBeLessThan(0.62 * 2 * samples * longest);
    // Splits are read whole.
    expect(tensors.get('train.0.input')?.shape).toEqual([8, longest]);
    const batchLengths = all(125).map((batch) => cutLength(order(plan).slice(batch * 8, batch * 8 + 8)));
    expect(batchLengths).not.toEqual(sorted(batchLengths));
    expect(order(plan, 1)).not.toEqual(order(plan));
  });

  test('drop_last leaves out samples of any length', () => {
    const last = (epoch: number) => order(plan, epoch).slice(1000);
    const left = all(60).flatMap((epoch) => last(epoch).map((row) => lengths[row] ?? 0));
    expect(Math.min(...left)).toBeLessThan(6);
    expect(Math.max(...left)).toBeGreaterThan(18);
  });

  test('the stored order is kept where it is asked for', () => {
    expect(order(withLoader(plan, { shuffle: false }))).toEqual(all(samples));
  });

  test('are cut no further than the network can take', async () => {
    const file = path.join(folder, 'short');
    runPlain(withLoader(plan, { shortest: 20 }), folder, ['--batches', file]);
    const tensors = await readTensors(file);
    const widths = all(125).map((batch) => tensors.get(`0.${batch}.input`)?.shape[1] ?? 0);
    expect(Math.min(...widths)).toBe(20);
  });

  test.each([
    ['a bag', [bag, head]],
    ['a masked mean', [embedding, { kind: 'MeanOverSequence' }, head]],
    ['a masked LSTM', [embedding, { kind: 'LSTM', hidden_size: 5, output: 'last' }, head]],
  ])('%s: what is trained is the same as on whole sequences', async (_name, layers) => {
    const own = newFolder();
    const cut = sequencePlan(own, 64, layers as unknown[], { shuffle: false, num_workers: 2 }).plan;
    const whole = withLoader(cut, { padding: null });
    const [a, b] = await Promise.all(
      [cut, whole].map(async (each) => {
        const session = await loadAddon().createSession(JSON.stringify(each));
        const { columns } = await session.trainSteps(stepsRequest(8));
        const { loss } = await session.evaluate({ split: 'train', batch_size: 64, confusion: false });
        await session.close();
        return [...columns.loss, loss];
      }),
    );
    expect(a).toHaveLength(9);
    for (const [i, value] of (a as number[]).entries()) expect(value).toBeCloseTo((b as number[])[i] as number, 5);
  });
});
