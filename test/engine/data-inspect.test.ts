/** What is recognised at a path, what is ignored there, and what is said where nothing is. */
import { copyFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { givenPlace } from '../../engine/data/given.ts';
import { isStray, listFolder } from '../../engine/data/listing.ts';
import { packSource } from '../../engine/data/pack.ts';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { counting, idxBytes, testFolder } from './idx-writer.ts';

const addon = { writeRandom: () => Promise.reject(new Error('nothing to draw')) };

function write(folder: string, files: Record<string, Buffer | string>): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

const digits = (count = 6) => ({
  images: gzipSync(idxBytes([count, 2, 2], counting([count, 2, 2]))),
  labels: idxBytes([count], Array(count).fill(1)),
});

describe('recognised', () => {
  test('are IDX files by their content, gzip or not, whatever they are called (case 1)', async () => {
    const { images, labels } = digits();
    const folder = write(testFolder(), { 'what-images': images, 'what-labels.gz': labels });
    const { found, notes } = await inspectPath(folder);
    expect(found).toMatchObject([
      {
        source: { kind: 'idx', path: folder },
        sure: 'certain',
        facts: { input: { dims: [1, 2, 2] }, parts: { train: 6 } },
      },
    ]);
    expect(notes).toEqual([]);
    const file = await inspectPath(path.join(folder, 'what-images'));
    expect(file.found).toMatchObject([{ source: { kind: 'idx', path: path.join(folder, 'what-images') } }]);
  });

  test('is a pack, if it is whole', async () => {
    const { images, labels } = digits();
    const source = { kind: 'idx' as const, path: write(testFolder(), { images, labels }) };
    const out = path.join(testFolder(), 'pack');
    const made = await packSource(source, '/', { cacheDir: testFolder(), addon, out });
    expect(made.folder).toBe(out);
    expect((await inspectPath(out)).found).toMatchObject([
      { source: { kind: 'pack', path: out }, sure: 'certain', facts: made.facts },
    ]);
    truncateSync(path.join(out, 'train.input.bin'), 3);
    const { found, notes } = await inspectPath(out);
    expect(found.filter(({ sure }) => sure === 'certain')).toEqual([]);
    expect(notes).toContainEqual({ message: expect.stringMatching(/^Read as packs: .* not whole/) });
  });

  test('are data sets in a folder that is none; which one is meant has to be said', async () => {
    const parent = testFolder();
    const { images, labels } = digits();
    write(parent, { 'a/images': images, 'a/labels': labels, 'deep/b/images': images, 'deep/b/labels': labels });
    write(parent, { 'deep/notes.md': 'nothing' });
    const { found, notes } = await inspectPath(parent);
    expect(found.map(({ title, source }) => [title.split(':')[0], source.path])).toEqual([
      ['a', path.join(parent, 'a')],
      ['deep', path.join(parent, 'deep')],
    ]);
    expect(notes).toMatchObject([{ message: expect.stringContaining('no data set') }]);
    await expect(givenPlace(parent)).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringContaining('a, '),
    });
    expect((await givenPlace(path.join(parent, 'deep'))).source.path).toBe(path.join(parent, 'deep'));
  });
});

describe('where nothing is recognised', () => {
  test('it is said what is there', async () => {
    const folder = write(testFolder(), { 'a.zzz': 'x', 'b.zzz': 'y', c: 'z' });
    const { found, notes } = await inspectPath(folder);
    expect(found).toEqual([]);
    expect(notes).toContainEqual({
      message: 'No data was recognised among its 3 files: 2 with .zzz, 1 with no ending',
    });
    expect((await inspectPath(testFolder())).notes).toEqual([{ message: 'The folder holds no files' }]);
    await expect(inspectPath(path.join(folder, 'gone'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(givenPlace(folder)).rejects.toMatchObject({ code: 'DATA_MISSING', message: /2 with .zzz/ });
  });

  test.each([
    ['a ZIP archive', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(300)])],
    ['a TAR archive', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(300)])],
    ['a TAR archive', gzipSync(Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(300)]))],
  ])('%s is called so, with what to do', async (name, content) => {
    const file = path.join(write(testFolder(), { data: content }), 'data');
    const { notes } = await inspectPath(file);
    expect(notes).toContainEqual({ message: `This is ${name}: unpack it and choose the folder`, names: ['data'] });
  });
});

describe('stray files (case 6)', () => {
  test('are ignored and listed', async () => {
    const { images, labels } = digits();
    const folder = write(testFolder(), {
      images,
      labels,
      '.DS_Store': 'x',
      'Thumbs.db': 'x',
      'desktop.ini': 'x',
      '.ipynb_checkpoints/images': images,
      '__MACOSX/._images': 'x',
      'labels~': 'x',
    });
    const { found, notes } = await inspectPath(folder);
    expect(found).toHaveLength(1);
    const names = ['.DS_Store', '.ipynb_checkpoints', 'Thumbs.db', '__MACOSX', 'desktop.ini', 'labels~'];
    expect(notes).toEqual([{ message: '6 stray or hidden files are ignored', names, count: 6 }]);
    expect(['_', ' ', 'a b', 'ä', '名'].filter(isStray)).toEqual([]);
  });

  test('files come in the order of code points, folders once, circles of links end', async () => {
    const folder = write(testFolder(), { 'b/2': '', 'b/10': '', 'ä/1': '', 'B/1': '', 'b/c/1': '' });
    mkdirSync(path.join(folder, 'empty'));
    symlinkSync(folder, path.join(folder, 'b', 'again'));
    copyFileSync(path.join(folder, 'b', '2'), path.join(folder, 'z'));
    const listing = await listFolder(folder);
    expect(listing.files.map(({ name }) => name)).toEqual(['B/1', 'b/10', 'b/2', 'b/c/1', 'z', 'ä/1']);
    expect(listing.folders).toEqual(['B', 'b', 'b/again', 'b/c', 'empty', 'ä']);
    expect(listing).toMatchObject({ ignored: [], cut: false });
    expect((await listFolder(folder, { depth: 1 })).files.map(({ name }) => name)).toEqual(['z']);
    expect((await listFolder(folder, { depth: 1 })).cut).toBe(true);
    expect(await listFolder(folder, { most: 2 })).toMatchObject({ cut: true });
  });
});
