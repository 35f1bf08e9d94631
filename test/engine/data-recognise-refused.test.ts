/** What recognition refuses is told with what to do, and may be read by settings all the same. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { givenPlace } from '../../engine/data/given.ts';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { testFolder } from './idx-writer.ts';
import { imageFolder, raw } from './image-writer.ts';
import { tarBytes } from './tar-writer.ts';

const dot = raw([1, 2, 3], 1, 3).png();

function file(name: string, content: string | Buffer): string {
  const place = join(testFolder(), name);
  writeFileSync(place, content);
  return place;
}

test('a class that only the test part has is the error, not several data sets', async () => {
  const path = await imageFolder({
    'train/a/1.png': dot,
    'train/b/1.png': dot,
    'test/a/1.png': dot,
    'test/fox/1.png': dot,
  });
  const { found, refused } = await inspectPath(path);
  expect(found).toEqual([]);
  expect(refused).toMatchObject([{ kind: 'image_folder', message: expect.stringContaining('"fox"') }]);
  await expect(givenPlace(path)).rejects.toMatchObject({
    message: expect.stringMatching(/^The test part has images of classes that the training part lacks: "fox" \(1\)\.$/),
    hint: expect.stringContaining('training images'),
  });
});

test('a damaged file: its reason once, with its own advice, and settings are tried on what it was refused as', async () => {
  const path = file('x.npy', Buffer.from('\x93NUMPY\x01\x00\x0a\x00{"a": 1}\n ', 'latin1'));
  const { notes, refused } = await inspectPath(path);
  expect(refused).toMatchObject([{ kind: 'npy', hint: expect.any(String) }]);
  expect(notes.map(({ message }) => message).join()).not.toMatch(/\.\./);
  await expect(givenPlace(path)).rejects.toMatchObject({ hint: refused?.[0]?.hint });
  expect(await givenPlace(path, undefined, { x: 'a' })).toMatchObject({ source: { kind: 'npy', path, x: 'a' } });
  await expect(givenPlace(path, undefined, { order: 'a' })).rejects.toMatchObject({ hint: refused?.[0]?.hint });
  expect(await givenPlace(path, undefined, { kind: 'text' })).toMatchObject({ source: { kind: 'text', path } });
});

test('pointers of Git LFS and workbooks are called so', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n';
  const lfs = await inspectPath(file('data.csv', pointer));
  expect(lfs).toMatchObject({ found: [], notes: [{ message: expect.stringContaining('Git LFS') }] });
  const { notes } = await inspectPath(file('data.xlsx', Buffer.from('PK\x03\x04 workbook')));
  expect(notes.map(({ message }) => message).join()).toContain('save it as CSV');
});

test('CIFAR’s archive whose first entry is the folder itself, or says more of the next', async () => {
  const archive = tarBytes([
    { name: './', content: Buffer.alloc(0), kind: '5' },
    { name: './cifar-10-batches-bin/data_batch_1.bin', content: Buffer.alloc(3073) },
  ]);
  const { found } = await inspectPath(file('c.tar.gz', gzipSync(archive)));
  expect(found).toMatchObject([{ source: { kind: 'cifar' } }]);
});

test('rows that an import stops at are said to be such, not to be left out', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${i % 7},${i % 2 ? 'a' : 'b'}`);
  const { found } = await inspectPath(file('t.csv', ['x,z,label', ...rows, '1,2'].join('\n')));
  const [note] = found[0]?.notes.filter(({ otherwise }) => otherwise !== undefined) ?? [];
  expect(note?.message).toContain('an import stops at');
  expect(note?.otherwise).toContain('were left out');
});

test.each(['empty.csv', 'empty.npy', 'empty.txt'])('%s of 0 bytes is told to be empty', async (name) => {
  await expect(givenPlace(file(name, ''))).rejects.toMatchObject({
    code: 'DATA_MISSING',
    message: expect.stringMatching(/0 bytes|is empty|cut short/),
  });
});
