/** The npy source: what NumPy writes is read as NumPy reads it, arrays are paired, and what cannot be read is said. */
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { type ResolvedSource, resolveProject } from '../../engine/contract/project.ts';
import { guessLayout } from '../../engine/data/arrays/layout.ts';
import { parseNpyHeader } from '../../engine/data/arrays/npy-format.ts';
import { describeSource, packSource } from '../../engine/data/index.ts';
import { openSource } from '../../engine/data/source.ts';
import { counting, folderOf, testFolder } from './idx-writer.ts';
import { float32, int64, npyBytes, npzBytes } from './npy-writer.ts';

const addon = { writeRandom: async () => {} };

type Settings = Omit<Extract<ResolvedSource, { kind: 'npy' }>, 'kind' | 'path'>;

const source = (path: string, settings: Settings = {}) =>
  resolveProject({ data: { source: { kind: 'npy', path, ...settings } } }).data.source as ResolvedSource;
const facts = (path: string, settings?: Settings) => describeSource(source(path, settings), '/');

async function packed(path: string, settings?: Settings) {
  const pack = await packSource(source(path, settings), '/', { cacheDir: testFolder(), addon });
  const read = (role: 'input' | 'target', part = 'train') =>
    new Uint8Array(readFileSync(join(pack.folder, `${part}.${role}.bin`)));
  const numbers = (role: 'input' | 'target', part?: string) => {
    const bytes = read(role, part).buffer;
    const dtype = pack.parts[part ?? 'train']?.[role].dtype;
    if (dtype === 'uint8') return [...new Uint8Array(bytes)];
    return dtype === 'int64' ? [...new BigInt64Array(bytes)].map(Number) : [...new Float32Array(bytes)];
  };
  return { ...pack, numbers };
}

async function archive(arrays: Record<string, Buffer>, options?: { compress?: boolean }): Promise<string> {
  const file = join(testFolder(), 'data.npz');
  await writeFile(file, await npzBytes(arrays, options));
  return file;
}

const images = (count: number, dims = [2, 3]) => npyBytes([count, ...dims], Buffer.from(counting([count, ...dims])));
const labels = (values: number[]) => int64([values.length], values);

