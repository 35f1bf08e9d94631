/** Image files: one rule for each way in which they are stored, the same in packs and previews; what is bad or no image at all. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BmpHeader, decodeBmp } from '../../engine/data/images/bmp.ts';
import { readHeader } from '../../engine/data/images/header.ts';
import { testFolder } from './idx-writer.ts';
import { bmp, imageFolder, opened, packed, previewed, ramp, raw, written } from './image-writer.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const folder = (path: string, more: object = {}) => opened({ kind: 'image_folder', path, ...more });

/** Channels × height × width of height × width × channels. */
function planesOf(values: number[], channels: number): number[] {
  return Array.from({ length: channels }, (_, c) => values.filter((_v, i) => i % channels === c)).flat();
}

describe('case 4: one rule for each way in which an image is stored', () => {
  // 2 rows of 3: each pixel another grey, so that every turn shows.
  const grey = [10, 20, 30, 40, 50, 60];
  const upright: Record<number, number[]> = {
    1: grey,
    2: [30, 20, 10, 60, 50, 40],
    3: [60, 50, 40, 30, 20, 10],
    4: [40, 50, 60, 10, 20, 30],
    5: [10, 40, 20, 50, 30, 60],
    6: [40, 10, 50, 20, 60, 30],
    7: [60, 30, 50, 20, 40, 10],
    8: [30, 60, 20, 50, 10, 40],
  };

  test.each(['png', 'webp', 'tiff', 'jpeg'] as const)(
    'EXIF orientation turns %s upright, in packs and in previews',
    async (format) => {
      for (const [orientation, wanted] of Object.entries(upright)) {
        const image = raw(grey, 3, 1)
          .toColourspace('b-w')
          .withMetadata({ orientation: Number(orientation) });
        const options = { webp: { lossless: true }, tiff: { compression: 'none' }, jpeg: { quality: 100 }, png: {} }[
          format
        ];
        const path = await imageFolder({ 'a/x.bin': image.toFormat(format, options) });
        const source = await folder(path, { channels: 'L' });
        expect(source.columns.input.shape).toEqual(Number(orientation) > 4 ? [1, 3, 2] : [1, 2, 3]);
        const values = [...(await written(source, 'train', 'input'))];
        if (format !== 'jpeg') expect(values).toEqual(wanted);
        expect(values.every((value, i) => Math.abs(value - (wanted[i] as number)) <= 6)).toBe(true);
        expect(await previewed(source, 'train', [0])).toEqual([values.map((value) => Math.fround(value / 255))]);
        const turned = source.notes?.find(({ message }) => message === '1 image was turned by EXIF orientation');
        expect(turned?.names).toEqual(orientation === '1' ? undefined : ['a/x.bin']);
      }
    },
  );

  test('orientation that XMP alone tells counts too', async () => {
    const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6"/></x:xmpmeta>';
    const path = await imageFolder({ 'a/x': raw(grey, 3, 1).withXmp(xmp).jpeg() });
    expect((await folder(path)).columns.input.shape.slice(1)).toEqual([3, 2]);
  });

  test('16 bits stay 16 bits; 8 bits among them count 257 times', async () => {
    const deep = [0, 1, 255, 256, 40_000, 65_535];
    const path = await imageFolder({
      'a/0.png': raw(deep, 3, 1, 16).toColourspace('grey16').png(),
      'a/1.png': raw(grey, 3, 1).toColourspace('b-w').png(),
    });
    const source = await folder(path);
    expect(source.columns.input).toEqual({ dtype: 'uint16', shape: [1, 2, 3], scaled: true });
    const bytes = await written(source, 'train', 'input');
    expect([...new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))]).toEqual([
      ...deep,
      ...grey.map((value) => value * 257),
    ]);
    expect((await previewed(source, 'train', [0]))[0]).toEqual(deep.map((value) => Math.fround(value / 65_535)));
    expect(source.notes?.map(({ message }) => message)).toEqual([
      'The 16 bits of 1 image are kept',
      'The 8-bit values of 1 image count 257 times among those of 16 bits',
    ]);
  });

  test('alpha is left out and colours stay as they are stored, unless RGBA is asked for', async () => {
    const seen = [200, 100, 50, 255, 1, 2, 3, 0];
    const opaque = [9, 8, 7, 6, 5, 4];
    const path = await imageFolder({ 'a/0.png': raw(seen, 2, 4).png(), 'a/1.png': raw(opaque, 2, 3).png() });
    const plain = await folder(path);
    expect([...(await written(plain, 'train', 'input'))]).toEqual([
      ...planesOf([200, 100, 50, 1, 2, 3], 3),
      ...planesOf(opaque, 3),
    ]);
    expect(plain.notes).toEqual([
      { message: 'The alpha of 1 image was left out; colours are as they are stored', names: ['a/0.png'], count: 1 },
    ]);
    const whole = await folder(path, { channels: 'RGBA' });
    expect([...(await written(whole, 'train', 'input'))]).toEqual([
      ...planesOf(seen, 4),
      ...planesOf([9, 8, 7, 255, 6, 5, 4, 255], 4),
    ]);
  });

  test('grey where all images are grey, else RGB; grey of colours as Pillow weighs them', async () => {
    const colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 12, 200, 90];
    const files = { 'a/0.png': raw([1, 2, 3, 4], 2, 1).toColourspace('b-w').png() };
    expect((await folder(await imageFolder(files))).columns.input.shape).toEqual([1, 2, 2]);
    const both = await imageFolder({ ...files, 'a/1.png': raw(colours, 2, 3).png() });
    expect([...(await written(await folder(both), 'train', 'input'))]).toEqual([
      1,
      2,
      3,
      4,
      1,
      2,
      3,
      4,
      1,
      2,
      3,
      4,
      ...planesOf(colours, 3),
    ]);
    const source = await folder(both, { channels: 'L' });
    expect([...(await written(source, 'train', 'input'))]).toEqual([1, 2, 3, 4, 76, 150, 29, 131]);
  });

  test('a CMYK JPEG becomes RGB; palettes are expanded; of a GIF and an animated WebP the first frame is read', async () => {
    const red = sharp({ create: { width: 16, height: 16, channels: 3, background: '#c83214' } });
    const frames = Buffer.concat([Buffer.alloc(48, 40), Buffer.alloc(48, 200)]);
    const animated = sharp(frames, { raw: { width: 4, height: 8, channels: 3, pageHeight: 4 } });
    const values = async (file: Sharp) => {
      const source = await folder(await imageFolder({ 'a/x': file }), { channels: 'RGB' });
      return {
        first: (await previewed(source, 'train', [0]))[0] ?? [],
        shape: source.columns.input.shape,
        notes: source.notes ?? [],
      };
    };
    const cmyk = await values(red.clone().toColourspace('cmyk').jpeg({ quality: 100 }));
    expect(cmyk.notes[0]?.message).toBe('1 image in CMYK was converted to RGB');
    // The profile by which sharp made it CMYK is not undone: Pillow's formula is, which keeps red red.
    expect(
      (cmyk.first[0] as number) > 0.6 && (cmyk.first[256] as number) < 0.35 && (cmyk.first[512] as number) < 0.3,
    ).toBe(true);
    const palette = await values(red.clone().png({ palette: true }));
    expect(new Set(palette.first)).toEqual(new Set([200, 50, 20].map((value) => Math.fround(value / 255))));
    for (const file of [animated.clone().webp({ lossless: true }), animated.clone().gif()]) {
      const { first, shape } = await values(file);
      expect(shape).toEqual([3, 4, 4]);
      expect(new Set(first)).toEqual(new Set([Math.fround(40 / 255)]));
    }
  });

  test('floats of a TIFF in 0 to 1 become 16 bits; beyond, the file is bad', async () => {
    const tiff = (values: number[]) =>
      sharp(Float32Array.from(values), { raw: { width: 2, height: 2, channels: 1 } })
        .pipelineColourspace('b-w')
        .tiff({ compression: 'none', predictor: 'none' })
        .toColourspace('b-w');
    const made = await tiff([0, 0.25, 0.5, 1]).toBuffer();
    const { depth } = await sharp(made).metadata();
    if (depth !== 'float') return; // this sharp writes none
    const source = await folder(await imageFolder({ 'a/x.tif': made }));
    expect((await previewed(source, 'train', [0]))[0]).toEqual(
      [0, 16_384, 32_768, 65_535].map((v) => Math.fround(v / 65_535)),
    );
  });
});

