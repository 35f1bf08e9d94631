/** The Data Doctor on image files: what cannot be read, what was saved anew, sizes unlike the others'; marks by the files' names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { changeMarks, needMarksFile } from '../../engine/data/index.ts';
import { codes, examine, noise, only } from './doctor-helpers.ts';
import { testFolder } from './idx-writer.ts';

/** A photo of sorts: coloured waves. */
function photo(seed: number, width: number, height: number): Sharp {
  const next = noise(seed);
  const waves = Array.from({ length: 20 }, () => [next() * 12, next() * 12, next() * 6.28, next()] as const);
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at++) {
    const [x, y, colour] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
    const sum = waves.reduce(
      (all, [a, b, p, w]) => all + w * Math.sin((a * x) / width + (b * y) / height + p + colour),
      0,
    );
    pixels[at] = Math.max(0, Math.min(255, 128 + 20 * sum));
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

async function folderOf(files: Record<string, Sharp | Buffer>): Promise<string> {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), Buffer.isBuffer(content) ? content : await content.toBuffer());
  }
  return folder;
}

async function photos(count: number): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for (let i = 0; i < count; i++) {
    files[`${i % 2 ? 'dog' : 'cat'}/${String(i).padStart(2, '0')}.jpg`] = await photo(i, 96, 80)
      .jpeg({ quality: 92 })
      .toBuffer();
  }
  return files;
}

const source = (path: string, more: object = {}) => ({
  kind: 'image_folder',
  path,
  size: [64, 64],
  resize: 'stretch',
  ...more,
});

test('files that cannot be read are errors where they stop a run, and can be left out', async () => {
  const files = await photos(8);
  const whole = files['cat/02.jpg'] as Buffer;
  const path = await folderOf({
    ...files,
    'cat/02.jpg': whole.subarray(0, 400),
    'dog/99.png': Buffer.from('no image'),
  });
  const stopping = only(await examine(source(path)), 'UNREADABLE');
  expect(stopping).toMatchObject({ severity: 'error', count: 2 });
  expect(stopping.offenders.map(({ name }) => name)).toEqual(['cat/02.jpg', 'dog/99.png']);
  expect(stopping.offenders.every(({ detail }) => (detail ?? '') !== '')).toBe(true);
  expect(stopping.fixes[0]?.edits).toEqual([{ op: 'set', path: ['data', 'source', 'on_bad'], value: 'skip' }]);
  const skipping = await examine(source(path, { on_bad: 'skip' }));
  expect(only(skipping, 'UNREADABLE').severity).toBe('warning');
  expect(skipping.splits[0]?.count).toBe(7);
  // Their rows of zeros are no findings of their own.
  expect(codes(skipping)).toEqual(['UNREADABLE']);
});

test('an image that was saved anew, smaller and as another format, is found by name; a fix leaves it out', async () => {
  const files = await photos(12);
  const path = await folderOf({
    ...files,
    'cat/again.webp': await sharp(files['cat/04.jpg']).resize(72, 60).webp({ quality: 70 }).toBuffer(),
    'dog/again.jpg': await sharp(files['dog/03.jpg']).jpeg({ quality: 50 }).toBuffer(),
  });
  const finding = only(await examine(source(path)), 'NEAR_DUPLICATE');
  expect(finding.count).toBe(2);
  expect(finding.offenders.map(({ name, detail }) => `${name} ${detail}`)).toEqual([
    expect.stringMatching(/^cat\/again.webp like cat\/04.jpg/),
    expect.stringMatching(/^dog\/again.jpg like dog\/03.jpg/),
  ]);
  const file = await needMarksFile({ kind: 'image_folder', path } as never, '/');
  await changeMarks(file, finding.fixes.at(-1)?.marks ?? []);
  expect(codes(await examine(source(path)))).toEqual([]);
});

test('a strip among photos, and an icon', async () => {
  const path = await folderOf({
    ...(await photos(8)),
    'cat/strip.png': photo(70, 400, 40).png(),
    'dog/icon.png': photo(71, 12, 12).png(),
  });
  const finding = only(await examine(source(path)), 'ODD_SIZE');
  expect(finding.offenders.map(({ name, detail }) => [name, detail])).toEqual([
    ['cat/strip.png', '400 × 40 pixels'],
    ['dog/icon.png', '12 × 12 pixels, enlarged to 64 × 64'],
  ]);
});
