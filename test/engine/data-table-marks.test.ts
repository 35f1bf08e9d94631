/** Tables whose rows are marked, or that have a validation part of their own: the encoding is fitted on exactly the rows that train. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Mark } from '../../engine/contract/data/marks.ts';
import { type Project, resolveProject } from '../../engine/contract/project.ts';
import { changeMarks, honourMarks, makeSplits, needMarksFile, packSource } from '../../engine/data/index.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { testFolder } from './idx-writer.ts';

const addon = loadAddon();

function tableAt(path: string, split: object): Project {
  return { gradloom: 1, data: { source: { kind: 'table', path, target: 'label' }, split } };
}

async function packed(project: Project, marks?: readonly Mark[]) {
  const { source, split } = resolveProject(project).data;
  if (!source) throw new Error('no source');
  const raw = await packSource(source, '/', { cacheDir: testFolder(), addon, split, marks });
  const folder = testFolder();
  const { pack } = await honourMarks(raw, source, '/', split, { folder });
  const drawn = await makeSplits(pack, resolveProject(project, pack.facts).data.split, addon, folder);
  const values = new Float32Array(Uint8Array.from(readFileSync(pack.parts.train?.input.path as string)).buffer);
  return { pack, values, ...drawn };
}

const mean = (values: Float32Array, rows: Iterable<number>) => {
  const own = Array.from(rows, (row) => values[row] as number);
  return own.reduce((sum, value) => sum + value, 0) / own.length;
};

function csv(rows: string[], folder = testFolder(), name = 'data.csv'): string {
  writeFileSync(join(folder, name), `age,label\n${rows.join('\n')}\n`);
  return join(folder, name);
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => `${20 + ((i * 7) % 50)},${i % 2 ? 'yes' : 'no'}`);

test('an outlier that is marked no longer scales the column; the marks that are given go before the data’s', async () => {
  const path = csv([...rows(40), '99999,yes']);
  const project = tableAt(path, { val: 0 });
  const before = await packed(project);
  expect(Math.abs(mean(before.values, Array(41).keys()))).toBeLessThan(1e-5);
  const marks: Mark[] = [{ part: 'train', sample: 'row 41', exclude: true }];
  const file = await needMarksFile({ kind: 'table', path } as never, '/');
  await changeMarks(file, [{ part: 'train', sample: 'row 41', mark: { exclude: true } }]);
  const after = await packed(project);
  expect(Math.abs(mean(after.values, Array(40).keys()))).toBeLessThan(1e-5);
  expect(after.pack.facts.parts.train).toBe(40);
  expect(after.pack.hash).not.toBe(before.pack.hash);
  expect((await packed(project, marks)).values).toEqual(after.values);
  expect((await packed(project, [])).values).toEqual(before.values);
});

test('a note on a row packs nothing anew', async () => {
  const path = csv(rows(40));
  const before = await packed(tableAt(path, { val: 0.25 }));
  const file = await needMarksFile({ kind: 'table', path } as never, '/');
  await changeMarks(file, [{ part: 'train', sample: 'row 3', mark: { note: 'odd' } }]);
  expect((await packed(tableAt(path, { val: 0.25 }))).pack.hash).toBe(before.pack.hash);
});

test('with corrected classes and rows left out, the rows that were fitted on are the rows that train', async () => {
  const path = csv(rows(60));
  const file = await needMarksFile({ kind: 'table', path } as never, '/');
  await changeMarks(file, [
    { part: 'train', sample: 'row 1', mark: { label: 'yes' } },
    { part: 'train', sample: 'row 3', mark: { label: 'yes' } },
    { part: 'train', sample: 'row 8', mark: { exclude: true } },
  ]);
  const { values, splits } = await packed(tableAt(path, { val: 0.3, seed: 5 }));
  const list = readFileSync(splits.train.indices as string);
  const trains = [...new BigInt64Array(Uint8Array.from(list).buffer)].map(Number);
  expect(trains).not.toContain(7);
  expect(Math.abs(mean(values, trains))).toBeLessThan(1e-5);
});

test('a validation part of its own: it validates where the project says nothing, and all training rows are fitted on', async () => {
  const folder = testFolder();
  csv(rows(40), folder, 'train.csv');
  csv(rows(10), folder, 'val.csv');
  const unsaid = await packed(tableAt(folder, {}));
  expect(unsaid.splits).toMatchObject({ train: { part: 'train', count: 40 }, val: { part: 'val', count: 10 } });
  expect(Math.abs(mean(unsaid.values, Array(40).keys()))).toBeLessThan(1e-5);
  expect((await packed(tableAt(folder, { val: 'val' }))).pack.hash).toBe(unsaid.pack.hash);
  const said = await packed(tableAt(folder, { val: 0.25 }));
  expect(said.splits.val?.count).toBe(10);
  expect(said.splits.val?.part).toBe('train');
});
