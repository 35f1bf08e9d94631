/** Normalize without numbers: measured on exactly the samples that train, kept by the run, and used by whatever comes after it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fits } from '../../engine/data/transform.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { evaluateRun, exportRun, RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { counting, idxBytes } from './idx-writer.ts';
import { temporaryFolder } from './runs-helpers.ts';

const dims = [2, 4, 6];
const size = 48;
const samples = 40;

/** A second channel that is darker than the first. */
function images(folder: string): number[] {
  const values = counting([samples, ...dims]).map((value, i) => (i % size < 24 ? value : Math.floor(value / 3)));
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'train-images-idx4-ubyte'), idxBytes([samples, ...dims], values));
  const labels = Array.from({ length: samples }, (_, i) => i % 2);
  writeFileSync(path.join(folder, 'train-labels-idx1-ubyte'), idxBytes([samples], labels));
  return values;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('is fitted on the samples that train, and the run keeps the numbers', async () => {
  const folder = temporaryFolder();
  const values = images(path.join(folder, 'data'));
  const run = path.join(folder, 'run');
  const text = JSON.stringify({
    gradloom: 1,
    name: 'fitted',
    data: {
      source: { kind: 'idx', path: path.join(folder, 'data') },
      split: { val: 0.25, seed: 3 },
      transforms: [{ kind: 'RandomHorizontalFlip' }, { kind: 'Normalize' }],
      loader: { batch_size: 10 },
    },
    model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 2 }] },
    training: { epochs: 1 },
  });
  await trainRun({ projectText: text, run }, () => {}, new RunControl());
  const place = path.join(run, 'environment.json');
  const { fitted } = read(place);
  expect(fitted).toMatchObject([{ index: 1 }]);
  const indices = readFileSync(path.join(run, 'split', 'train.i64'));
  const rows = Array.from({ length: indices.length / 8 }, (_, i) => Number(indices.readBigInt64LE(8 * i)));
  expect(rows.length).toBe(30);
  for (const channel of [0, 1]) {
    const own = rows.flatMap((row) => values.slice(row * size + channel * 24, row * size + channel * 24 + 24).map((value) => Math.fround(value / 255))); // biome-ignore format: one line
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length;
    expect(fitted[0].mean[channel]).toBeCloseTo(mean, 12);
    expect(fitted[0].std[channel]).toBeCloseTo(Math.sqrt(variance), 12);
  }
  const { loss } = await evaluateRun(run, {});
  const { path: file } = await exportRun(run, { format: 'safetensors' });
  const { metadata } = await readSafetensors(file);
  expect(JSON.parse(metadata.transforms as string)).toEqual([
    { kind: 'RandomHorizontalFlip', p: 0.5 },
    { kind: 'Normalize', mean: fitted[0].mean, std: fitted[0].std },
  ]);
  // What stands in the run counts, not what would be measured now.
  writeFileSync(place, JSON.stringify({ ...read(place), fitted: [{ index: 1, mean: [9, 9], std: [1, 1] }] }));
  expect((await evaluateRun(run, {})).loss).not.toBe(loss);
  await resumeRun({ run, epochs: 2 }, () => {}, new RunControl());
  expect(read(place).fitted).toEqual([{ index: 1, mean: [9, 9], std: [1, 1] }]);
});

test('numbers that were measured behind other transforms are measured anew', () => {
  const normalize = { kind: 'Normalize', args: { mean: null, std: null } };
  const flip = { kind: 'RandomHorizontalFlip', args: { p: 0.5 } };
  const grey = { kind: 'Grayscale', args: { num_output_channels: 1 } };
  const numbers = { index: 1, mean: [0.5], std: [0.2] };
  expect(fits([flip, normalize], [{ ...numbers, behind: [flip] }])).toBe(true);
  expect(fits([grey, normalize], [{ ...numbers, behind: [flip] }])).toBe(false);
  // A run that was begun when this was not kept.
  expect(fits([grey, normalize], [numbers])).toBe(true);
  expect(fits([normalize, flip], [{ ...numbers, behind: [flip] }])).toBe(false);
});
