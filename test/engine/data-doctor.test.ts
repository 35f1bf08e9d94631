/** The Data Doctor on images and labels: each fault is found with its offenders and mended by its fix; clean data are silent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { editProject } from '../../engine/contract/project.ts';
import { changeMarks, needMarksFile, packSource } from '../../engine/data/index.ts';
import { addon, codes, examine, noise, only } from './doctor-helpers.ts';
import { folderOf, idxBytes, testFolder } from './idx-writer.ts';

const side = 12;
/** A picture that no other seed gives, with much contrast. */
function picture(seed: number): number[] {
  const next = noise(seed);
  const waves = Array.from({ length: 6 }, () => [next() * 2, next() * 2, next() * 6.28] as const);
  return Array.from({ length: side * side }, (_, i) => {
    const sum = waves.reduce((all, [a, b, p]) => all + Math.sin(a * Math.floor(i / side) + b * (i % side) + p), 0);
    return Math.max(0, Math.min(255, Math.round(128 + 30 * sum)));
  });
}

interface Pictures {
  train: [picture: number[], label: number][];
  test?: [picture: number[], label: number][];
}

function folder({ train, test: other }: Pictures): string {
  const files = (name: string, samples: [number[], number][]) => ({
    [`${name}-images`]: idxBytes(
      [samples.length, side, side],
      samples.flatMap(([pixels]) => pixels),
    ),
    [`${name}-labels`]: idxBytes(
      [samples.length],
      samples.map(([, label]) => label),
    ),
  });
  return folderOf({ ...files('train', train), ...(other ? files('test', other) : {}) });
}

const idx = (path: string) => ({ kind: 'idx', path });
const clean = (count: number, first = 0): [number[], number][] =>
  Array.from({ length: count }, (_, i) => [picture(first + i), i % 2]);

test('clean data are silent; what was looked at is said, and the splits are counted', async () => {
  const report = await examine(idx(folder({ train: clean(40), test: clean(10, 100) })), { split: { val: 0.25 } });
  expect(report.findings).toEqual([]);
  expect(report.splits).toEqual([
    { name: 'train', count: 30, classes: [15, 15] },
    { name: 'val', count: 10, classes: [5, 5] },
    { name: 'test', count: 10, classes: [5, 5] },
  ]);
  expect(report.checked.join()).toContain('Near duplicates');
  expect(report.split_hash).toMatch(/^[0-9a-f]{64}$/);
});

test('the digits that come with the program are clean, and their statistics are right', async () => {
  const path = join(import.meta.dirname, '..', '..', 'assets', 'data', 'digits');
  const report = await examine(idx(path), { split: { val: 'test' } });
  expect(codes(report)).toEqual(['TEST_CHOOSES']);
  const pixels = gunzipSync(readFileSync(join(path, 'train-images-idx3-ubyte.gz'))).subarray(16);
  const mean = pixels.reduce((sum, byte) => sum + byte, 0) / pixels.length;
  const variance = pixels.reduce((sum, byte) => sum + (byte - mean) ** 2, 0) / pixels.length;
  const [channel] = report.channels ?? [];
  expect(channel).toMatchObject({ min: 0, max: 1 });
  expect(channel?.mean).toBeCloseTo(mean / 255, 7);
  expect(channel?.std).toBeCloseTo(Math.sqrt(variance) / 255, 7);
});

test('the same data give the same report', async () => {
  const path = folder({ train: [...clean(20), ...clean(5)] });
  expect(await examine(idx(path))).toEqual(await examine(idx(path)));
});

