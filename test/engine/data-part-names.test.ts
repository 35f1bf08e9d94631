/** Parts are named by one rule wherever names stand: folders, arrays, tables' files and columns, texts. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readName } from '../../engine/data/arrays/names.ts';
import { findParts } from '../../engine/data/images/parts.ts';
import { listFolder } from '../../engine/data/listing.ts';
import { partInName, partOf } from '../../engine/data/part-names.ts';
import { tableFilesIn } from '../../engine/data/table/files.ts';
import { testFolder } from './idx-writer.ts';
import { imageFolder, raw } from './image-writer.ts';

test.each([
  ['Training', 'train'],
  ['eval', 'val'],
  ['dev', 'val'],
  ['VALID', 'val'],
  ['holdout', 'test'],
  ['tst', 'test'],
] as const)('%s is the part %s of folders, arrays, files and values', async (name, part) => {
  expect([partOf(name), partInName(name), readName(`x_${name}`).part]).toEqual([part, part, part]);
  if (part !== 'train') expect(findParts('/', ['train', name]).folders[part]).toBe(`${name}/`);
  const folder = testFolder();
  writeFileSync(join(folder, `my_${name}.csv`), 'a,b\n1,2\n');
  expect((await tableFilesIn(folder))[part]).toHaveLength(1);
});

test('names of no part', () => {
  expect(['cat', 'latest', 'contrast', 'evaluated'].map(partInName)).toEqual([null, null, null, null]);
});

test('links to folders beside are listed whatever the order; circles end', async () => {
  const folder = await imageFolder({
    'cat/1.png': raw([1, 2, 3], 1, 3).png(),
    'zoo/2.png': raw([1, 2, 3], 1, 3).png(),
  });
  symlinkSync(join(folder, 'cat'), join(folder, 'dog'));
  symlinkSync(join(folder, 'zoo'), join(folder, 'ape'));
  symlinkSync(folder, join(folder, 'cat/up'));
  const { files, cut } = await listFolder(folder);
  expect(files.map(({ name }) => name)).toEqual(['ape/2.png', 'cat/1.png', 'dog/1.png', 'zoo/2.png']);
  expect(cut).toBe(false);
});