describe('arrays are found and paired', () => {
  test.each([
    ['x_train', 'y_train', 'x_test', 'y_test'],
    ['X_train', 'Y_train', 'X_test', 'Y_test'],
    ['train_images', 'train_labels', 'test_images', 'test_labels'],
    ['trainX', 'trainY', 'testX', 'testY'],
    ['train_data', 'train_target', 'test_data', 'test_target'],
  ])('%s and %s, with a test part', async (x, y, testX, testY) => {
    const arrays = { [x]: images(3), [y]: labels([0, 2, 1]), [testX]: images(2), [testY]: labels([1, 1]) };
    const expected = {
      input: { dims: [1, 2, 3], dtype: 'float32' },
      target: { kind: 'class', classes: ['0', '1', '2'], counts: [1, 1, 1] },
      parts: { train: 3, test: 2 },
    };
    expect(await facts(await archive(arrays))).toMatchObject(expected);
    const files = Object.fromEntries(Object.entries(arrays).map(([name, bytes]) => [`${name}.npy`, bytes]));
    expect(await facts(folderOf(files))).toMatchObject(expected);
  });

  test.each([
    ['X', 'y'],
    ['images', 'labels'],
    ['data', 'target'],
    ['arr_0', 'arr_1'],
    ['arr_1', 'arr_0'],
    ['apples', 'colours'],
  ])('%s and %s', async (x, y) => {
    const file = await archive({ [x]: images(3), [y]: labels([0, 1, 1]) });
    expect((await facts(file)).parts).toEqual({ train: 3 });
  });

  test('a validation part is one of its own; gzipped files are read; columns of labels are labels', async () => {
    const column = (values: number[]) => npyBytes([values.length, 1], Buffer.from(values));
    const folder = folderOf({
      'train_images.npy.gz': images(3, [2, 2, 3]),
      'train_labels.npy.gz': column([0, 1, 2]),
      'val_images.npy': images(2, [2, 2, 3]),
      'val_labels.npy': column([0, 1]),
      'test_images.npy': images(1, [2, 2, 3]),
      'test_labels.npy': column([1]),
    });
    expect(await facts(folder)).toMatchObject({
      input: { dims: [3, 2, 2] },
      target: { kind: 'class', classes: ['0', '1', '2'] },
      parts: { train: 3, val: 2, test: 1 },
    });
  });

  test('an archive a part', async () => {
    const folder = testFolder();
    for (const [part, count] of [
      ['train', 3],
      ['test', 2],
    ] as const) {
      const arrays = { x: images(count), y: labels(Array(count).fill(0)) };
      writeFileSync(join(folder, `${part}.npz`), await npzBytes(arrays));
    }
    expect((await facts(folder)).parts).toEqual({ train: 3, test: 2 });
  });

  test('one file of several finds its partner by name', async () => {
    const folder = folderOf({
      'a-images.npy': images(3),
      'a-labels.npy': labels([0, 1, 0]),
      'b-images.npy': images(2),
      'b-labels.npy': labels([0, 1]),
    });
    expect((await facts(join(folder, 'b-images.npy'))).parts).toEqual({ train: 2 });
    await expect(facts(folder)).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      hint: expect.stringContaining('source.x'),
    });
    expect((await facts(folder, { x: 'a-images', y: 'a-labels' })).parts).toEqual({ train: 3 });
    await expect(facts(folder, { x: 'c' })).rejects.toMatchObject({ message: expect.stringContaining('no array "c"') });
  });

  test('the arrays that are said are taken, whatever they are called', async () => {
    const file = await archive({
      p: images(3),
      q: labels([0, 1, 2]),
      r: images(2),
      s: labels([0, 1]),
      t: labels([1, 1, 1]),
    });
    const named = await facts(file, { x: 'p', y: 'q', x_test: 'r', y_test: 's' });
    expect(named).toMatchObject({ parts: { train: 3, test: 2 }, target: { classes: ['0', '1', '2'] } });
  });
});