describe('equal images', () => {
  test('repeats in training, and what the fix leaves out', async () => {
    const path = folder({ train: [...clean(20), [picture(3), 1], [picture(3), 1], [picture(6), 0]] });
    const finding = only(await examine(idx(path)), 'EXACT_DUPLICATE');
    expect(finding).toMatchObject({ severity: 'warning', count: 3 });
    expect(finding.offenders).toEqual([
      { name: '20', part: 'train', index: 20, detail: 'the same as 3' },
      { name: '21', part: 'train', index: 21, detail: 'the same as 3' },
      { name: '22', part: 'train', index: 22, detail: 'the same as 6' },
    ]);
    const file = await needMarksFile({ kind: 'idx', path }, '/');
    await changeMarks(file, finding.fixes[0]?.marks ?? []);
    const mended = await examine(idx(path));
    expect(mended.findings).toEqual([]);
    expect(mended.splits[0]?.count).toBe(20);
  });

  test('in training and in the test part', async () => {
    const path = folder({ train: clean(20), test: [...clean(4, 100), [picture(7), 1]] });
    const finding = only(await examine(idx(path)), 'ACROSS_SPLITS');
    expect(finding).toMatchObject({ severity: 'warning', count: 1 });
    expect(finding.message).toBe('1 image of training is in test too');
    expect(finding.offenders).toEqual([{ name: '7', part: 'train', index: 7, detail: 'the same as 4 of test' }]);
    expect(finding.fixes[0]?.marks).toEqual([{ part: 'train', sample: '7', mark: { exclude: true } }]);
  });

  test('across a drawn validation', async () => {
    const twice = Array.from({ length: 20 }, (_, i): [number[], number] => [picture(i % 10), i % 2]);
    const report = await examine(idx(folder({ train: twice })), { split: { val: 0.5, stratify: false } });
    const across = only(report, 'ACROSS_SPLITS');
    const within = report.findings.find(({ code }) => code === 'EXACT_DUPLICATE')?.count ?? 0;
    // Of each ten pairs, one is either torn or repeats on its own side.
    expect(across.count + within).toBe(10);
    expect(across.message).toContain('validation');
  });

  test('with different labels', async () => {
    const finding = only(await examine(idx(folder({ train: [...clean(20), [picture(4), 1]] }))), 'CONFLICTING_LABELS');
    expect(finding.offenders.map(({ name, detail }) => [name, detail])).toEqual([
      ['4', '0; the same as 20: 1'],
      ['20', '1; the same as 4: 0'],
    ]);
    expect(finding.fixes[0]?.marks).toHaveLength(2);
  });
});

describe('near duplicates', () => {
  const lighter = (pixels: number[]) => pixels.map((value) => Math.round(20 + value * 0.85));
  const grainy = (pixels: number[]) => {
    const next = noise(99);
    return pixels.map((value) => Math.max(0, Math.min(255, value + Math.round(4 * next() - 2))));
  };

  test('of other light or a little grain are found, with how alike they are', async () => {
    const path = folder({ train: [...clean(30), [lighter(picture(5)), 1], [grainy(picture(8)), 1]] });
    const finding = only(await examine(idx(path)), 'NEAR_DUPLICATE');
    expect(finding).toMatchObject({ severity: 'note', count: 2 });
    expect(finding.offenders[0]).toMatchObject({
      index: 30,
      detail: expect.stringMatching(/^like 5, 9\d\.\d+% alike$|^like 5, 100/),
    });
    expect(finding.offenders[1]).toMatchObject({
      index: 31,
      detail: expect.stringMatching(/^like 8, .* 0 there and 1 here$/),
    });
  });

  test('across splits they are a warning, and the training side can be left out', async () => {
    const path = folder({ train: clean(30), test: [...clean(6, 100), [lighter(picture(5)), 1]] });
    const finding = only(await examine(idx(path)), 'NEAR_DUPLICATE');
    expect(finding).toMatchObject({ severity: 'warning', count: 1 });
    expect(finding.fixes[0]?.marks).toEqual([{ part: 'train', sample: '5', mark: { exclude: true } }]);
  });

  test('equal ones are another finding; images that are moved by pixels are none', async () => {
    const moved = (pixels: number[]) => pixels.map((_, i) => pixels[(i + 3 * side + 3) % pixels.length] as number);
    const report = await examine(idx(folder({ train: [...clean(30), [picture(2), 0], [moved(picture(4)), 0]] })));
    expect(codes(report)).toEqual(['EXACT_DUPLICATE']);
  });
});

