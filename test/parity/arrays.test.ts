/** Arrays of every numeric type, order, version and kind of archive, written by NumPy, are read as NumPy reads them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packSource } from '../../engine/data/index.ts';
import { testFolder } from '../engine/idx-writer.ts';
import { runPython } from './python.ts';

interface Case {
  path: string;
  dtype: string;
  dims: number[];
  labels: number[];
  expected: string;
}

const numbers = (path: string) => new Uint8Array(readFileSync(path)).buffer;

test('what NumPy writes', async () => {
  const cases = await runPython<Case[]>('arrays.py', { folder: testFolder(), seed: 7 });
  expect(cases.length).toBe(120);
  const cacheDir = testFolder();
  for (const { path, dtype, dims, labels, expected } of cases) {
    const source = { kind: 'npy' as const, path };
    const { facts, parts } = await packSource(source, '/', { cacheDir, addon: { writeRandom: async () => {} } });
    expect(facts.input.dims, `${path} ${dtype}`).toEqual(dims);
    const { input, target } = parts.train as NonNullable<typeof parts.train>;
    const read =
      input.dtype === 'uint8'
        ? Float32Array.from(new Uint8Array(numbers(input.path)), (value) => Math.fround(value) / Math.fround(255))
        : new Float32Array(numbers(input.path));
    const wanted = new Float32Array(numbers(expected));
    const differing = wanted.findIndex((value, i) => !Object.is(value, read[i]));
    expect([read.length, differing], `${path} ${dtype}`).toEqual([wanted.length, -1]);
    expect([...new BigInt64Array(numbers(target.path))].map(Number)).toEqual(labels);
  }
});