describe('elements', () => {
  const of = async (descr: string, bytes: ArrayBuffer | Buffer) => {
    const data = new Uint8Array(bytes as ArrayBuffer);
    const x = npyBytes([3, 1], data, { descr: `'${descr}'` });
    const { numbers } = await packed(await archive({ x, y: labels([0, 1, 0]) }));
    return numbers('input');
  };
  const big = (bytes: number, values: number[], put: (view: DataView, at: number, value: number) => void) => {
    const view = new DataView(new ArrayBuffer(bytes * values.length));
    for (const [i, value] of values.entries()) put(view, i * bytes, value);
    return view.buffer;
  };

  test('of every numeric type', async () => {
    expect(await of('<f4', new Float32Array([1.5, -2, 1e-3]).buffer)).toEqual([1.5, -2, Math.fround(1e-3)]);
    expect(await of('<f8', new Float64Array([0.1, -2, 1e300]).buffer)).toEqual([Math.fround(0.1), -2, Infinity]);
    expect(await of('<f2', new Uint16Array([0x3c00, 0xc100, 0x0001]).buffer)).toEqual([1, -2.5, Math.fround(2 ** -24)]);
    expect(await of('<f2', new Uint16Array([0x7c00, 0xfc00, 0x7bff]).buffer)).toEqual([Infinity, -Infinity, 65504]);
    expect(await of('|i1', new Int8Array([1, -2, 127]).buffer)).toEqual([1, -2, 127]);
    expect(await of('<i2', new Int16Array([1, -2, 3]).buffer)).toEqual([1, -2, 3]);
    expect(await of('<u2', new Uint16Array([1, 65535, 3]).buffer)).toEqual([1, 65535, 3]);
    expect(await of('<i4', new Int32Array([1, -2, 3]).buffer)).toEqual([1, -2, 3]);
    expect(await of('<u4', new Uint32Array([1, 2 ** 31, 3]).buffer)).toEqual([1, 2 ** 31, 3]);
    expect(await of('<i8', new BigInt64Array([1n, -2n, 2n ** 40n]).buffer)).toEqual([1, -2, 2 ** 40]);
    expect(await of('<u8', new BigUint64Array([1n, 2n ** 63n, 3n]).buffer)).toEqual([1, 2 ** 63, 3]);
    expect(await of('|b1', new Uint8Array([1, 0, 1]).buffer)).toEqual([1, 0, 1]);
    expect(await of('|u1', new Uint8Array([1, 0, 255]).buffer)).toEqual([1, 0, 255]);
  });

  test('with the high byte first', async () => {
    expect(
      await of(
        '>f4',
        big(4, [1.5, -2, 7], (view, at, value) => view.setFloat32(at, value)),
      ),
    ).toEqual([1.5, -2, 7]);
    expect(
      await of(
        '>f8',
        big(8, [1.5, -2, 7], (view, at, value) => view.setFloat64(at, value)),
      ),
    ).toEqual([1.5, -2, 7]);
    expect(
      await of(
        '>i2',
        big(2, [1, -2, 7], (view, at, value) => view.setInt16(at, value)),
      ),
    ).toEqual([1, -2, 7]);
    expect(
      await of(
        '>i8',
        big(8, [1, -2, 7], (view, at, value) => view.setBigInt64(at, BigInt(value))),
      ),
    ).toEqual([1, -2, 7]);
  });

  test.each([1, 2, 3] as const)('behind a header of version %i', async (version) => {
    const x = npyBytes([2, 2], new Uint8Array([1, 2, 3, 4]), { version });
    const { numbers, parts } = await packed(folderOf({ 'x.npy': x, 'y.npy': labels([0, 1]) }));
    expect(numbers('input')).toEqual([1, 2, 3, 4]);
    expect(parts.train?.input).toMatchObject({ dtype: 'uint8', scaled: true, shape: [2] });
  });

  test.each([
    ['in a file', 'file'],
    ['stored in an archive', 'stored'],
    ['deflated in an archive', 'deflated'],
  ])('whose first dim is the fastest, %s', async (_, where) => {
    const [n, a, b] = [5, 3, 2];
    const at = (i: number, j: number, k: number) => i * 100 + j * 10 + k;
    const values: number[] = [];
    for (let k = 0; k < b; k++) for (let j = 0; j < a; j++) for (let i = 0; i < n; i++) values.push(at(i, j, k));
    const x = npyBytes([n, a, b], new Uint8Array(new Float32Array(values).buffer), { descr: "'<f4'", fortran: true });
    const y = labels([0, 1, 0, 1, 0]);
    const path =
      where === 'file'
        ? folderOf({ 'x.npy': x, 'y.npy': y })
        : await archive({ x, y }, { compress: where === 'deflated' });
    const expected: number[] = [];
    for (let i = 0; i < n; i++) for (let j = 0; j < a; j++) for (let k = 0; k < b; k++) expected.push(at(i, j, k));
    expect((await packed(path)).numbers('input')).toEqual(expected);
    const opened = await openSource(source(path), '/');
    const rows = opened.rows?.('train', { mostBytes: 1 << 20, unpacked: null });
    expect((await rows?.inputs([1, 4]))?.map((row) => [...row])).toEqual([
      expected.slice(6, 12),
      expected.slice(24, 30),
    ]);
  });
});