describe('BMP files', () => {
  const decode = (file: Buffer): BmpHeader & { pixels: number[]; channels: number } => {
    const { pixels, ...rest } = decodeBmp(file);
    return { ...rest, pixels: [...pixels] };
  };

  test('bottom up and top down, 24 and 32 bits, 16 bits with fields', () => {
    const rows = [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0];
    const top = [3, 2, 1, 6, 5, 4];
    const below = [9, 8, 7, 12, 11, 10];
    expect(decode(bmp({ width: 2, height: 2, bits: 24, rows })).pixels).toEqual([...below, ...top]);
    expect(decode(bmp({ width: 2, height: -2, bits: 24, rows })).pixels).toEqual([...top, ...below]);
    expect(decode(bmp({ width: 1, height: 1, bits: 32, rows: [1, 2, 3, 99] })).pixels).toEqual([3, 2, 1]);
    const masks = [0xff, 0xff00, 0xff0000];
    expect(decode(bmp({ width: 1, height: 1, bits: 32, compression: 3, masks, rows: [1, 2, 3, 99] })).pixels).toEqual([
      1, 2, 3,
    ]);
    const five = bmp({
      width: 2,
      height: 1,
      bits: 16,
      compression: 3,
      masks: [0xf800, 0x07e0, 0x001f],
      rows: [0xff, 0xff, 0x1f, 0],
    });
    expect(decode(five).pixels).toEqual([255, 255, 255, 0, 0, 255]);
  });

  test('palettes of 1, 4 and 8 bits, run lengths of 4 and 8', () => {
    const palette = [
      [0, 0, 0],
      [250, 10, 20],
      [1, 2, 3],
    ];
    expect(
      decode(bmp({ width: 9, height: 1, bits: 1, palette: palette.slice(0, 2), rows: [0b1010_0000, 0x80, 0, 0] }))
        .pixels,
    ).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 1]);
    expect(decode(bmp({ width: 3, height: 1, bits: 4, palette, rows: [0x12, 0x20, 0, 0] })).pixels).toEqual([1, 2, 2]);
    const packed8 = [3, 1, 0, 0, 0, 3, 0, 1, 2, 0, 0, 1];
    expect(decode(bmp({ width: 3, height: 2, bits: 8, compression: 1, palette, rows: packed8 })).pixels).toEqual([
      0, 1, 2, 1, 1, 1,
    ]);
    expect(
      decode(bmp({ width: 5, height: 1, bits: 4, compression: 2, palette, rows: [5, 0x12, 0, 1] })).pixels,
    ).toEqual([1, 2, 1, 2, 1]);
  });

  test('what is cut short or of another kind says so', () => {
    expect(() => decodeBmp(bmp({ width: 9, height: 9, bits: 24, rows: [1, 2, 3] }))).toThrow('cut short');
    expect(() => decodeBmp(bmp({ width: 1, height: 1, bits: 24, compression: 4, rows: [0] }))).toThrow('compression 4');
    expect(() => decodeBmp(bmp({ width: 1, height: 1, bits: 2, rows: [0] }))).toThrow('2 bits a pixel');
  });
});