describe('classes', () => {
  const labelled = (train: number[], other?: number[]) =>
    folder({
      train: train.map((label, i) => [picture(i), label]),
      ...(other ? { test: other.map((label, i) => [picture(1000 + i), label]) } : {}),
    });
  const repeat = (label: number, count: number) => Array<number>(count).fill(label);

  test('balance: the ratio, who is rare, and weights that even it out', async () => {
    const path = labelled([...repeat(0, 60), ...repeat(1, 20), ...repeat(2, 5)]);
    const finding = only(await examine(idx(path)), 'IMBALANCE');
    expect(finding.severity).toBe('warning');
    expect(finding.message).toBe('Class 0 has 12 times as many training samples as class 2');
    expect(finding.offenders.map(({ name }) => name)).toEqual(['class 1', 'class 2']);
    const edited = JSON.parse(editProject('{"gradloom": 1}', finding.fixes[0]?.edits ?? []));
    const { weight } = edited.training.loss as { weight: number[] };
    const counted = weight.map((each, label) => each * ([60, 20, 5][label] as number));
    for (const each of counted) expect(each).toBeCloseTo(85 / 3, 1);
    expect(finding.fixes[1]?.edits).toEqual([{ op: 'set', path: ['data', 'loader', 'sampler'], value: 'balanced' }]);
    const weighed = await examine(idx(path), { training: { loss: { kind: 'CrossEntropyLoss', weight } } });
    expect(only(weighed, 'IMBALANCE')).toMatchObject({ severity: 'note', fixes: [] });
  });

  test('empty, single, never trained on, and absent from validation', async () => {
    const path = labelled([...repeat(0, 10), 2, ...repeat(3, 10), ...repeat(4, 8)], [0, 0, 3, 5, 5]);
    const report = await examine(idx(path), { split: { val: 'test' } });
    expect(only(report, 'UNSEEN_CLASS')).toMatchObject({ severity: 'error', offenders: [{ name: 'class 5' }] });
    expect(only(report, 'SINGLE_SAMPLE').offenders).toEqual([{ name: 'class 2' }]);
    const empty = report.findings.filter(({ code }) => code === 'EMPTY_CLASS');
    expect(empty.map(({ offenders }) => offenders.map(({ name }) => name))).toEqual([['class 1'], ['class 4']]);
    expect(report.findings[0]?.severity).toBe('error');
  });

  test('case 7: a class that the drawn validation lacks keeps its number, and stratifying is offered', async () => {
    const labels = [...repeat(0, 30), ...repeat(1, 30), ...repeat(2, 3)];
    const path = labelled(labels);
    const seed = Array.from({ length: 50 }, (_, i) => i);
    for (const each of seed) {
      const report = await examine(idx(path), { split: { val: 0.1, stratify: false, seed: each } });
      const val = report.splits.find(({ name }) => name === 'val')?.classes ?? [];
      expect(val).toHaveLength(3);
      if (val[2] !== 0) continue;
      const finding = only(report, 'EMPTY_CLASS');
      expect(finding.message).toBe('1 class has no sample in validation');
      expect(finding.fixes).toMatchObject([{ label: 'Stratify' }]);
      return;
    }
    throw new Error('Every draw gave the rare class a sample.');
  });

  test('labels that begin at 1 are told as such', async () => {
    const finding = only(await examine(idx(labelled([...repeat(1, 10), ...repeat(2, 10)]))), 'EMPTY_CLASS');
    expect(finding.hint).toContain('begin at 1');
  });
});

test('blank images, and images nearly all one colour', async () => {
  const blank = Array<number>(side * side).fill(7);
  const path = folderOf({
    'train-images': idxBytes(
      [12, 20, 20],
      Array.from({ length: 12 }, (_, i) => i).flatMap((i) => {
        if (i === 3) return Array<number>(400).fill(7);
        if (i === 5) return Array.from({ length: 400 }, (_, at) => (at === 17 ? 200 : 9));
        const next = noise(i);
        return Array.from({ length: 400 }, () => Math.floor(next() * 256));
      }),
    ),
    'train-labels': idxBytes(
      [12],
      blank.slice(0, 12).map((_, i) => i % 2),
    ),
  });
  const report = await examine(idx(path));
  expect(only(report, 'CONSTANT').offenders).toMatchObject([{ index: 3, detail: 'all 0.02745' }]);
  expect(only(report, 'ODD_VALUES')).toMatchObject({ severity: 'note', offenders: [{ index: 5 }] });
});

