/** Packs and splits: exact content, made once, whole or not at all, and drawn as the project says. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResolvedSource } from '../../engine/contract/project.ts';
import { splitCounts } from '../../engine/contract/splits.ts';
import { describeSource, makeSplits, type PackOptions, packSource } from '../../engine/data/index.ts';
import { counting, folderOf, idxBytes, testFolder } from './idx-writer.ts';
import { inReadOnly } from './unprivileged.ts';

/** Stands for the addon: the numbers do not matter here, test/native and test/parity compare them with PyTorch's. */
const addon = {
  async writeRandom(request: { shape: number[]; samples: number; seed: number; input: string; target: string }) {
    const width = request.shape.reduce((a, b) => a * b, 1);
    await writeFile(request.input, new Float32Array(request.samples * width).fill(request.seed));
    await writeFile(request.target, new BigInt64Array(request.samples).fill(1n));
  },
  randperm: (n: number, seed: number) => Float64Array.from({ length: n }, (_, i) => (i * 7 + seed) % n), // n prime to 7
};

const pack = (source: ResolvedSource, cacheDir: string, more: Partial<PackOptions> = {}) =>
  packSource(source, '/', { cacheDir, addon, ...more });

const small = (values = [3, 0, 1]) =>
  folderOf({
    'train-images-idx3-ubyte.gz': idxBytes([3, 2, 2], counting([12])),
    'train-labels-idx1-ubyte.gz': idxBytes([3], values),
    't10k-images-idx3-ubyte': idxBytes([1, 2, 2], [9, 8, 7, 255]),
    't10k-labels-idx1-ubyte': idxBytes([1], [2]),
  });

