/** A workspace of ours and scattered pictures are no data set with a class a folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { imageFolder, raw } from './image-writer.ts';

const dot = raw([1, 2, 3], 1, 3).png();

test('of a workspace its data are offered, and files that lie loose among them told', async () => {
  const text = Buffer.from('{}');
  const path = await imageFolder({
    'data/photos/barn/1.png': dot,
    'data/photos/lake/1.png': dot,
    'projects/net.gradloom.json': text,
    'runs/net-001/look/1.png': dot,
  });
  writeFileSync(join(path, 'data', 'flats.csv'), 'a,b\n1,2\n');
  const { found, notes } = await inspectPath(path);
  expect(found.map(({ source, title }) => [source.path, title])).toEqual([
    [join(path, 'data', 'photos'), expect.stringMatching(/^data\/photos: Image folder, 2 classes/)],
  ]);
  expect(notes[0]?.message).toContain('is a workspace of Gradloom');
  expect(notes[1]).toMatchObject({ names: ['data/flats.csv'], count: 1 });
});

test('pictures deep among other files are hardly of the class of the folder far above', async () => {
  const scattered = { 'a/trip/one/1.png': dot, 'a/trip/one/notes.txt': Buffer.from('x'), 'b/trip/two/1.png': dot };
  const { found } = await inspectPath(await imageFolder(scattered));
  expect(found.find(({ source }) => source.kind === 'image_folder')).toMatchObject({ sure: 'possible' });
  const tidy = await inspectPath(
    await imageFolder({ 'train/a/1.png': dot, 'train/b/1.png': dot, 'train/b/notes.txt': Buffer.from('x') }),
  );
  expect(tidy.found[0]).toMatchObject({ source: { kind: 'image_folder' }, sure: 'certain' });
});