describe('case 5: everything is decoded at import, and the bad files are listed', () => {
  const photo = sharp({
    create: {
      width: 64,
      height: 48,
      channels: 3,
      background: '#6080a0',
      noise: { type: 'gaussian', mean: 100, sigma: 40 },
    },
  });
  async function withBad() {
    const whole = await photo.clone().jpeg().toBuffer();
    const png = await photo.clone().png().toBuffer();
    const bomb = Buffer.from(await photo.clone().png().toBuffer());
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    return imageFolder({
      'a/0.jpg': whole,
      'a/1.jpg': whole.subarray(0, whole.length / 2),
      'a/2.jpg': whole.subarray(0, whole.length - 2),
      'a/3.jpg': Buffer.alloc(0),
      'b/0.png': png,
      'b/1.png': png.subarray(0, png.length / 2),
      'b/2.png': bomb,
      'b/3.jpg': Buffer.from('<!DOCTYPE html>'),
    });
  }
  const bad = ['a/1.jpg', 'a/2.jpg', 'a/3.jpg', 'b/1.png', 'b/2.png', 'b/3.jpg'];

  test('the import stops with the whole list', async () => {
    const path = await withBad();
    const error = await packed({ kind: 'image_folder', path }).catch((thrown: Error) => thrown);
    for (const name of bad) expect(String((error as Error).message)).toContain(name.replace(/^./, (first) => first));
  });

  test('or leaves them out, for good', async () => {
    const path = await withBad();
    const { excluded, facts, parts } = await packed({ kind: 'image_folder', path, on_bad: 'skip' });
    expect(excluded).toEqual({ train: [1, 2, 3, 5, 6, 7] });
    expect(parts.train?.count).toBe(8);
    expect(facts.input.dims).toEqual([3, 48, 64]);
  });

  test('each says why', async () => {
    const source = await folder(await withBad());
    const reasons: Record<string, string> = {};
    await source.write(
      'train',
      async (_role, rows) => {
        for await (const _ of typeof rows === 'function' ? rows(0) : rows);
      },
      {
        addon: null as never,
        paths: { input: '', target: '', group: '' },
        onBad: ({ name, reason }) => (reasons[name] = reason),
      },
    );
    expect(Object.keys(reasons).sort()).toEqual(bad);
    for (const name of ['a/1.jpg', 'a/2.jpg', 'b/1.png']) expect(reasons[name]).toBe('it is cut short');
    expect(reasons['a/3.jpg']).toBe('it is empty');
    expect(reasons['b/2.png']).toMatch(/60000 × 60000 pixels; more than 178,956,970/);
    expect(reasons['b/3.jpg']).toMatch(/none of the kinds of images/);
  });
});