describe('packs', () => {
  test('rows of tokens, with chunks that end within a row', async () => {
    const rows = 30_000;
    const values = Array.from({ length: rows * 7 }, (_, i) => (i * i) % 300);
    const path = folderOf({ 'tokens.idx.gz': idxBytes([rows, 7], values, 11) });
    const { folder, facts } = await pack({ kind: 'idx', path, target: 'next_token' }, testFolder());
    expect(facts.target).toEqual({ kind: 'next_token', dims: [6], tokens: 290 });
    const read = (role: string) => {
      const bytes = new Uint8Array(readFileSync(join(folder, `train.${role}.bin`)));
      return [...new BigInt64Array(bytes.buffer)].map(Number);
    };
    expect(read('input')).toEqual(values.filter((_, i) => i % 7 < 6));
    expect(read('target')).toEqual(values.filter((_, i) => i % 7 > 0));
  });

  test('inputs that are their own targets are scaled alike', async () => {
    const { folder, facts, parts } = await pack({ kind: 'idx', path: small(), target: 'input' }, testFolder());
    expect(facts.target).toEqual({ kind: 'vector', dims: [1, 2, 2] });
    expect(parts.test?.target).toMatchObject({ dtype: 'float32', shape: [1, 2, 2], scaled: false });
    const targets = new Float32Array(new Uint8Array(readFileSync(join(folder, 'test.target.bin'))).buffer);
    expect([...targets]).toEqual([9, 8, 7, 255].map((byte) => Math.fround(byte / 255)));
  });

  test('hold exactly what the files hold', async () => {
    const cache = testFolder();
    const { folder, facts, parts, hash } = await pack({ kind: 'idx', path: small() }, cache);
    expect(facts).toMatchObject({
      input: { dims: [1, 2, 2] },
      target: { classes: ['0', '1', '2', '3'] },
      parts: { train: 3, test: 1 },
    });
    expect(parts).toEqual({
      train: {
        count: 3,
        input: { path: join(folder, 'train.input.bin'), dtype: 'uint8', shape: [1, 2, 2], scaled: true },
        target: { path: join(folder, 'train.target.bin'), dtype: 'int64', shape: [], scaled: false },
      },
      test: {
        count: 1,
        input: { path: join(folder, 'test.input.bin'), dtype: 'uint8', shape: [1, 2, 2], scaled: true },
        target: { path: join(folder, 'test.target.bin'), dtype: 'int64', shape: [], scaled: false },
      },
    });
    expect([...readFileSync(join(folder, 'train.input.bin'))]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(readFileSync(join(folder, 'train.target.bin'))).toEqual(Buffer.from(new BigInt64Array([3n, 0n, 1n]).buffer));
    expect([...readFileSync(join(folder, 'test.input.bin'))]).toEqual([9, 8, 7, 255]);
    expect(JSON.parse(readFileSync(join(folder, 'pack.json'), 'utf8'))).toMatchObject({
      version: 1,
      hash,
      classes: ['0', '1', '2', '3'],
      parts: { train: { count: 3 }, test: { count: 1 } },
      columns: [
        { name: 'input', role: 'input', dtype: 'uint8', shape: [1, 2, 2] },
        { name: 'target', role: 'target', dtype: 'int64', shape: [] },
      ],
    });
  });

  test.each([9, 11, 12, 13, 14] as const)('IDX type %i becomes float32, whatever the chunks', async (code) => {
    const dims = [70_000, 3]; // more than one chunk, and for the wider types elements that straddle chunks' ends
    const values = Array.from({ length: 210_000 }, (_, i) => (i % 251) - 125);
    const folder = folderOf({
      'images.gz': idxBytes(dims, values, code),
      labels: idxBytes([70_000], Array(70_000).fill(1)),
    });
    const { parts } = await pack({ kind: 'idx', path: folder }, testFolder());
    expect(parts.train?.input).toMatchObject({ dtype: 'float32', shape: [3], scaled: false });
    const packed = readFileSync(parts.train?.input.path as string);
    expect(packed.equals(Buffer.from(new Float32Array(values).buffer))).toBe(true);
  });

  test('byte targets of higher rank are scaled as PyTorch scales them', async () => {
    const folder = folderOf({ images: idxBytes([2, 2], [1, 2, 3, 4]), targets: idxBytes([2, 2], [0, 51, 102, 255]) });
    const { parts } = await pack({ kind: 'idx', path: folder, target: 'vector' }, testFolder());
    const packed = new Float32Array(Uint8Array.from(readFileSync(parts.train?.target.path as string)).buffer);
    expect([...packed]).toEqual([0, Math.fround(0.2), Math.fround(0.4), 1]);
  });

  test('are made once and answered at once afterwards; equal content has an equal hash', async () => {
    const cache = testFolder();
    const source = { kind: 'idx' as const, path: small() };
    const first = await pack(source, cache);
    let reported = 0;
    const second = await pack(source, cache, { onProgress: () => reported++ });
    expect(second).toEqual(first);
    expect(reported).toBe(0);
    const copy = await pack({ kind: 'idx', path: small() }, cache);
    expect(copy.folder).not.toBe(first.folder);
    expect(copy.hash).toBe(first.hash);
  });

  test('a changed source gives another pack and hash', async () => {
    const cache = testFolder();
    const path = small();
    const before = await pack({ kind: 'idx', path }, cache);
    writeFileSync(join(path, 't10k-labels-idx1-ubyte'), idxBytes([1], [1]));
    utimesSync(join(path, 't10k-labels-idx1-ubyte'), new Date(), new Date(Date.now() + 5000));
    const after = await pack({ kind: 'idx', path }, cache);
    expect(after.folder).not.toBe(before.folder);
    expect(after.hash).not.toBe(before.hash);
  });

  test.each(['train.input.bin', 'pack.json'])('a damaged pack (%s cut) is made again', async (file) => {
    const cache = testFolder();
    const source = { kind: 'idx' as const, path: small() };
    const first = await pack(source, cache);
    truncateSync(join(first.folder, file), 5);
    expect(await pack(source, cache)).toEqual(first);
    expect(readFileSync(join(first.folder, 'train.input.bin')).length).toBe(12);
    expect(readdirSync(join(cache, 'packs'))).toHaveLength(1);
  });

  test('several packers at once agree', async () => {
    const cache = testFolder();
    const source = { kind: 'idx' as const, path: small() };
    const packs = await Promise.all(Array.from({ length: 6 }, () => pack(source, cache)));
    expect(new Set(packs.map(({ folder }) => folder)).size).toBe(1);
    expect(readdirSync(join(cache, 'packs'))).toHaveLength(1);
  });

  test('progress climbs to the files’ size; cancelling leaves nothing behind', async () => {
    const cache = testFolder();
    const count = 4000;
    const path = folderOf({
      images: idxBytes([count, 28, 28], counting([count, 28, 28])),
      labels: idxBytes([count], Array(count).fill(0)),
    });
    const stop = new AbortController();
    const cancelled = pack({ kind: 'idx', path }, cache, {
      signal: stop.signal,
      onProgress: ({ done }) => done > 500_000 && stop.abort(),
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(readdirSync(join(cache, 'packs'))).toEqual([]);
    const seen: number[] = [];
    await pack({ kind: 'idx', path }, cache, { onProgress: ({ done }) => seen.push(done) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(16 + count * 784 + 8 + count);
  });

  test('a source that fails in mid-file leaves no pack', async () => {
    const cache = testFolder();
    const noise = Array.from({ length: 500_000 }, (_, i) => (i * i * 7919) % 253);
    const path = folderOf({ 'images.gz': idxBytes([500, 1000], noise), labels: idxBytes([500], Array(500).fill(0)) });
    const file = join(path, 'images.gz');
    const bytes = readFileSync(file);
    bytes[bytes.length - 6] = (bytes[bytes.length - 6] as number) ^ 0xff; // the check sum
    writeFileSync(file, bytes);
    await expect(pack({ kind: 'idx', path }, cache)).rejects.toMatchObject({ code: 'DATA_FORMAT', path: file });
    expect(readdirSync(join(cache, 'packs'))).toEqual([]);
  });

  test('a cache that may not be written is said', async () => {
    const cache = testFolder();
    const path = small();
    chmodSync(path, 0o755);
    await inReadOnly(cache, () =>
      expect(pack({ kind: 'idx', path }, cache)).rejects.toMatchObject({ code: 'NOT_WRITABLE' }),
    );
  });

  test('random samples', async () => {
    const cache = testFolder();
    const source = {
      kind: 'random' as const,
      shape: [2, 2],
      classes: 3,
      target_shape: [],
      samples: 5,
      seed: 4,
      tokens: null,
    };
    const first = await pack(source, cache);
    expect(first.facts).toEqual({
      input: { dims: [2, 2], dtype: 'float32' },
      target: { kind: 'class', classes: ['0', '1', '2'] },
      parts: { train: 5 },
    });
    expect(readFileSync(first.parts.train?.input.path as string).length).toBe(5 * 4 * 4);
    expect((await pack({ ...source, seed: 5 }, cache)).hash).not.toBe(first.hash);
    const tokens = await describeSource({ ...source, tokens: 7 }, '/');
    expect(tokens.input).toEqual({ dims: [2, 2], dtype: 'int64', tokens: 7 });
  });
});

describe('splits', () => {
  const labelled = async (labels: number[], test = false) => {
    const images = (n: number) => idxBytes([n, 1], counting([n]));
    const path = folderOf({
      'train-images': images(labels.length),
      'train-labels': idxBytes([labels.length], labels),
      ...(test ? { 'test-images': images(2), 'test-labels': idxBytes([2], [0, 1]) } : {}),
    });
    return pack({ kind: 'idx', path }, testFolder());
  };
  const read = (file: string) => [...new BigInt64Array(Uint8Array.from(readFileSync(file)).buffer)].map(Number);

  test('a fraction, in the order of randperm', async () => {
    const data = await labelled([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    const run = testFolder();
    const { splits } = await makeSplits(data, { val: 0.25, seed: 3, stratify: false }, addon, run);
    // 10 samples, order 3 0 7 …: round(2.5) = 3 validate
    expect(splits.val).toEqual({ part: 'train', count: 3, indices: join(run, 'split', 'val.i64') });
    expect(read(splits.val?.indices as string)).toEqual([0, 3, 7]);
    expect(read(splits.train.indices as string)).toEqual([1, 2, 4, 5, 6, 8, 9]);
    expect(splits.test).toBeUndefined();
  });

  test('stratified: each class gives its share', async () => {
    const data = await labelled([0, 0, 0, 0, 0, 0, 0, 0, 1, 1], true);
    const { splits } = await makeSplits(data, { val: 0.5, seed: 0, stratify: true }, addon, testFolder());
    // order 0 7 4 1 8 5 2 9 6 3: of class 0 the first four, of class 1 the first
    expect(read(splits.val?.indices as string)).toEqual([0, 1, 4, 7, 8]);
    expect(splits.test).toEqual({ part: 'test', count: 2 });
  });

  test('stratified over more classes than there are shares: as many validate as the plan counts', async () => {
    const data = await labelled([3, 1, 2, 4, 0, 1, 5, 3, 2, 6, 7, 8, 9, 0, 5, 4]);
    const split = { val: 0.1, seed: 0, stratify: true };
    const { splits } = await makeSplits(data, split, addon, testFolder());
    const planned = splitCounts(data.facts, split);
    expect([splits.train.count, splits.val?.count]).toEqual([14, 2]);
    expect(planned).toEqual({ train: 14, val: 2, test: null });
  });

  test('the test part validates', async () => {
    const data = await labelled([0, 1, 0], true);
    const run = testFolder();
    const { splits } = await makeSplits(data, { val: 'test', seed: 0, stratify: true }, addon, run);
    expect(splits).toEqual({
      train: { part: 'train', count: 3 },
      val: { part: 'test', count: 2 },
      test: { part: 'test', count: 2 },
    });
    expect(existsSync(join(run, 'split'))).toBe(false);
  });

  test('the hash tells divisions apart and is the same when drawn again', async () => {
    const data = await labelled([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], true);
    const hash = async (val: number | 'test', seed: number) =>
      (await makeSplits(data, { val, seed, stratify: false }, addon, testFolder())).hash;
    expect(await hash(0.2, 1)).toBe(await hash(0.2, 1));
    const all = await Promise.all([hash(0.2, 1), hash(0.2, 2), hash(0.3, 1), hash('test', 1), hash(0, 1)]);
    expect(new Set(all).size).toBe(5);
  });

  test('a division that leaves nothing, or a test part that is not there', async () => {
    const data = await labelled([0, 1, 2]);
    const divide = (val: number | 'test') => makeSplits(data, { val, seed: 0, stratify: true }, addon, testFolder());
    await expect(divide(0.1)).rejects.toMatchObject({ code: 'PROJECT_INVALID', path: 'data.split.val' });
    await expect(divide('test')).rejects.toMatchObject({ code: 'PROJECT_INVALID', hint: expect.any(String) });
    rmSync(data.folder, { recursive: true });
  });
});
