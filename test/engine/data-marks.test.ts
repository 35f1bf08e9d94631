/** Marks beside the data: kept so that nobody loses any, honoured in packs and splits, told where they mean nothing. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MarkChange } from '../../engine/contract/data/marks.ts';
import { describeSource, honourMarks, makeSplits, packSource } from '../../engine/data/index.ts';
import { changeMarks, marksFileOf, needMarksFile, readMarks } from '../../engine/data/marks.ts';
import { folderOf, idxBytes, testFolder } from './idx-writer.ts';
import { inReadOnly } from './unprivileged.ts';

const addon = {
  writeRandom: async () => {},
  randperm: (n: number, seed: number) => Float64Array.from({ length: n }, (_, i) => (i * 7 + seed) % n),
};
const random = { kind: 'random' as const, shape: [2], classes: 2, target_shape: [1], samples: 4, seed: 0 };
const split = { val: 0.25, seed: 0, stratify: true };

const data = (labels = [0, 0, 0, 0, 1, 1, 1, 1]) =>
  folderOf({
    'train-images': idxBytes(
      [labels.length, 1],
      labels.map((_, i) => i),
    ),
    'train-labels': idxBytes([labels.length], labels),
    'test-images': idxBytes([3, 1], [7, 8, 9]),
    'test-labels': idxBytes([3], [0, 1, 1]),
  });
const leaveOut = (sample: string, part: MarkChange['part'] = 'train'): MarkChange => ({
  part,
  sample,
  mark: { exclude: true },
});
const read = (file: string) => [...new BigInt64Array(Uint8Array.from(readFileSync(file)).buffer)].map(Number);

async function honoured(path: string) {
  const source = { kind: 'idx' as const, path };
  const packed = await packSource(source, '/', { cacheDir: testFolder(), addon });
  const folder = testFolder();
  const { pack, notes } = await honourMarks(packed, source, '/', split, { folder });
  return { packed, pack, notes, folder, ...(await makeSplits(pack, split, addon, folder)) };
}

describe('the file', () => {
  test('lies in the folder or beside the file; what is drawn has none', async () => {
    const folder = data();
    expect(await marksFileOf({ kind: 'idx', path: folder }, '/')).toBe(join(folder, 'gradloom-marks.json'));
    const file = join(folder, 'train-images');
    expect(await marksFileOf({ kind: 'idx', path: 'train-images' }, folder)).toBe(`${file}.gradloom-marks.json`);
    expect(await marksFileOf(random, '/')).toBeNull();
    await expect(needMarksFile(random, '/')).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  test('changes are merged by sample, in an order of their own; a mark that says nothing goes', async () => {
    const file = join(testFolder(), 'm.json');
    expect(await readMarks(file)).toEqual([]);
    expect(await changeMarks(file, [{ part: 'train', sample: '9', mark: null }])).toEqual([]);
    expect(existsSync(file)).toBe(false);
    await changeMarks(file, [
      leaveOut('b'),
      leaveOut('a', 'test'),
      { part: 'train', sample: 'a', mark: { label: 'cat' } },
    ]);
    await changeMarks(file, [{ part: 'train', sample: 'b', mark: { note: 'blurred' } }]);
    expect(await readMarks(file)).toEqual([
      { part: 'test', sample: 'a', exclude: true },
      { part: 'train', sample: 'a', label: 'cat' },
      { part: 'train', sample: 'b', note: 'blurred' },
    ]);
    await changeMarks(file, [
      { part: 'train', sample: 'b', mark: {} },
      { part: 'test', sample: 'a', mark: null },
    ]);
    expect(await readMarks(file)).toEqual([{ part: 'train', sample: 'a', label: 'cat' }]);
  });

  test('many writers at once lose nothing, and none waits for one that died', async () => {
    const file = join(testFolder(), 'm.json');
    await Promise.all(Array.from({ length: 30 }, (_, i) => changeMarks(file, [leaveOut(String(i))])));
    expect(await readMarks(file)).toHaveLength(30);
    // What a process that died while it wrote leaves behind.
    const lock = join(file, '..', '.m.json.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(), new Date(Date.now() - 60_000));
    await Promise.all(Array.from({ length: 8 }, (_, i) => changeMarks(file, [leaveOut(`x${i}`)])));
    expect(existsSync(lock)).toBe(false);
    expect(await readMarks(file)).toHaveLength(38);
  });

  test.each(['{"gradloom_marks": 1, "marks": [', '{"gradloom_marks": 2, "marks": []}', '[]'])(
    'what is no file of marks (%s) is told and stays',
    async (text) => {
      const file = join(testFolder(), 'm.json');
      writeFileSync(file, text);
      await expect(readMarks(file)).rejects.toMatchObject({
        code: 'DATA_FORMAT',
        path: file,
        hint: expect.any(String),
      });
      await expect(changeMarks(file, [leaveOut('1')])).rejects.toMatchObject({ code: 'DATA_FORMAT' });
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('a folder that takes no files is told, and what is there stays', async () => {
    const folder = testFolder();
    const file = join(folder, 'm.json');
    await changeMarks(file, [leaveOut('1')]);
    await inReadOnly(folder, async () => {
      await expect(changeMarks(file, [leaveOut('2')])).rejects.toMatchObject({
        code: 'NOT_WRITABLE',
        hint: expect.stringContaining('beside the data'),
      });
      expect(await readMarks(file)).toHaveLength(1);
    });
  });
});

describe('are honoured', () => {
  test('without marks the pack is the pack', async () => {
    const { packed, pack, folder } = await honoured(data());
    expect(pack).toBe(packed);
    expect(existsSync(join(folder, 'split', 'marks.json'))).toBe(false);
  });

  test('samples that are left out are in no list, and the counts say so', async () => {
    const path = data();
    const without = await honoured(path);
    await changeMarks(join(path, 'gradloom-marks.json'), [leaveOut('2'), leaveOut('7'), leaveOut('1', 'test')]);
    const { splits, pack, packed, hash, notes } = await honoured(path);
    expect(notes).toEqual([]);
    expect(pack.hash).toBe(packed.hash);
    expect(hash).not.toBe(without.hash);
    const lists = [splits.train, splits.val].flatMap((each) => read(each?.indices as string));
    expect(lists.sort()).toEqual([0, 1, 3, 4, 5, 6]);
    expect(splits.test).toMatchObject({ part: 'test', count: 2 });
    expect(read(splits.test?.indices as string)).toEqual([0, 2]);
    expect(pack.facts.parts).toEqual({ train: 6, test: 2 });
    expect((await describeSource({ kind: 'idx', path }, '/')).parts).toEqual({ train: 6, test: 2 });
    if (pack.facts.target.kind === 'class' && pack.facts.target.counts)
      expect(pack.facts.target.counts).toEqual([3, 3]);
  });

  test('the test part validates without them', async () => {
    const path = data();
    await changeMarks(join(path, 'gradloom-marks.json'), [leaveOut('0', 'test')]);
    const { pack } = await honoured(path);
    const { splits } = await makeSplits(pack, { ...split, val: 'test' }, addon, testFolder());
    expect(splits.train).toEqual({ part: 'train', count: 8 });
    expect([splits.val, splits.test].map((each) => read(each?.indices as string))).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test('a corrected label is trained on; the pack itself stays, and the hash tells', async () => {
    const path = data();
    await changeMarks(join(path, 'gradloom-marks.json'), [
      { part: 'train', sample: '1', mark: { label: '1' } },
      { part: 'train', sample: '5', mark: { label: '1' } }, // as it is
      { part: 'test', sample: '2', mark: { label: '0' } },
    ]);
    const { pack, packed, folder } = await honoured(path);
    expect(read(pack.parts.train?.target.path as string)).toEqual([0, 1, 0, 0, 1, 1, 1, 1]);
    expect(read(pack.parts.test?.target.path as string)).toEqual([0, 1, 0]);
    expect(pack.parts.train?.target.path).toBe(join(folder, 'split', 'train.target.bin'));
    expect(pack.parts.train?.input).toEqual(packed.parts.train?.input);
    expect(read(packed.parts.train?.target.path as string)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(pack.hash).not.toBe(packed.hash);
    expect((await honoured(path)).pack.hash).toBe(pack.hash);
  });

  test('marks of samples and classes that are not there are told, and the others count', async () => {
    const path = data();
    await changeMarks(join(path, 'gradloom-marks.json'), [
      leaveOut('8'),
      leaveOut('cats/1.png'),
      leaveOut('3'),
      { part: 'train', sample: '0', mark: { label: 'horse' } },
    ]);
    const { pack, notes } = await honoured(path);
    expect(pack.excluded.train).toEqual([3]);
    expect(notes).toEqual([
      expect.objectContaining({ names: ['8', 'cats/1.png'], count: 2 }),
      expect.objectContaining({ names: ['0 as horse'], count: 1 }),
    ]);
  });

  test('a run goes on with the marks that it began with, and says that there are others', async () => {
    const path = data();
    const file = join(path, 'gradloom-marks.json');
    await changeMarks(file, [leaveOut('3')]);
    const { packed, folder, hash } = await honoured(path);
    await changeMarks(file, [leaveOut('4'), { part: 'train', sample: '3', mark: null }]);
    const again = await honourMarks(packed, { kind: 'idx', path }, '/', split, { folder: testFolder(), run: folder });
    expect(again.pack.excluded.train).toEqual([3]);
    expect(again.notes).toEqual([{ message: expect.stringContaining('other marks') }]);
    expect((await makeSplits(again.pack, split, addon, testFolder())).hash).toBe(hash);
    const older = await honourMarks(packed, { kind: 'idx', path }, '/', split, {
      folder: testFolder(),
      run: testFolder(),
    });
    expect(older.pack).toBe(packed);
    expect(older.notes).toHaveLength(1);
  });
});
