/** What the data say of themselves counts the samples that take part, by the classes that they have by now: marked or unreadable, packed or not. */
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import { decodedRows } from '../../engine/data/images/samples.ts';
import { describeSource, packSource } from '../../engine/data/index.ts';
import { changeMarks, needMarksFile } from '../../engine/data/marks.ts';
import { cacheDir } from '../../engine/workspace.ts';
import { folderOf, idxBytes } from './idx-writer.ts';

const addon = { writeRandom: async () => {} };

describe.each(['not packed', 'packed'])('data that are %s', (state) => {
  test('count the classes without what is left out, with corrected labels', async () => {
    const path = folderOf({
      'train-images': idxBytes([6, 1], [1, 2, 3, 4, 5, 6]),
      'train-labels': idxBytes([6], [0, 0, 0, 1, 1, 1]),
      'test-images': idxBytes([2, 1], [7, 8]),
      'test-labels': idxBytes([2], [0, 1]),
    });
    const source = { kind: 'idx' as const, path };
    if (state === 'packed') await packSource(source, '/', { cacheDir: cacheDir(), addon });
    const before = await describeSource(source, '/');
    expect(before).toMatchObject({ parts: { train: 6, test: 2 }, target: { counts: [3, 3] } });
    await changeMarks(await needMarksFile(source, '/'), [
      { part: 'train', sample: '0', mark: { exclude: true } },
      { part: 'train', sample: '1', mark: { label: '1' } },
      { part: 'test', sample: '0', mark: { exclude: true } },
    ]);
    const after = await describeSource(source, '/');
    expect(after).toMatchObject({ parts: { train: 5, test: 1 }, target: { counts: [1, 4] } });
  });
});

describe('a fault while files are decoded', () => {
  const file = { path: '/a.png', name: 'a.png', bytes: 1, modified: 0, header: null, fault: null };
  const read = async (thrown: unknown) => {
    const bad: string[] = [];
    const decode = async () => {
      throw thrown;
    };
    const rows = decodedRows([file], decode, 1, 'train', { onBad: ({ name }) => bad.push(name) });
    if (typeof rows === 'function') for await (const _ of rows(0));
    return bad;
  };

  test('that is of the file is told as its own', async () => {
    expect(await read(new GradloomError('DATA_FORMAT', 'It is cut short.'))).toEqual(['a.png']);
  });

  test.each(['ADDON_MISMATCH', 'LIBTORCH_MISSING', 'OUT_OF_MEMORY', 'DISK_FULL', 'INTERNAL'] as const)(
    'that is %s ends the import as itself',
    async (code) => {
      await expect(read(new GradloomError(code, 'Not the file.'))).rejects.toMatchObject({ code });
    },
  );
});