describe('case 6: what is no class and no sample', () => {
  const dot = () => raw([1, 2, 3], 1, 3).png();

  test('stray files and folders are ignored and listed; a folder named as an image is a folder; links are followed', async () => {
    const path = await imageFolder({
      'cats/1.png': dot(),
      'dogs/x.png/2.png': dot(),
      'dogs/notes.txt': Buffer.from('hello'),
      '.DS_Store': Buffer.from('x'),
      'cats/.DS_Store': Buffer.from('x'),
      '.ipynb_checkpoints/1.png': dot(),
      'cats/Thumbs.db': Buffer.from('x'),
    });
    symlinkSync(join(path, 'cats/1.png'), join(path, 'dogs/link.png'));
    const source = await folder(path);
    expect(await source.target()).toMatchObject({ kind: 'class', classes: ['cats', 'dogs'], counts: [1, 2] });
    expect([0, 1, 2].map((at) => source.nameOf?.('train', at))).toEqual([
      'cats/1.png',
      'dogs/link.png',
      'dogs/x.png/2.png',
    ]);
    const notes = JSON.stringify(source.notes);
    for (const name of ['.ipynb_checkpoints', '.DS_Store', 'cats/.DS_Store', 'cats/Thumbs.db', 'dogs/notes.txt']) {
      expect(notes).toContain(name);
    }
  });

  test('an empty class folder: a note, and a choice', async () => {
    const path = await imageFolder({ 'a/1.png': dot(), 'c/1.png': dot() });
    mkdirSync(join(path, 'b'));
    const kept = await folder(path);
    expect(await kept.target()).toMatchObject({ classes: ['a', 'b', 'c'], counts: [1, 0, 1] });
    expect(kept.notes).toMatchObject([{ names: ['b'] }]);
    const dropped = await folder(path, { empty_classes: 'drop' });
    expect(await dropped.target()).toMatchObject({ classes: ['a', 'c'], counts: [1, 1] });
    expect([...new BigInt64Array((await written(dropped, 'train', 'target')).buffer.slice(0, 16))]).toHaveLength(2);
  });

  test('classes of any name, in the order of code points', async () => {
    const names = ['_', ' ', 'a b', 'Straße', '犬', '🐈', 'Z', 'a', '10', '9'];
    const path = await imageFolder(Object.fromEntries(names.map((name) => [`${name}/1.png`, dot()])));
    expect(await (await folder(path)).target()).toMatchObject({
      classes: [' ', '10', '9', 'Z', '_', 'a', 'a b', 'Straße', '犬', '🐈'].sort((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      ),
    });
  });

  test('a single file, no images, images without class folders: what to do instead', async () => {
    const path = await imageFolder({ '1.png': dot(), 'x.txt': Buffer.from('x') });
    await expect(folder(join(path, '1.png'))).rejects.toMatchObject({ code: 'DATA_FORMAT' });
    await expect(folder(path)).rejects.toMatchObject({ code: 'DATA_FORMAT', hint: expect.stringContaining('"input"') });
    expect((await folder(path, { target: 'input' })).parts).toEqual({ train: 1 });
    await expect(folder(join(path, 'gone'))).rejects.toMatchObject({ code: 'DATA_MISSING' });
    await expect(folder(testFolder())).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });
});

describe('case 7: one class map, from the training part, by name', () => {
  const dot = () => raw([1, 2, 3], 1, 3).png();
  const labels = async (path: string, part: string) => {
    const bytes = await written(await folder(path), part, 'target');
    return [...new BigInt64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))].map(Number);
  };

  test.each([
    ['train', 'val', 'test'],
    ['Training', 'VALIDATION', 'Testing'],
    ['TRAIN', 'valid', 'test'],
  ])('parts %s, %s, %s: a part that lacks a class keeps the indices', async (train, val, test_) => {
    const path = await imageFolder({
      [`${train}/a/1.png`]: dot(),
      [`${train}/b/1.png`]: dot(),
      [`${train}/c/1.png`]: dot(),
      [`${val}/c/1.png`]: dot(),
      [`${test_}/b/1.png`]: dot(),
      [`${test_}/c/1.png`]: dot(),
    });
    const source = await folder(path);
    expect(source.parts).toEqual({ train: 3, val: 1, test: 2 });
    expect(await labels(path, 'val')).toEqual([2]);
    expect(await labels(path, 'test')).toEqual([1, 2]);
  });

  test('a class that training lacks is refused by name', async () => {
    const path = await imageFolder({ 'train/a/1.png': dot(), 'test/a/1.png': dot(), 'test/zebra/1.png': dot() });
    await expect(folder(path)).rejects.toMatchObject({
      code: 'LABEL_RANGE',
      message: expect.stringContaining('"zebra" (1)'),
    });
  });

  test('folders of an archive’s own are looked into', async () => {
    const path = await imageFolder({ 'data/train/a/1.png': dot(), 'data/test/a/1.png': dot() });
    expect((await folder(path)).parts).toEqual({ train: 1, test: 1 });
  });
});

