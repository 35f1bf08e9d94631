/** The toy source: what is drawn is what its shapes are defined as, from the seed alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { type ToyShape, type ToySource, toyFacts, toyShapes } from '../../engine/contract/sources/toy.ts';
import { describeSource, packSource } from '../../engine/data/index.ts';
import { openSource } from '../../engine/data/source.ts';
import { drawToy } from '../../engine/data/toys/draw.ts';
import { Generator } from '../../engine/data/toys/generator.ts';
import { testFolder } from './idx-writer.ts';

const toy = (shape: ToyShape, more: Partial<ToySource> = {}) =>
  resolveProject({ data: { source: { kind: 'toy', shape, ...more } } }).data.source as ToySource;

const pointsOf = ({ inputs, targets }: ReturnType<typeof drawToy>['train'], label: number) =>
  [...targets.keys()]
    .filter((i) => targets[i] === label)
    .map((i) => [inputs[2 * i] as number, inputs[2 * i + 1] as number]);
const sorted = (points: number[][]) =>
  points
    .map((point) => point.map((value) => Number(value.toFixed(5)) + 0))
    .sort((a, b) => (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number));
const linspace = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

describe('without noise the points are those of the definitions', () => {
  test('moons, as make_moons', () => {
    const { train } = drawToy(toy('moons', { samples: 11, noise: 0 }));
    expect(sorted(pointsOf(train, 0))).toEqual(sorted(linspace(0, Math.PI, 5).map((t) => [Math.cos(t), Math.sin(t)])));
    const inside = linspace(0, Math.PI, 6).map((t) => [1 - Math.cos(t), 1 - Math.sin(t) - 0.5]);
    expect(sorted(pointsOf(train, 1))).toEqual(sorted(inside));
  });

  test('circles, as make_circles', () => {
    const { train } = drawToy(toy('circles', { samples: 10, noise: 0 }));
    const angles = Array.from({ length: 5 }, (_, i) => (2 * Math.PI * i) / 5);
    expect(sorted(pointsOf(train, 0))).toEqual(sorted(angles.map((t) => [Math.cos(t), Math.sin(t)])));
    expect(sorted(pointsOf(train, 1))).toEqual(sorted(angles.map((t) => [0.8 * Math.cos(t), 0.8 * Math.sin(t)])));
  });

  test('spirals: arms from the middle to the edge, turned against each other', () => {
    const { train } = drawToy(toy('spirals', { samples: 90, classes: 3, noise: 0 }));
    for (const label of [0, 1, 2]) {
      const radii = pointsOf(train, label)
        .map(([x = 0, y = 0]) => Math.hypot(x, y))
        .sort((a, b) => a - b);
      expect(radii.length).toBe(30);
      for (const [i, radius] of radii.entries()) expect(radius).toBeCloseTo(i / 29, 5);
    }
    const ends = [0, 1, 2].map((label) => pointsOf(train, label).find(([x = 0, y = 0]) => Math.hypot(x, y) > 0.999));
    const angles = ends.map((end) => Math.atan2(end?.[0] ?? 0, end?.[1] ?? 0));
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      const between = ((angles[b] as number) - (angles[a] as number) + 4 * Math.PI) % (2 * Math.PI);
      expect(between).toBeCloseTo((2 * Math.PI) / 3, 4);
    }
  });

  test('sine: y = sin(x) from −π to π', () => {
    const { train } = drawToy(toy('sine', { samples: 500, noise: 0 }));
    for (const [i, x] of train.inputs.entries()) expect(train.targets[i]).toBeCloseTo(Math.sin(x), 6);
    expect(Math.min(...train.inputs)).toBeLessThan(-3);
    expect(Math.max(...train.inputs)).toBeGreaterThan(3);
  });
});

test('blobs: a cloud of the given deviation a class, the same for the test part', () => {
  const { train, test: held } = drawToy(
    toy('blobs', { samples: 6000, test_samples: 3000, classes: 3, noise: 2, seed: 4 }),
  );
  for (const label of [0, 1, 2]) {
    const [a, b] = [pointsOf(train, label), pointsOf(held, label)];
    expect([a.length, b.length]).toEqual([2000, 1000]);
    for (const axis of [0, 1] as const) {
      const of = (points: number[][]) => points.map((point) => point[axis] as number);
      expect(deviation(of(a))).toBeCloseTo(2, 0);
      expect(Math.abs(mean(of(a)) - mean(of(b)))).toBeLessThan(0.3);
      expect(Math.abs(mean(of(a)))).toBeLessThan(10.2);
    }
  }
});

test('the generator: uniform and normal numbers of their moments', () => {
  const generator = new Generator(1);
  const uniform = Array.from({ length: 20_000 }, () => generator.uniform());
  expect(mean(uniform)).toBeCloseTo(0.5, 1);
  expect(deviation(uniform)).toBeCloseTo(Math.sqrt(1 / 12), 2);
  const normal = Array.from({ length: 20_000 }, () => generator.normal());
  expect(Math.abs(mean(normal))).toBeLessThan(0.03);
  expect(deviation(normal)).toBeCloseTo(1, 1);
  expect([...generator.order(1000)].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
});

test.each(toyShapes)('%s: the pack holds what is drawn and previewed, and another seed draws others', async (shape) => {
  const source = toy(shape, { samples: 31, test_samples: 7, seed: 3 });
  const cacheDir = testFolder();
  const addon = { writeRandom: async () => {} };
  const pack = await packSource(source, '/', { cacheDir, addon });
  expect(pack.facts).toEqual(await describeSource(source, '/'));
  expect(pack.facts).toEqual(toyFacts(source));
  expect(pack.facts.parts).toEqual({ train: 31, test: 7 });
  const drawn = drawToy(source);
  const opened = await openSource(source, '/');
  for (const part of ['train', 'test'] as const) {
    const read = (role: string) => new Uint8Array(readFileSync(join(pack.folder, `${part}.${role}.bin`))).buffer;
    expect(new Float32Array(read('input'))).toEqual(drawn[part].inputs);
    const targets =
      shape === 'sine' ? [...new Float32Array(read('target'))] : [...new BigInt64Array(read('target'))].map(Number);
    expect(targets).toEqual([...drawn[part].targets].map((value) => (shape === 'sine' ? Math.fround(value) : value)));
    const rows = opened.rows?.(part, { mostBytes: 0, unpacked: null });
    const width = shape === 'sine' ? 1 : 2;
    expect(await rows?.inputs([2])).toEqual([drawn[part].inputs.slice(2 * width, 3 * width)]);
  }
  const other = await packSource({ ...source, seed: 4 }, '/', { cacheDir, addon });
  expect(other.hash).not.toBe(pack.hash);
  expect(drawToy(source)).toEqual(drawn);
});

test('without a test part, and of one sample a class', async () => {
  expect((await describeSource(toy('moons', { samples: 2, test_samples: 0 }), '/')).parts).toEqual({ train: 2 });
});