test('NaN and infinities in images and targets', async () => {
  const values = Array.from({ length: 10 * 64 }, (_, i) => Math.sin(i));
  values[64 * 4 + 3] = Number.NaN;
  values[64 * 7] = Number.POSITIVE_INFINITY;
  const targets = Array.from({ length: 10 }, (_, i) => (i === 2 ? Number.NaN : i / 3));
  const path = folderOf({ images: idxBytes([10, 8, 8], values, 13), targets: idxBytes([10, 1], targets, 13) });
  const { findings } = await examine({ kind: 'idx', path, target: 'vector' });
  const odd = findings.filter(({ code }) => code === 'ODD_VALUES');
  expect(
    odd.map(({ severity, offenders }) => [severity, offenders.map(({ index, detail }) => [index, detail])]),
  ).toEqual([
    [
      'error',
      [
        [4, '1 NaN'],
        [7, '1 infinity'],
      ],
    ],
    ['error', [[2, '1 NaN']]],
  ]);
});

test('labels beyond the classes: a pack that somebody has made', async () => {
  const path = folder({ train: clean(20) });
  const { folder: pack } = await packSource({ kind: 'idx', path }, '/', { cacheDir: testFolder(), addon });
  const column = new BigInt64Array(Uint8Array.from(readFileSync(join(pack, 'train.target.bin'))).buffer);
  column[4] = 2n;
  column[9] = -1n;
  writeFileSync(join(pack, 'train.target.bin'), column);
  const finding = only(await examine({ kind: 'pack', path: pack }), 'LABEL_RANGE');
  expect(finding).toMatchObject({ severity: 'error', message: '2 samples have labels outside of 0 to 1' });
  expect(finding.offenders.map(({ index, detail }) => [index, detail])).toEqual([
    [4, 'label 2'],
    [9, 'label -1'],
  ]);
});

test('labels and classes of masks: never met, or only where nothing is learnt; a value beyond them', async () => {
  const labels = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  const several = folderOf({
    'train-images': idxBytes([3, 8, 8], picture(1).concat(picture(2)).slice(0, 192)),
    'train-labels': idxBytes([3, 4], labels),
    'test-images': idxBytes([1, 8, 8], picture(3).slice(0, 64)),
    'test-labels': idxBytes([1, 4], [0, 1, 0, 0]),
  });
  const report = await examine({ kind: 'idx', path: several, target: 'multi_label' });
  expect(only(report, 'UNSEEN_CLASS').offenders).toEqual([{ name: 'label 1' }]);
  expect(only(report, 'EMPTY_CLASS').offenders.map(({ name }) => name)).toEqual(['label 2', 'label 3']);
  const mask = Array.from({ length: 3 * 64 }, (_, i) => (i === 70 ? 3 : i % 2));
  const masks = folderOf({
    'train-images': idxBytes([3, 8, 8], picture(1).concat(picture(2)).slice(0, 192)),
    'train-labels': idxBytes([3, 8, 8], mask),
  });
  expect(only(await examine({ kind: 'idx', path: masks, target: 'mask' }), 'EMPTY_CLASS').offenders).toEqual([
    { name: 'class 2' },
  ]);
});

test('the test part that picks the best checkpoint; no validation, no such note', async () => {
  const path = folder({ train: clean(20), test: clean(10, 100) });
  const finding = only(await examine(idx(path), { split: { val: 'test' } }), 'TEST_CHOOSES');
  expect(finding).toMatchObject({ severity: 'note', fixes: [{ edits: [{ value: 0.1 }] }] });
  expect(
    codes(await examine(idx(path), { split: { val: 'test' }, training: { checkpoint: { monitor: 'train_loss' } } })),
  ).toEqual([]);
});

test('a division that cannot be made is a finding, and the rest is looked at', async () => {
  const report = await examine(idx(folder({ train: [...clean(4), [picture(1), 1]] })), { split: { val: 0.01 } });
  expect(report.split_hash).toBeNull();
  expect(codes(report)).toEqual(['SPLIT', 'EXACT_DUPLICATE']);
});

test('progress climbs to the number of samples', async () => {
  const seen: number[] = [];
  await examine(idx(folder({ train: clean(40), test: clean(10, 100) })), {
    onProgress: ({ stage, done, total }) => stage === 'examining' && seen.push(done, total),
  });
  expect(seen).toEqual([40, 50, 50, 50]);
});

test('cancelling ends it', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(examine(idx(folder({ train: clean(4) })), { signal: stop.signal })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
});