describe('sizes', () => {
  const image = (width: number, height: number) => raw(ramp(width * height * 3), width, 3).png();

  test('images of several sizes want one, and the sizes are told', async () => {
    const path = await imageFolder({ 'a/1.png': image(8, 6), 'a/2.png': image(8, 6), 'a/3.png': image(5, 9) });
    await expect(folder(path)).rejects.toMatchObject({
      path: 'data.source.size',
      message: expect.stringContaining('8 × 6 (2), 5 × 9 (1)'),
      fixes: [{ label: 'Resize all to 6 × 6', edits: [{ op: 'set', path: ['data', 'source', 'size'], value: 6 }] }],
    });
    for (const resize of ['crop', 'stretch', 'pad']) {
      const source = await folder(path, { size: [4, 7], resize });
      expect(source.columns.input.shape).toEqual([3, 4, 7]);
      expect(await written(source, 'train', 'input')).toHaveLength(3 * 3 * 4 * 7);
    }
    expect([...((await (await folder(path, { size: 4 })).sizes?.('train')) ?? [])]).toEqual([8, 6, 8, 6, 5, 9]);
  });

  test('what is padded holds the fill', async () => {
    const path = await imageFolder({ 'a/1.png': raw([100, 100, 100, 100, 100, 100], 2, 3).png() });
    const source = await folder(path, { size: [4, 2], resize: 'pad', fill: [1, 2, 3] });
    expect([...(await written(source, 'train', 'input'))]).toEqual([
      1, 1, 100, 100, 1, 1, 1, 1, 2, 2, 100, 100, 2, 2, 2, 2, 3, 3, 100, 100, 3, 3, 3, 3,
    ]);
    await expect(folder(path, { size: 4, resize: 'pad', fill: [1, 2] })).rejects.toMatchObject({
      path: 'data.source.fill',
    });
  });

  test('a changed file is another identity', async () => {
    const path = await imageFolder({ 'a/1.png': image(8, 6) });
    const before = (await folder(path)).identity;
    expect((await folder(path)).identity).toEqual(before);
    writeFileSync(join(path, 'a/1.png'), await image(8, 7).toBuffer());
    expect((await folder(path)).identity).not.toEqual(before);
  });

  test('recognised by content: an image by another name is one, a text by an image’s name is none', async () => {
    const path = await imageFolder({ 'a/1.txt': image(2, 2), 'a/2.png': Buffer.from('BM is no bitmap by itself') });
    expect(await readHeader(join(path, 'a/1.txt'))).toMatchObject({ format: 'png', width: 2, height: 2 });
    expect(await readHeader(join(path, 'a/2.png'))).toBeNull();
    expect(readFileSync(join(path, 'a/1.txt')).length).toBeGreaterThan(0);
  });
});