describe('images', () => {
  test.each<[number[], string]>([
    [[9, 28, 28, 3], 'channels_last'],
    [[9, 28, 28, 1], 'channels_last'],
    [[9, 32, 32, 4], 'channels_last'],
    [[9, 3, 32, 32], 'channels_first'],
    [[9, 1, 28, 28], 'channels_first'],
    [[9, 3, 8, 3], 'channels_first'],
    [[9, 4, 4, 3], 'channels_last'],
    [[9, 3, 3, 3], 'channels_first'],
    [[9, 7, 8, 9], 'channels_first'],
  ])('%j: %s', (dims, layout) => {
    expect(guessLayout(dims)?.layout).toBe(layout);
  });

  test('channels at the end come to the front, in packs and previews, and the layout may be said', async () => {
    const values = counting([2, 2, 2, 3]);
    const path = await archive(
      { x: npyBytes([2, 2, 2, 3], Buffer.from(values)), y: labels([0, 1]) },
      { compress: false },
    );
    const { numbers, facts: known, parts } = await packed(path);
    expect(known.input.dims).toEqual([3, 2, 2]);
    expect(parts.train?.input).toMatchObject({ dtype: 'uint8', scaled: true });
    const expected = [0, 1].flatMap((n) => [0, 1, 2].flatMap((c) => [0, 1, 2, 3].map((p) => n * 12 + p * 3 + c)));
    expect(numbers('input')).toEqual(expected);
    const opened = await openSource(source(path), '/');
    const rows = opened.rows?.('train', { mostBytes: 1 << 20, unpacked: null });
    const [second] = (await rows?.inputs([1])) ?? [];
    expect([...(second ?? [])]).toEqual(expected.slice(12).map((value) => Math.fround(value / 255)));
    expect(opened.notes?.[0]?.message).toMatch(/height, width, channels/);
    expect((await facts(path, { layout: 'channels_first' })).input.dims).toEqual([2, 2, 3]);
  });

  test('what is no image stays as it is', async () => {
    const path = await archive({ x: float32([2, 5, 3], counting([30])), y: labels([0, 1]) });
    expect((await facts(path)).input.dims).toEqual([1, 5, 3]);
    expect((await facts(path, { layout: 'as_is' })).input.dims).toEqual([5, 3]);
  });
});

