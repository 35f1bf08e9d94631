/** The idx source: what is found in a folder, what it says, and each way in which it can be wrong. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { parseIdxHeader } from '../../engine/data/idx/format.ts';
import { readIdxName } from '../../engine/data/idx/names.ts';
import { describeSource } from '../../engine/data/index.ts';
import { counting, folderOf, type IdxCode, idxBytes, testFolder } from './idx-writer.ts';

// Packs that somebody made of the same files before do not answer for them here.
beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const facts = (path: string) => describeSource({ kind: 'idx', path }, '/');

async function refusal(path: string): Promise<GradloomError> {
  return facts(path).then(
    (answer) => {
      throw new Error(`not refused: ${JSON.stringify(answer)}`);
    },
    (error: GradloomError) => error,
  );
}

const images = (count: number) => idxBytes([count, 2, 3], counting([count, 2, 3]));
const labels = (values: number[]) => idxBytes([values.length], values);

describe('what a folder says', () => {
  test('the bundled digits', async () => {
    const folder = new URL('../../assets/data/digits', import.meta.url).pathname;
    expect(await facts(folder)).toEqual({
      input: { dims: [1, 28, 28], dtype: 'float32' },
      target: {
        kind: 'class',
        classes: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
        counts: [814, 927, 785, 844, 781, 678, 801, 847, 748, 775],
        highest: { sample: expect.any(Number), file: join(folder, 'train-labels-idx1-ubyte.gz') },
        second: { label: 8, sample: expect.any(Number), file: join(folder, 'train-labels-idx1-ubyte.gz') },
      },
      parts: { train: 8000, test: 2000 },
    });
  });

  test.each([
    ['MNIST as published', 'train-images-idx3-ubyte', 'train-labels-idx1-ubyte'],
    ['with dots', 'train-images.idx3-ubyte', 'train-labels.idx1-ubyte'],
    ['gzipped, the name silent about it', 'train-images.idx3-ubyte.gz', 'train-labels.idx1-ubyte.gz'],
    ['without a part', 'images', 'labels'],
    ['without a role', 'digits.idx', 'digits.idx1'],
    ['in words of its own', 'apples', 'colours'],
    ['in camel case', 'trainImages.idx', 'trainLabels.idx'],
  ])('%s', async (_, input, target) => {
    const folder = folderOf({ [input]: images(4), [target]: labels([0, 2, 1, 2]) });
    if (input.endsWith('.gz')) {
      renameSync(join(folder, input), join(folder, input.slice(0, -3)));
      renameSync(join(folder, target), join(folder, target.slice(0, -3)));
    }
    writeFileSync(join(folder, 'README.md'), 'not data');
    writeFileSync(join(folder, '.DS_Store'), Buffer.from([0, 0, 8, 1, 0, 0, 0, 1, 1]));
    expect(await facts(folder)).toMatchObject({
      input: { dims: [1, 2, 3] },
      target: { kind: 'class', classes: ['0', '1', '2'] },
      parts: { train: 4 },
    });
  });

  test.each([
    ['t10k', 'test'],
    ['test', 'test'],
    ['val', 'val'],
    ['validation', 'val'],
  ])('a part called %s', async (part, expected) => {
    const folder = folderOf({
      'train-images-idx3-ubyte': images(3),
      'train-labels-idx1-ubyte': labels([0, 1, 1]),
      [`${part}-images-idx3-ubyte`]: images(2),
      [`${part}-labels-idx1-ubyte`]: labels([1, 4]),
    });
    expect(await facts(folder)).toMatchObject({
      target: { classes: ['0', '1', '2', '3', '4'], highest: { sample: 1 } },
    });
    expect((await facts(folder)).parts).toEqual({ train: 3, [expected]: 2 });
  });

  test('a plain file and its gzipped copy are one; subfolders are looked into', async () => {
    const folder = testFolder();
    const raw = join(folder, 'MNIST', 'raw');
    mkdirSync(raw, { recursive: true });
    for (const [name, content] of [
      ['train-images-idx3-ubyte', images(3)],
      ['train-labels-idx1-ubyte', labels([0, 1, 1])],
    ] as const) {
      writeFileSync(join(raw, name), content);
      writeFileSync(join(raw, `${name}.gz`), gzipSync(content));
    }
    expect((await facts(folder)).parts).toEqual({ train: 3 });
  });

  test('several gzip streams in one file are one content', async () => {
    const whole = images(4);
    const folder = folderOf({ labels: labels([0, 1, 0, 1]) });
    writeFileSync(
      join(folder, 'images.gz'),
      Buffer.concat([gzipSync(whole.subarray(0, 21)), gzipSync(whole.subarray(21))]),
    );
    expect((await facts(folder)).parts).toEqual({ train: 4 });
  });

  test('one file of several sets finds its partner and test part', async () => {
    const folder = folderOf({
      'emnist-letters-train-images-idx3-ubyte': images(3),
      'emnist-letters-train-labels-idx1-ubyte': labels([0, 1, 1]),
      'emnist-letters-test-images-idx3-ubyte': images(1),
      'emnist-letters-test-labels-idx1-ubyte': labels([1]),
      'emnist-digits-train-images-idx3-ubyte': images(5),
      'emnist-digits-train-labels-idx1-ubyte': labels([0, 1, 1, 0, 9]),
    });
    expect((await facts(join(folder, 'emnist-letters-train-images-idx3-ubyte'))).parts).toEqual({ train: 3, test: 1 });
    expect((await facts(join(folder, 'emnist-digits-train-labels-idx1-ubyte'))).parts).toEqual({ train: 5 });
    expect(await refusal(folder)).toMatchObject({ code: 'DATA_FORMAT', message: expect.stringContaining('several') });
  });

  test.each<[string, number[], number[]]>([
    ['single numbers', [4], [1]],
    ['rows', [4, 7], [7]],
    ['planes', [4, 2, 3], [1, 2, 3]],
    ['channels', [4, 3, 2, 2], [3, 2, 2]],
    ['volumes', [4, 1, 2, 2, 2], [1, 2, 2, 2]],
  ])('inputs of %s', async (_, dims, expected) => {
    const folder = folderOf({ 'images.idx': idxBytes(dims, counting(dims), 13), 'labels.idx': labels([0, 1, 0, 1]) });
    expect((await facts(folder)).input).toEqual({ dims: expected, dtype: 'float32' });
  });

  test.each([9, 11, 12] as const)('labels of IDX type %i are classes', async (code) => {
    const folder = folderOf({ images: images(3), labels: idxBytes([3], [2, 0, 1], code) });
    expect((await facts(folder)).target).toMatchObject({ kind: 'class', classes: ['0', '1', '2'] });
  });

  test.each<[string, number[], 8 | 13 | 14, number[]]>([
    ['numbers', [3], 14, [1]],
    ['rows of floats', [3, 2], 13, [2]],
    ['planes of floats', [3, 2, 2], 13, [2, 2]],
  ])('targets that are %s are vectors', async (_, dims, code, expected) => {
    const folder = folderOf({ images: images(3), targets: idxBytes(dims, counting(dims), code) });
    expect((await facts(folder)).target).toEqual({ kind: 'vector', dims: expected });
  });
});

describe('case 1: IDX files are known by their content', () => {
  const zipped = (bytes: Buffer) => gzipSync(bytes);
  const expected = { input: { dims: [1, 2, 3] }, target: { kind: 'class' }, parts: { train: 4, test: 2 } };
  const parts: [part: string, input: Buffer, target: Buffer][] = [
    ['train', images(4), labels([0, 2, 1, 2])],
    ['t10k', images(2), labels([1, 0])],
  ];

  test.each<[string, (part: string, what: string, rank: number) => string, boolean]>([
    ['-idx3-ubyte', (part, what, rank) => `${part}-${what}-idx${rank}-ubyte`, false],
    ['.idx3-ubyte', (part, what, rank) => `${part}-${what}.idx${rank}-ubyte`, false],
    ['-idx3-ubyte.gz', (part, what, rank) => `${part}-${what}-idx${rank}-ubyte.gz`, true],
    ['.idx3-ubyte.gz', (part, what, rank) => `${part}-${what}.idx${rank}-ubyte.gz`, true],
    ['gzip that is called -idx3-ubyte', (part, what, rank) => `${part}-${what}-idx${rank}-ubyte`, true],
    ['raw that is called .gz', (part, what, rank) => `${part}-${what}-idx${rank}-ubyte.gz`, false],
  ])('%s', async (_, name, packed) => {
    const folder = testFolder();
    for (const [part, input, target] of parts) {
      writeFileSync(join(folder, name(part, 'images', 3)), packed ? zipped(input) : input);
      writeFileSync(join(folder, name(part, 'labels', 1)), packed ? zipped(target) : target);
    }
    expect(await facts(folder)).toMatchObject(expected);
    expect((await facts(join(folder, name('train', 'images', 3)))).parts).toEqual(expected.parts);
  });

  test('images and labels are paired by count where names say nothing', async () => {
    const folder = folderOf({ 'a.bin': images(4), 'b.bin': images(3), 'c.bin': labels([0, 1, 0, 1]) });
    expect((await facts(folder)).parts).toEqual({ train: 4 });
  });

  test('a ZIP archive, in place of a file or alone in a folder, is to be unpacked', async () => {
    const zip = Buffer.from('PK\x03\x04 and what follows', 'latin1');
    const inPlace = await refusal(folderOf({ 'train-images-idx3-ubyte': zip, 'train-labels-idx1-ubyte': labels([0]) }));
    expect([inPlace.code, inPlace.hint]).toEqual(['DATA_FORMAT', expect.stringMatching(/ZIP archive: unpack/)]);
    expect((await refusal(folderOf({ 'archive.zip': zip }))).hint).toMatch(/Unpack the ZIP archive/);
  });
});

describe('label files of higher rank', () => {
  const known = async (target: Buffer) => (await facts(folderOf({ 'x.idx': images(3), 'y.idx': target }))).target;

  test('bytes at each position are masks: how many classes, and where the two highest were met', async () => {
    const target = await known(idxBytes([3, 2, 2], [0, 1, 1, 0, 2, 255, 0, 0, 1, 1, 1, 1]));
    expect(target).toMatchObject({
      kind: 'mask',
      dims: [2, 2],
      highest: { sample: 1, file: expect.stringContaining('y.idx') },
      second: { label: 2, sample: 1, file: expect.stringContaining('y.idx') },
    });
    expect(target.kind === 'mask' && [target.classes.length, target.counts?.slice(0, 3)]).toEqual([256, [4, 6, 1]]);
  });

  test.each<[string, number[], number[], IdxCode, object]>([
    ['a channel of one is left out', [3, 1, 2, 1], [0, 1, 2, 0, 1, 2], 8, { kind: 'mask', dims: [2, 1] }],
    ['rows of zeros and ones are labels', [3, 2], [0, 1, 1, 1, 0, 0], 8, { kind: 'multi_label', classes: ['0', '1'] }],
    ['rows of others are classes along a sequence', [3, 2], [0, 1, 2, 1, 0, 0], 12, { kind: 'mask', dims: [2] }],
  ])('%s', async (_, dims, values, code, expected) => {
    expect(await known(idxBytes(dims, values, code))).toMatchObject(expected);
  });

  test('the source may say what they are, and is refused what they are not', async () => {
    const path = folderOf({ 'x.idx': images(3), 'y.idx': idxBytes([3, 2], [0, 1, 1, 1, 0, 0]) });
    const as = (target: 'class' | 'mask' | 'vector') => describeSource({ kind: 'idx', path, target }, '/');
    expect((await as('mask')).target).toMatchObject({ kind: 'mask', dims: [2] });
    expect((await as('vector')).target).toEqual({ kind: 'vector', dims: [2] });
    await expect(as('class')).rejects.toMatchObject({ code: 'DATA_FORMAT', message: /one whole number a sample/ });
  });

  test('the inputs may be the targets themselves: labels are not looked for', async () => {
    const unlabelled = folderOf({ 'train-images.idx': images(3), 'test-images.idx': images(2) });
    const as = (path: string) => describeSource({ kind: 'idx', path, target: 'input' }, '/');
    const alone = await as(unlabelled);
    expect(alone).toMatchObject({ parts: { train: 3, test: 2 }, target: { kind: 'vector', dims: alone.input.dims } });
    expect((await as(join(unlabelled, 'train-images.idx'))).parts).toEqual({ train: 3, test: 2 });
    const labelled = folderOf({ 'x.idx': images(3), 'y.idx': labels([0, 1, 1]) });
    expect((await as(labelled)).target).toEqual({ kind: 'vector', dims: [1, 2, 3] });
    await expect(as(folderOf({ 'a.idx': images(3), 'b.idx': images(3) }))).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringMatching(/several sets of samples \(a\.idx, b\.idx\) for the training part/),
    });
  });

  test('rows of tokens are read but for their last, and predicted but for their first', async () => {
    const folder = folderOf({ 'train-x.idx': idxBytes([2, 4], [0, 1, 2, 3, 4, 5, 6, 7]) });
    const as = (path: string) => describeSource({ kind: 'idx', path, target: 'next_token' }, '/');
    expect(await as(folder)).toMatchObject({
      input: { dims: [3], dtype: 'int64', tokens: 8 },
      target: { kind: 'next_token', dims: [3], tokens: 8 },
      parts: { train: 2 },
    });
    await expect(as(folderOf({ 'x.idx': images(3) }))).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringMatching(/x\.idx holds 3 × 2 × 3 values.*rows of two or more tokens/),
    });
  });

  test('labels that are neither there nor not are named', async () => {
    const path = folderOf({ 'x.idx': images(3), 'y.idx': idxBytes([3, 2], [0, 1, 1, 3, 0, 0]) });
    await expect(describeSource({ kind: 'idx', path, target: 'multi_label' }, '/')).rejects.toMatchObject({
      code: 'LABEL_RANGE',
    });
  });
});

describe('what is wrong is said, with the file and the next step', () => {
  const whole = images(4);
  const good = labels([0, 1, 2, 3]);
  test.each<[string, Record<string, Buffer>, string, RegExp]>([
    ['nothing there', {}, 'DATA_MISSING', /holds no IDX files/],
    ['other files', { 'table.csv': Buffer.from('a,b') }, 'DATA_MISSING', /holds no IDX files/],
    ['no labels', { 'train-images-idx3-ubyte': whole }, 'DATA_MISSING', /no labels to go with train-images/],
    ['no images', { 'train-labels-idx1-ubyte': good }, 'DATA_MISSING', /no inputs/],
    ['no training part', { 't10k-images': whole, 't10k-labels': good }, 'DATA_MISSING', /no training part/],
    ['images cut', { images: whole.subarray(0, 30), labels: good }, 'DATA_TRUNCATED', /expected 40 bytes.*found 30/],
    [
      'images cut, gzipped',
      { 'images.gz': whole.subarray(0, 30), labels: good },
      'DATA_TRUNCATED',
      /expected 40 .*found 30/,
    ],
    ['labels cut', { images: whole, labels: good.subarray(0, 9) }, 'DATA_TRUNCATED', /expected 12 bytes.*found 9/],
    ['header cut', { images: whole.subarray(0, 9), labels: good }, 'DATA_TRUNCATED', /header of 16 bytes, found 9/],
    ['empty', { 'images.idx3-ubyte': Buffer.alloc(0), labels: good }, 'DATA_TRUNCATED', /empty/],
    ['bytes too many', { images: Buffer.concat([whole, good]), labels: good }, 'DATA_FORMAT', /too long/],
    [
      'wrong magic',
      { 'images.idx3-ubyte': Buffer.from('PK nonsense'), labels: good },
      'DATA_FORMAT',
      /begins with 50 4b/,
    ],
    ['no samples', { images: idxBytes([0, 2, 3], []), labels: good }, 'DATA_FORMAT', /no samples/],
    ['absurd size', { images: idxBytes([2 ** 32 - 1, 2 ** 32 - 1], []), labels: good }, 'DATA_FORMAT', /more than any/],
    ['counts differ', { images: whole, labels: labels([0, 1, 2]) }, 'DATA_COUNT', /4 samples.*3 targets/],
    ['a negative label', { images: whole, labels: idxBytes([4], [0, 1, -1, 0], 9) }, 'LABEL_RANGE', /-1 at sample 2/],
    ['an absurd label', { images: whole, labels: idxBytes([4], [0, 1, 1e9, 0], 12) }, 'LABEL_RANGE', /1000000000/],
    [
      'test part of another shape',
      {
        'train-images': whole,
        'train-labels': good,
        'test-images': idxBytes([1, 3, 3], counting([9])),
        'test-labels': labels([1]),
      },
      'DATA_FORMAT',
      /2 × 3.*3 × 3/,
    ],
  ])('%s', async (_, files, code, message) => {
    const folder = folderOf(files);
    const error = await refusal(folder);
    expect(error).toMatchObject({ name: 'GradloomError', code, hint: expect.stringMatching(/./) });
    expect(error.message).toMatch(message);
    expect(error.path?.startsWith(folder)).toBe(true);
  });

  test('a folder that is not there is named in full', async () => {
    const folder = testFolder();
    await expect(describeSource({ kind: 'idx', path: 'nowhere' }, folder)).rejects.toMatchObject({
      code: 'DATA_MISSING',
      path: join(folder, 'nowhere'),
    });
  });

  test('a gzip file cut short says how much it still held', async () => {
    const dims = [200, 28, 28];
    const noise = Buffer.from(Array.from({ length: 200 * 784 }, (_, i) => (i * 7919) % 251));
    const zipped = gzipSync(idxBytes(dims, noise));
    const folder = folderOf({ labels: labels(Array(200).fill(1)) });
    writeFileSync(join(folder, 'images.idx3-ubyte.gz'), zipped.subarray(0, Math.floor(zipped.length / 2)));
    const error = await refusal(folder);
    expect(error.code).toBe('DATA_TRUNCATED');
    expect(Number(/found (\d+)/.exec(error.message)?.[1])).toBeGreaterThan(0);
    writeFileSync(join(folder, 'images.idx3-ubyte.gz'), zipped.subarray(0, zipped.length - 3));
    expect((await refusal(folder)).message).toMatch(/no end/);
  });
});

test('any bytes are an IDX header or refused as such', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      try {
        const { dims, type, dataBytes } = parseIdxHeader(bytes, 'file');
        expect(dims.reduce((a, b) => a * b, type.bytes)).toBe(dataBytes);
      } catch (error) {
        expect(['DATA_FORMAT', 'DATA_TRUNCATED']).toContain((error as GradloomError).code);
      }
    }),
  );
});

test('a folder damaged anywhere is read or refused in our words', async () => {
  const whole = { images: idxBytes([6, 2, 3], counting([6, 2, 3])), 'labels.gz': idxBytes([6], [0, 1, 2, 0, 1, 2]) };
  const folder = folderOf(whole);
  const damage = fc.record({
    name: fc.constantFrom<keyof typeof whole>('images', 'labels.gz'),
    changes: fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 3 }),
    cut: fc.option(fc.nat(60)),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ name, changes, cut }) => {
      for (const each of ['images', 'labels.gz'] as const) {
        const content = each.endsWith('.gz') ? gzipSync(whole[each]) : Buffer.from(whole[each]);
        if (each === name) for (const [at, value] of changes) if (at < content.length) content[at] = value;
        writeFileSync(join(folder, each), each === name && cut !== null ? content.subarray(0, cut) : content);
      }
      try {
        const { parts } = await facts(folder);
        expect(parts.train).toBe(6);
      } catch (error) {
        expect((error as GradloomError).code).toMatch(/^(DATA_\w+|LABEL_RANGE)$/);
      }
    }),
    { numRuns: 300 },
  );
});

test('headers read back as written', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(8, 9, 11, 12, 13, 14) as fc.Arbitrary<8 | 9 | 11 | 12 | 13 | 14>,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      (code, dims) => {
        const file = idxBytes(dims, counting(dims), code);
        const header = parseIdxHeader(file, 'file');
        expect(header.dims).toEqual(dims);
        expect(header.headerBytes + header.dataBytes).toBe(file.length);
      },
    ),
  );
});

test.each([
  ['t10k-images-idx3-ubyte.gz', { part: 'test', role: 'input', set: '' }],
  ['train-labels.idx1-ubyte', { part: 'train', role: 'target', set: '' }],
  ['emnist-byclass-train-images-idx3-ubyte.gz', { part: 'train', role: 'input', set: 'emnist-byclass' }],
  ['train/y.idx', { part: 'train', role: 'target', set: '' }],
  ['äpfel', { part: null, role: null, set: 'äpfel' }],
])('the name %s', (name, expected) => {
  expect(readIdxName(name)).toMatchObject(expected);
});
