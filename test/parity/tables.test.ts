/** Random tables that Python's csv module writes: statistics and what training sees of them, recomputed by numpy. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { makeSplits, packSource } from '../../engine/data/index.ts';
import { tableView } from '../../engine/data/table/view.ts';
import { lazyAddon } from '../../engine/native/lazy.ts';
import { testFolder } from '../engine/idx-writer.ts';
import { parityPython, runPython } from './python.ts';

interface Table {
  path: string;
  names: string[];
  kinds: ('number' | 'whole' | 'category' | 'text')[];
  values: (number | string | null)[][];
  targets: string[];
  encoding: string;
  delimiter: string;
  statistics: { count: number; distinct: number; [name: string]: number | number[] }[];
}

const count = Number(process.env.GRADLOOM_TABLES ?? 24);
const file = (path: string): ArrayBuffer => new Uint8Array(readFileSync(path)).buffer;

afterEach(() => {
  vi.unstubAllEnvs();
});

test('tables of every delimiter, quoting and encoding', async () => {
  await parityPython(); // lies in the cache as it is
  const folder = testFolder();
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
  const tables = await runPython<Table[]>('tables.py', {
    folder,
    seeds: Array.from({ length: count }, (_, i) => i + 1),
  });
  for (const table of tables) {
    const { path, names, kinds, values } = table;
    const columns = Object.fromEntries(
      kinds.map((kind, at) => [names[at], { role: kind === 'number' || kind === 'whole' ? 'numeric' : 'categorical' }]),
    );
    const project = {
      data: { source: { kind: 'table', path, target: 'target', columns }, split: { val: 0.25, seed: 3 } },
    };
    const { source, split } = resolveProject(project).data;
    if (!source) throw new Error('no source');

    const view = await tableView(source, '/', { start: 0, count: 500 });
    expect(
      view.columns.map(({ name }) => name),
      path,
    ).toEqual(names);
    for (const [at, wanted] of table.statistics.entries()) {
      const { count, distinct, numbers, histogram } = view.columns[at] as (typeof view.columns)[number];
      expect([count, distinct], `${path} ${names[at]}`).toEqual([wanted.count, wanted.distinct]);
      if (wanted.mean === undefined) continue;
      for (const key of ['mean', 'std', 'median', 'min', 'max'] as const) {
        const [found, right] = [numbers?.[key] as number, wanted[key] as number];
        expect(Math.abs(found - right), `${path} ${names[at]} ${key}`).toBeLessThanOrEqual(
          1e-9 * (wanted.std as number),
        );
      }
      expect(histogram, `${path} ${names[at]}`).toEqual(wanted.histogram);
    }
    for (const [at, row] of view.rows.entries()) {
      const texts = kinds.flatMap((kind, i) =>
        kind === 'number' || kind === 'whole' ? [] : [[row.cells[i], values[i]?.[at]]],
      );
      expect(
        texts.map(([found]) => found),
        path,
      ).toEqual(texts.map(([, right]) => right));
    }

    const pack = await packSource(source, '/', {
      cacheDir: process.env.GRADLOOM_CACHE as string,
      addon: lazyAddon,
      split,
    });
    const { splits } = await makeSplits(pack, split, lazyAddon, testFolder());
    const train = Array.from(new BigInt64Array(file(splits.train.indices as string)), Number);
    const out = join(testFolder(), 'expected.bin');
    const shape = await runPython<number[]>('tables.py', { table, train, out });
    const part = pack.parts.train as NonNullable<typeof pack.parts.train>;
    expect([part.count, ...part.input.shape], path).toEqual(shape);
    const [found, wanted] = [new Float32Array(file(part.input.path)), new Float32Array(file(out))];
    const differing = wanted.findIndex(
      (value, i) => Math.abs(value - (found[i] as number)) > 2e-6 * (1 + Math.abs(value)),
    );
    expect(differing, path).toBe(-1);
    const classes = [...new Set(table.targets)].sort();
    const labels = Array.from(new BigInt64Array(file(part.target.path)), Number);
    expect(
      labels.map((label) => classes[label]),
      path,
    ).toEqual(table.targets);
  }
});