describe('targets', () => {
  const target = async (y: Buffer, settings?: Settings) => await packed(await archive({ x: images(3), y }), settings);

  test('rows of zeros and a 1 are classes, also where they are floats, and a class that nobody has counts', async () => {
    for (const y of [
      int64([3, 4], [0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
      float32([3, 4], [0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
    ]) {
      const { facts: known, numbers } = await target(y);
      expect(known.target).toMatchObject({ kind: 'class', classes: ['0', '1', '2', '3'], counts: [1, 2, 0, 0] });
      expect(numbers('target')).toEqual([1, 0, 1]);
    }
  });

  test('rows of several ones are labels, floats vectors, whole numbers classes', async () => {
    expect((await target(int64([3, 2], [1, 1, 0, 1, 0, 0]))).facts.target.kind).toBe('multi_label');
    expect((await target(float32([3, 2], [0.5, 1, 0, 1, 0, 0]))).facts.target).toEqual({ kind: 'vector', dims: [2] });
    expect((await target(float32([3], [0.5, 1, 0]))).facts.target).toEqual({ kind: 'vector', dims: [1] });
    expect((await target(float32([3], [1, 2, 0]))).facts.target).toEqual({ kind: 'vector', dims: [1] });
    expect((await target(float32([3], [1, 2, 0]), { target: 'class' })).numbers('target')).toEqual([1, 2, 0]);
    await expect(target(float32([3], [1, 2.5, 0]), { target: 'class' })).rejects.toMatchObject({
      code: 'LABEL_RANGE',
      message: expect.stringContaining('2.5 at sample 1'),
    });
    await expect(target(labels([0, -1, 2]))).rejects.toMatchObject({ code: 'LABEL_RANGE' });
  });

  test('tokens: as inputs of classes, and as the next of their row', async () => {
    const x = int64([2, 3], [5, 1, 2, 3, 4, 0]);
    const path = await archive({ x, y: labels([0, 1]) });
    expect((await facts(path, { tokens: true })).input).toEqual({ dims: [3], dtype: 'int64', tokens: 6 });
    expect((await packed(path, { tokens: true })).numbers('input')).toEqual([5, 1, 2, 3, 4, 0]);
    const next = await packed(path, { target: 'next_token' });
    expect(next.facts.target).toEqual({ kind: 'next_token', dims: [2], tokens: 6 });
    expect(next.numbers('target')).toEqual([1, 2, 4, 0]);
    const floats = await archive({ x: float32([2, 3], [5, 1, 2, 3, 4, 0]), y: labels([0, 1]) });
    await expect(facts(floats, { tokens: true })).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });

  test('the inputs themselves', async () => {
    const path = await archive({ x: images(2, [2, 2, 3]) });
    expect((await facts(path, { target: 'input' })).target).toEqual({ kind: 'vector', dims: [3, 2, 2] });
  });
});

describe('what cannot be read is said', () => {
  test.each<[string, string, RegExp]>([
    ["'|O'", 'objects', /Python objects.*pickle.*never runs/],
    ["'<U5'", 'texts', /texts \(dtype <U5\)/],
    ["'|S5'", 'bytes', /texts/],
    ["'<c8'", 'complex', /complex/],
    ["'<M8[s]'", 'times', /times/],
    ["'|V2'", 'raw', /raw bytes/],
    ["'<f16'", 'long', /longer than 64 bits/],
    ["[('a', '<f4'), ('b', '<i8', (2,))]", 'structured', /fields a, b/],
  ])('%s (%s)', async (descr, _, message) => {
    const x = npyBytes([2], Buffer.alloc(32), { descr });
    for (const path of [await archive({ x, y: labels([0, 1]) }), join(folderOf({ 'x.npy': x }), 'x.npy')]) {
      const error = await facts(path).then(
        () => null,
        (thrown: GradloomError) => thrown,
      );
      expect(error).toMatchObject({ code: 'DATA_FORMAT', hint: expect.stringMatching(/./) });
      expect(error?.message).toMatch(message);
      expect(error?.message).toContain('x');
    }
  });

  test('arrays of no use are left out with a note where the others are enough', async () => {
    const path = await archive({
      x: images(3),
      y: labels([0, 1, 0]),
      names: npyBytes([3], Buffer.alloc(24), { descr: "'|O'" }),
    });
    const opened = await openSource(source(path), '/');
    expect(opened.parts).toEqual({ train: 3 });
    expect(opened.notes).toContainEqual(expect.objectContaining({ names: ['names'], count: 1 }));
  });

  const whole = images(4);
  test.each<[string, Record<string, Buffer>, string, RegExp]>([
    [
      'cut',
      { 'x.npy': whole.subarray(0, whole.length - 3), 'y.npy': labels([0, 1, 0, 1]) },
      'DATA_TRUNCATED',
      /cut short/,
    ],
    ['too long', { 'x.npy': Buffer.concat([whole, whole]), 'y.npy': labels([0, 1, 0, 1]) }, 'DATA_FORMAT', /too long/],
    ['counts', { 'x.npy': whole, 'y.npy': labels([0, 1]) }, 'DATA_COUNT', /4 samples.*2 targets/],
    ['no labels', { 'x.npy': whole }, 'DATA_MISSING', /no labels/],
    ['no samples', { 'x.npy': npyBytes([0, 3], Buffer.alloc(0)), 'y.npy': labels([0]) }, 'DATA_FORMAT', /no samples/],
    ['a number', { 'x.npy': npyBytes([], Buffer.alloc(1)), 'y.npy': labels([0]) }, 'DATA_FORMAT', /a single value/],
    [
      'no header',
      { 'x.npy': Buffer.from('hello world, no array'), 'y.npy': labels([0]) },
      'DATA_FORMAT',
      /no NumPy array/,
    ],
    ['empty', {}, 'DATA_MISSING', /holds no NumPy arrays/],
  ])('%s', async (_, files, code, message) => {
    const folder = folderOf(files);
    const error = await facts(folder).then(
      () => null,
      (thrown: GradloomError) => thrown,
    );
    expect(error).toMatchObject({ name: 'GradloomError', code, hint: expect.stringMatching(/./) });
    expect(error?.message).toMatch(message);
    expect(error?.path?.startsWith(folder)).toBe(true);
  });

  test('a damaged archive', async () => {
    const path = await archive({ x: images(300), y: labels(Array(300).fill(0)) });
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length - 30));
    await expect(facts(path)).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringContaining('damaged'),
    });
  });
});

test('any bytes behind the magic are a header or refused as such', () => {
  const magic = Buffer.from('\x93NUMPY\x01\x00', 'latin1');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, begun) => {
      try {
        parseNpyHeader(Buffer.concat([begun ? magic : Buffer.alloc(0), bytes]), 'file', 'file');
      } catch (error) {
        expect(['DATA_FORMAT', 'DATA_TRUNCATED']).toContain((error as GradloomError).code);
      }
    }),
  );
});
