/** New images are decoded, turned and resized as those that a run was trained on (case 4): the run's own files give the run's own answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Prediction, predictFiles, predictRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import { counting, idxBytes } from './idx-writer.ts';
import { imageFolder, ramp, raw } from './image-writer.ts';
import { predictedOf } from './runs-helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'gradloom-test-'));
const run = join(folder, 'run');
const data = join(folder, 'data');

beforeAll(async () => {
  vi.stubEnv('GRADLOOM_CACHE', join(folder, 'cache'));
  vi.stubEnv('GRADLOOM_HOME', join(folder, 'home'));
  const photo = (width: number, height: number, step: number) => raw(ramp(width * height * 3, step), width, 3);
  const files = {
    'cat/0.png': photo(20, 12, 7).png(),
    'cat/1.jpg': photo(16, 30, 11).withMetadata({ orientation: 6 }).jpeg(),
    'cat/2.webp': photo(16, 16, 3).webp({ lossless: true }),
    'dog/0.png': raw(ramp(14 * 18 * 4, 5), 14, 4).png(),
    'dog/1.jpg': photo(24, 24, 13).toColourspace('cmyk').jpeg(),
    'dog/2.tif': photo(31, 17, 17).withMetadata({ orientation: 3 }).tiff({ compression: 'lzw' }),
  };
  await imageFolder(files, data);
  const project = {
    gradloom: 1,
    data: {
      source: { kind: 'image_folder', path: data, size: 12 },
      split: { val: 0 },
      transforms: [{ kind: 'Normalize', mean: [0.5], std: [0.5] }],
      loader: { batch_size: 3 },
    },
    model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 2 }] },
    training: { epochs: 2, device: 'cpu' },
  };
  await trainRun({ projectText: JSON.stringify(project), run }, () => {}, new RunControl());
}, 60_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const predicted = (files: string[]) => predictedOf(run, files);

test('case 4: each of the run’s own files gives what the run gives, with its name and the name of its class', async () => {
  const own: Prediction[] = [];
  await predictRun(run, { split: 'train' }, (row) => {
    own.push(row);
  });
  const files = await predicted([data]);
  expect(files.map(({ name }) => name)).toEqual([
    'cat/0.png',
    'cat/1.jpg',
    'cat/2.webp',
    'dog/0.png',
    'dog/1.jpg',
    'dog/2.tif',
  ]);
  expect(files.map(({ logits }) => logits)).toEqual(own.map(({ logits }) => logits));
  expect(files.every(({ label, class: own_ }) => label === ['cat', 'dog'][own_ as number])).toBe(true);
  const [single] = await predicted([join(data, 'dog/1.jpg')]);
  expect(single).toMatchObject({ name: '1.jpg', target: null });
  // A batch of one may be summed in another order.
  single?.logits.forEach((logit, i) => {
    expect(logit).toBeCloseTo(own[4]?.logits[i] as number, 5);
  });
});

test('images of other depths and sizes are brought to the run’s; what is none is named with its reason', async () => {
  const deep = join(folder, 'deep.png');
  await raw(
    ramp(40 * 30).map((value) => value * 257),
    40,
    1,
    16,
  )
    .toColourspace('grey16')
    .png()
    .toFile(deep);
  const plain = join(folder, 'plain.png');
  await raw(ramp(40 * 30), 40, 1)
    .toColourspace('b-w')
    .png()
    .toFile(plain);
  const [a, b] = await predicted([deep, plain]);
  expect(a?.logits).toEqual(b?.logits);
  const text = join(folder, 'text.png');
  writeFileSync(text, 'no image');
  await expect(predicted([plain, text])).rejects.toMatchObject({
    code: 'DATA_FORMAT',
    message: expect.stringContaining('text.png: its content'),
  });
  await expect(predicted([join(folder, 'none.png')])).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
});

test('one that cannot be read does not withhold the others; files of one name are told apart by their folders', async () => {
  const text = join(folder, 'text.png');
  writeFileSync(text, 'no image');
  const rows: Prediction[] = [];
  const bad: string[] = [];
  const files = [join(data, 'cat/0.png'), text, join(folder, 'none.png'), join(data, 'dog/0.png')];
  await predictFiles(run, files, { onBad: (each) => bad.push(...each) }, (row) => {
    rows.push(row);
  });
  expect(rows.map(({ name }) => name)).toEqual(['cat/0.png', 'dog/0.png']);
  expect(bad).toHaveLength(2);
  expect(bad.join()).toMatch(/none\.png.*text\.png: its content/);
});

test('samples of a split have the names of their classes', async () => {
  const rows: Prediction[] = [];
  await predictRun(run, { split: 'train', count: 1, start: 5 }, (row) => {
    rows.push(row);
  });
  expect(rows).toMatchObject([{ target: 1, true_label: 'dog', label: ['cat', 'dog'][rows[0]?.class ?? 0] }]);
});

test('a run of values that are no bytes refuses pictures; one of masks counts positions by class', async () => {
  const shorts = idxBytes(
    [4, 2, 2],
    Array.from({ length: 16 }, (_, i) => 256 * i),
    11,
  );
  const labels = idxBytes(
    [4, 2, 2],
    counting([4, 2, 2]).map((value) => value % 2),
  );
  const deep = await imageFolder({ 'train-images': shorts, 'train-labels': labels });
  const bytes = await imageFolder({
    'train-images': idxBytes([4, 2, 2], counting([4, 2, 2])),
    'train-labels': labels,
  });
  const picture = join(folder, 'two.png');
  await raw([1, 2, 3, 4], 2, 1).toColourspace('b-w').png().toFile(picture);
  const trained = async (path: string) => {
    const own = join(path, 'run');
    const project = {
      data: { source: { kind: 'idx', path }, split: { val: 0 } },
      model: { layers: [{ kind: 'Conv2d', out_channels: 2, kernel_size: 1 }] },
      training: { epochs: 1, device: 'cpu', loss: { kind: 'CrossEntropyLoss' } },
    };
    await trainRun({ projectText: JSON.stringify(project), run: own }, () => {}, new RunControl());
    const rows: Prediction[] = [];
    await predictFiles(own, [picture], {}, (row) => {
      rows.push(row);
    });
    return rows;
  };
  await expect(trained(deep)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
    message: expect.stringContaining('float32'),
  });
  const [row] = await trained(bytes);
  expect(Object.values(row?.positions ?? {}).reduce((sum, count) => sum + count, 0)).toBe(4);
});
