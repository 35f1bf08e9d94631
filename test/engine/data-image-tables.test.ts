/** Images named by tables, images with masks, CIFAR's files, and what is recognised at a path. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { testFolder } from './idx-writer.ts';
import { imageFolder, opened, packed, raw, written } from './image-writer.ts';
import { tarBytes } from './tar-writer.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const dot = (value = 5) => raw([value, 2, 3], 1, 3).png();
const numbers = (bytes: Buffer) =>
  [...new BigInt64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))].map(Number);
const floats = (bytes: Buffer) => [
  ...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
];

describe('a table of images', () => {
  const csv = async (text: string, files: Record<string, Sharp | Buffer>, more: object = {}) => {
    const folder = await imageFolder({ ...files, 'labels.csv': Buffer.from(text) });
    return opened({ kind: 'image_csv', path: join(folder, 'labels.csv'), ...more });
  };
  const four = { 'a.png': dot(1), 'b.png': dot(2), 'sub/c.png': dot(3), 'd.png': dot(4) };

  test('classes by name, columns found, files found without their endings or folders', async () => {
    const source = await csv('﻿file;label\na.png;dog\nb;cat\nc;dog\nsub/c.png;cat\n', four);
    expect(await source.target()).toMatchObject({ kind: 'class', classes: ['cat', 'dog'], counts: [2, 2] });
    expect(numbers(await written(source, 'train', 'target'))).toEqual([1, 0, 1, 0]);
    expect([...(await written(source, 'train', 'input'))].filter((_, i) => i % 3 === 0)).toEqual([1, 2, 3, 3]);
    expect(source.nameOf?.('train', 2)).toBe('c');
  });

  test('classes that are numbers stand in the order of numbers', async () => {
    const source = await csv('image,level\na.png,10\nb.png,9\nd.png,10\n', four);
    expect(await source.target()).toMatchObject({ classes: ['9', '10'] });
  });

  test('parts and groups by columns; a label that training lacks is refused by name', async () => {
    const text = 'image,label,fold,who\na.png,x,train,anna\nb.png,y,TRAIN,ben\nd.png,x,test,anna\nsub/c.png,x,,anna\n';
    const source = await csv(text, four, { split: 'fold', group: 'who', label: 'label' });
    expect(source.parts).toEqual({ train: 3, test: 1 });
    expect(numbers(await written(source, 'train', 'group'))).toEqual([0, 1, 0]);
    await expect(
      csv(text.replace('d.png,x', 'd.png,zebra'), four, { split: 'fold', label: 'label' }),
    ).rejects.toMatchObject({
      code: 'LABEL_RANGE',
      message: expect.stringContaining('"zebra"'),
    });
    await expect(csv(text.replace('test', 'elsewhere'), four, { split: 'fold', label: 'label' })).rejects.toMatchObject(
      {
        path: 'data.source.split',
      },
    );
  });

  test('several labels: separated in one column, or columns of 0 and 1; numbers', async () => {
    const separated = await csv('image,tags\na.png,sea|sky\nb.png,sky\nd.png,\n', four, {
      separator: '|',
      on_bad: 'skip',
    });
    expect(await separated.target()).toEqual({ kind: 'multi_label', classes: ['sea', 'sky'] });
    const flags = await csv('image,p,q\na.png,1,1\nb.png,0,1\n', four);
    expect(await flags.target()).toEqual({ kind: 'multi_label', classes: ['p', 'q'] });
    expect(floats(await written(flags, 'train', 'target'))).toEqual([1, 1, 0, 1]);
    const oneHot = await csv('image,p,q\na.png,1,0\nb.png,0,1\n', four, { target: 'class', label: ['p', 'q'] });
    expect(numbers(await written(oneHot, 'train', 'target'))).toEqual([0, 1]);
    const vector = await csv('image,x,y\na.png,1.5,2\nb.png,-3,4e2\n', four, { label: ['x', 'y'] });
    expect(floats(await written(vector, 'train', 'target'))).toEqual([1.5, 2, -3, 400]);
  });

  test('rows without a file or a label are bad samples', async () => {
    const folder = await imageFolder({
      ...four,
      'labels.csv': Buffer.from('image,label\na.png,x\nnone.png,x\nb.png,\nd.png,y\n'),
    });
    const source = { kind: 'image_csv', path: join(folder, 'labels.csv') };
    const error = (await packed(source).catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toMatch(/none\.png: it does not exist/);
    expect(error.message).toMatch(/b\.png: it has no label/);
    const { excluded } = await packed({ ...source, on_bad: 'skip' });
    expect(excluded).toEqual({ train: [1, 2] });
  });

  test('what columns there are is told where none fits', async () => {
    await expect(csv('image,label\na.png,x\n', four, { label: 'klass' })).rejects.toMatchObject({
      hint: expect.stringContaining('"label"'),
    });
    await expect(csv('n,label\n1,x\n', four)).rejects.toMatchObject({ path: 'data.source.image' });
  });
});

describe('images and masks', () => {
  const photo = raw(
    Array.from({ length: 12 }, (_, i) => 20 * i),
    2,
    3,
  ).png();
  const mask = (values: number[], width = 2) => raw(values, width, 1).toColourspace('b-w').png();
  const masks = (folder: string, more: object = {}) =>
    opened({ kind: 'image_mask', images: join(folder, 'images'), masks: join(folder, 'masks'), ...more });

  test('pairs by name; the values are the classes, and the ignored one stays', async () => {
    const folder = await imageFolder({
      'images/1.png': photo,
      'images/2.jpg': photo.clone().jpeg(),
      'images/lone.png': photo,
      'masks/1_mask.png': mask([0, 1, 2, 255]),
      'masks/2.png': mask([0, 0, 1, 1]),
    });
    const source = await masks(folder, { classes: ['sky', 'sea', 'land'] });
    expect(source.parts).toEqual({ train: 2 });
    expect([...(await written(source, 'train', 'target'))]).toEqual([0, 1, 2, 255, 0, 0, 1, 1]);
    const target = await source.target();
    expect(target).toMatchObject({
      kind: 'mask',
      dims: [2, 2],
      highest: { sample: 0 },
      classes: ['sky', 'sea', 'land'],
      counts: [3, 3, 1],
      ignored: 255,
    });
    expect(source.notes).toMatchObject([{ message: '1 image without a mask was left out', names: ['lone.png'] }]);
  });

  test('black and white is two classes; a palette’s index is the class', async () => {
    const binary = await imageFolder({ 'images/1.png': photo, 'masks/1.png': mask([0, 255, 255, 0]) });
    const source = await masks(binary);
    expect(await source.target()).toMatchObject({ classes: ['background', 'foreground'], counts: [2, 2] });
    expect([...(await written(source, 'train', 'target'))]).toEqual([0, 1, 1, 0]);

    const colours = [200, 0, 0, 200, 0, 0, 0, 90, 0, 0, 0, 70];
    const image = raw(colours, 2, 3);
    for (const palette of [
      image.clone().png({ palette: true, colours: 4, dither: 0 }),
      image.clone().gif({ dither: 0 }),
    ]) {
      const indexed = await masks(await imageFolder({ 'images/1.png': photo, 'masks/1.bin': palette }));
      const [first, second, third, fourth] = [...(await written(indexed, 'train', 'target'))];
      expect(first).toBe(second);
      expect(new Set([first, third, fourth]).size).toBe(3);
      expect(Math.max(first as number, third as number, fourth as number)).toBeLessThan(4);
    }
  });

  test('masks are resized by nearest, as the images are placed; padding is ignored', async () => {
    const folder = await imageFolder({ 'images/1.png': photo, 'masks/1.png': mask([0, 1, 2, 3]) });
    const larger = await masks(folder, { size: 4, resize: 'stretch' });
    expect([...(await written(larger, 'train', 'target'))]).toEqual([0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]);
    const padded = await masks(folder, { size: [2, 4], resize: 'pad' });
    expect([...(await written(padded, 'train', 'target'))]).toEqual([255, 0, 1, 255, 255, 2, 3, 255]);
  });

  test('a mask of another size, or of colours, is a bad sample', async () => {
    const folder = await imageFolder({
      'images/1.png': photo,
      'images/2.png': photo,
      'images/3.png': photo,
      'masks/1.png': mask([0, 1, 1, 0]),
      'masks/2.png': mask([0, 1, 1], 3),
      'masks/3.png': raw([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], 2, 3).png(),
    });
    const source = { kind: 'image_mask', images: join(folder, 'images'), masks: join(folder, 'masks') };
    const error = (await packed(source).catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toMatch(/2\.png: it has 2 × 2 pixels, but its mask 2\.png has 3 × 1/);
    expect(error.message).toMatch(/3\.png: it holds colours/);
  });
});

describe('CIFAR', () => {
  const row = (labels: number[], value: number) =>
    Buffer.concat([
      Buffer.from(labels),
      Buffer.alloc(1024, value),
      Buffer.alloc(1024, value + 1),
      Buffer.alloc(1024, value + 2),
    ]);
  const batch = Buffer.concat([row([3], 10), row([0], 20)]);
  const names = Buffer.from('airplane\nautomobile\nbird\nkitten\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n');

  test('CIFAR-10 in its folder, gzipped or not, with its names', async () => {
    const folder = await imageFolder({
      'cifar-10-batches-bin/data_batch_1.bin': batch,
      'cifar-10-batches-bin/data_batch_2.bin.gz': gzipSync(batch),
      'cifar-10-batches-bin/test_batch.bin': row([9], 30),
      'cifar-10-batches-bin/batches.meta.txt': names,
    });
    const source = await opened({ kind: 'cifar', path: folder });
    expect(source.parts).toEqual({ train: 4, test: 1 });
    expect(await source.target()).toMatchObject({
      classes: expect.arrayContaining(['kitten']),
      counts: [2, 0, 0, 2, 0, 0, 0, 0, 0, 0],
    });
    const pixels = await written(source, 'train', 'input');
    expect([0, 1024, 2048, 3072, 9216].map((at) => pixels[at])).toEqual([10, 11, 12, 20, 20]);
    expect(numbers(await written(source, 'train', 'target'))).toEqual([3, 0, 3, 0]);
    const rows = source.rows?.('train', { mostBytes: 1 << 20, unpacked: null });
    expect((await rows?.inputs([3]))?.[0]?.[0]).toBe(Math.fround(20 / 255));
  });

  test('the archive as it is fetched', async () => {
    const archive = gzipSync(
      tarBytes([
        { name: 'cifar-10-batches-bin/data_batch_1.bin', content: batch },
        { name: 'cifar-10-batches-bin/batches.meta.txt', content: names },
        { name: 'cifar-10-batches-bin/test_batch.bin', content: row([9], 30) },
      ]),
    );
    const path = join(await imageFolder({ 'cifar-10-binary.tar.gz': archive }), 'cifar-10-binary.tar.gz');
    const source = await opened({ kind: 'cifar', path });
    expect(source.parts).toEqual({ train: 2, test: 1 });
    const pixels = await written(source, 'train', 'input');
    expect([pixels[0], pixels[3072], pixels.length]).toEqual([10, 20, 6144]);
    expect(numbers(await written(source, 'test', 'target'))).toEqual([9]);
    expect(await inspectPath(path)).toMatchObject({ found: [{ source: { kind: 'cifar' } }], notes: [] });
  });

  test('CIFAR-100 with fine or coarse labels', async () => {
    const folder = await imageFolder({
      'train.bin': Buffer.concat([row([7, 88], 1), row([19, 0], 2)]),
      'test.bin': row([0, 99], 3),
    });
    expect(numbers(await written(await opened({ kind: 'cifar', path: folder }), 'train', 'target'))).toEqual([88, 0]);
    const coarse = await opened({ kind: 'cifar', path: folder, labels: 'coarse' });
    expect(numbers(await written(coarse, 'train', 'target'))).toEqual([7, 19]);
    expect(await coarse.target()).toMatchObject({ classes: expect.objectContaining({ length: 20 }) });
  });

  test('cut short, damaged, the version for Python', async () => {
    const cut = await imageFolder({ 'data_batch_1.bin': batch.subarray(0, 5000) });
    await expect(opened({ kind: 'cifar', path: cut })).rejects.toMatchObject({ code: 'DATA_TRUNCATED' });
    const wrong = await opened({ kind: 'cifar', path: await imageFolder({ 'data_batch_1.bin': row([10], 1) }) });
    await expect(wrong.target()).rejects.toMatchObject({ code: 'LABEL_RANGE' });
    const python = await imageFolder({
      'cifar-10-batches-py/data_batch_1': Buffer.from('\x80\x02}q'),
      'cifar-10-batches-py/batches.meta': Buffer.from('x'),
    });
    await expect(opened({ kind: 'cifar', path: python })).rejects.toMatchObject({
      hint: expect.stringContaining('binary version'),
    });
  });
});

describe('what is recognised', () => {
  const best = async (path: string) => (await inspectPath(path)).found[0];

  test('class folders, of several sizes with one that suits them', async () => {
    const path = await imageFolder({
      'a/1.png': raw(new Array(300).fill(1), 10, 3).png(),
      'b/1.bin': raw(new Array(240).fill(9), 8, 3).png(),
    });
    expect(await best(path)).toMatchObject({
      source: { kind: 'image_folder', path, size: 10 },
      sure: 'certain',
      title: 'Image folder, 2 classes, 2 images',
      guesses: [{ key: 'size' }],
      facts: { input: { dims: [3, 10, 10] } },
    });
  });

  test('how the table is read can be said', async () => {
    const folder = await imageFolder({
      'img/1.png': dot(),
      'img/2.png': dot(),
      'labels.csv': Buffer.from('1.png|Gr\xfcn,hell|x\n2.png|Rot|x\n', 'latin1'),
    });
    const said = { delimiter: '|', encoding: 'windows-1252', header: false, label: 'column 2' };
    const open = await opened({ kind: 'image_csv', path: join(folder, 'labels.csv'), ...said });
    expect(await open.target()).toMatchObject({ classes: ['Grün,hell', 'Rot'] });
  });

  test('a column of a table of images that says train and test divides them, as a guess', async () => {
    const table = await imageFolder({
      'img/1.png': dot(),
      'img/2.png': dot(),
      'img/3.png': dot(),
      'labels.csv': Buffer.from('file;what;set\n1.png;a;train\n2.png;b;training\n3.png;a;Test\n'),
    });
    expect(await best(table)).toMatchObject({
      source: { kind: 'image_csv', split: 'set' },
      guesses: [{ key: 'split', value: 'set', reason: expect.stringContaining('"Test", "train", "training"') }],
      facts: { parts: { train: 2, test: 1 } },
    });
  });

  test('a table of images before the images that it names; masks; images alone; CIFAR', async () => {
    const table = await imageFolder({
      'img/1.png': dot(),
      'img/2.png': dot(),
      'labels.csv': Buffer.from('file,label\n1.png,a\n2.png,b\n'),
    });
    expect(await best(table)).toMatchObject({
      source: { kind: 'image_csv', path: join(table, 'labels.csv') },
      sure: 'certain',
    });
    expect(await best(join(table, 'labels.csv'))).toMatchObject({ source: { kind: 'image_csv' } });
    const mask = raw([1, 0, 0, 1], 2, 1).toColourspace('b-w').png();
    const masks = await imageFolder({ 'images/1.png': raw(new Array(12).fill(1), 2, 3).png(), 'masks/1.png': mask });
    expect(await best(masks)).toMatchObject({
      source: { kind: 'image_mask', images: join(masks, 'images') },
      sure: 'certain',
    });
    expect(await best(await imageFolder({ '1.png': dot() }))).toMatchObject({
      source: { kind: 'image_folder', target: 'input' },
      sure: 'possible',
    });
    const cifar = testFolder();
    mkdirSync(join(cifar, 'x'));
    writeFileSync(join(cifar, 'x/data_batch_1.bin'), Buffer.alloc(3073));
    expect(await best(cifar)).toMatchObject({ source: { kind: 'cifar', path: cifar }, title: 'CIFAR-10, 1 image' });
  });
});
