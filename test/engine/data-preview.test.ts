/** Samples as a person sees them before training are those that the network will get, bit for bit. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { type DataPack, Previews, packSource } from '../../engine/data/index.ts';
import { honourMarks } from '../../engine/data/marked.ts';
import { changeMarks, needMarksFile } from '../../engine/data/marks.ts';
import { divideParts } from '../../engine/data/split.ts';
import { readSafetensors } from '../../engine/export/safetensors.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { nativePlan, planRun, prepareData } from '../../engine/runs/prepare.ts';
import { counting, idxBytes, testFolder } from './idx-writer.ts';

const nothingToPack = () => Promise.reject(new Error('not to be packed'));
const normalize = { kind: 'Normalize', mean: [0.1307, 0.2], std: [0.3081, 0.7] };

function digits(zipped: boolean): { path: string; images: number[] } {
  const folder = join(testFolder(), 'data');
  mkdirSync(folder);
  const images = counting([60, 2, 3, 5]);
  const labels = Array.from({ length: 60 }, (_, i) => i % 4);
  const write = (name: string, bytes: Buffer) =>
    writeFileSync(join(folder, zipped ? `${name}.gz` : name), zipped ? gzipSync(bytes) : bytes);
  write('train-images-idx4-ubyte', idxBytes([60, 2, 3, 5], images));
  write('train-labels-idx1-ubyte', idxBytes([60], labels));
  write('t10k-images-idx4-ubyte', idxBytes([8, 2, 3, 5], counting([8, 2, 3, 5])));
  write('t10k-labels-idx1-ubyte', idxBytes([8], [3, 2, 1, 0, 3, 2, 1, 0]));
  return { path: folder, images };
}

/** A safetensors file of one square matrix, ones on its diagonal. */
function identity(name: string, width: number): Buffer {
  const values = Float32Array.from({ length: width * width }, (_, i) => (i % (width + 1) === 0 ? 1 : 0));
  const tensor = { dtype: 'F32', shape: [width, width], data_offsets: [0, values.byteLength] };
  const header = Buffer.from(JSON.stringify({ [name]: tensor }).padEnd(128));
  const length = Buffer.alloc(8);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, Buffer.from(values.buffer)]);
}

test.each([
  [false, 1e9],
  [true, 1e9],
  [true, 0],
])('samples of IDX files, gzipped: %s, kept in memory up to %d bytes', async (zipped, mostBytes) => {
  const { path, images } = digits(zipped);
  const previews = new Previews(nothingToPack, { mostBytes });
  const source = { kind: 'idx' as const, path };
  const shown = await previews.preview(source, '/', [normalize], { part: 'train', start: 7, count: 3 });
  expect(shown).toMatchObject({ total: 60, transformError: null, facts: { parts: { train: 60, test: 8 } } });
  expect(shown.samples.map(({ index, target }) => [index, target])).toEqual([[7, 3], [8, 0], [9, 1]]); // biome-ignore format: short
  const raw = images.slice(7 * 30, 8 * 30).map((value) => Math.fround(value / 255));
  expect(shown.samples[0]?.raw).toEqual(raw);
  const last = await previews.preview(source, '/', [], { part: 'train', start: 58, count: 9 });
  expect(last.samples[1]?.raw).toEqual(images.slice(59 * 30).map((value) => Math.fround(value / 255)));
  expect(shown.range.raw).toEqual([0, 1].map(() => expect.any(Number)));
  const only = await previews.preview(source, '/', [], { part: 'train', start: 2, count: 2, class: 3 });
  expect(only.total).toBe(15);
  expect(only.samples.map(({ index }) => index)).toEqual([11, 15]);
  expect(only.samples[0]?.transformed).toEqual(only.samples[0]?.raw);
  const test = await previews.preview(source, '/', [], { part: 'test', start: 6, count: 9 });
  expect(test.samples.map(({ target }) => target)).toEqual([1, 0]);
  const facts = await previews.preview(source, '/', [], { part: 'train', start: 0, count: 0 });
  expect(facts).toMatchObject({ total: 60, samples: [], range: { raw: [0, 0] } });
  const beyond = await previews.preview(source, '/', [], { part: 'train', start: 60, count: 5 });
  expect(beyond.samples).toEqual([]);
});

test('who waits no longer takes nothing from others that wait for the same file', async () => {
  const source = { kind: 'idx' as const, path: digits(true).path };
  const previews = new Previews(nothingToPack);
  const end = new AbortController();
  const wanted = { part: 'train' as const, start: 0, count: 3 };
  await previews.preview(source, '/', [], { ...wanted, count: 0, class: 1 }); // labels are known, images not yet
  const left = previews.preview(source, '/', [], wanted, end.signal);
  const stays = previews.preview(source, '/', [], wanted);
  end.abort();
  await expect(left).rejects.toThrow('aborted');
  expect((await stays).samples).toHaveLength(3);
});

const drawn = [
  { kind: 'Resize', size: [9, 8] },
  { kind: 'RandomResizedCrop', size: [6, 5] },
  { kind: 'GaussianNoise', sigma: 0.2 },
  { kind: 'Normalize' },
  { kind: 'RandomErasing', p: 0.6 },
  { kind: 'RandomHorizontalFlip' },
];

test.each([
  ['that only change values', [normalize], [2, 3, 5]],
  ['that are drawn, and fitted on the samples that train', drawn, [2, 6, 5]],
])('transforms %s give the tensors that the network receives, bit for bit', async (_name, transforms, dims) => {
  const { path } = digits(false);
  const source = { kind: 'idx' as const, path };
  const split = { val: 0.25, seed: 5 };
  const cacheDir = testFolder();
  vi.stubEnv('GRADLOOM_CACHE', cacheDir);
  const addon = loadAddon();
  // A network that hands its input on, so that predictions are the transformed samples.
  const width = dims.reduce((product, dim) => product * dim, 1);
  const layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: width, bias: false }];
  const data = { source, split, transforms, loader: { batch_size: 7 } };
  const project = { gradloom: 1, data, model: { layers }, training: { seed: 11 } };
  const { plan } = await planRun({ text: JSON.stringify(project), baseDir: '/', label: 'it' });
  expect(plan.input).toEqual(dims);
  const prepared = await prepareData(plan, addon, cacheDir);
  const native = nativePlan(plan, prepared, { device: 'cpu', precision: 'fp32', threads: 1 });
  const session = await addon.createSession(JSON.stringify(native));
  const weights = join(cacheDir, 'identity.safetensors');
  writeFileSync(weights, identity('1.weight', width));
  expect((await session.loadWeights(weights)).matched).toEqual(['1.weight']);
  const { logits } = await session.predict({ split: 'val', start: 0, count: 15 });
  const batch = join(cacheDir, 'batch.safetensors');
  await session.saveBatch({ epoch: 2, batch: 3 }, batch);
  await session.close();

  const previews = new Previews((of, base) => packSource(of, base, { cacheDir, addon }));
  const whole = { part: 'train' as const, start: 0, count: 60 };
  const own = { split: plan.project.data.split };
  const still = await previews.preview(source, '/', transforms, whole, undefined, own);
  const drawn = { ...whole, epoch: 2, seed: 11 };
  const drawnNow = await previews.preview(source, '/', transforms, drawn, undefined, own);
  vi.unstubAllEnvs();
  expect(still.dims).toEqual(dims);
  const rows = (part: 'train' | 'val') =>
    [...new BigInt64Array(Uint8Array.from(readFileSync(prepared.splits[part]?.indices as string)).buffer)].map(Number);
  const evaluated = rows('val').flatMap((row) => still.samples[row]?.transformed ?? []);
  expect(Array.from(logits)).toEqual(evaluated);
  const [input] = (await readSafetensors(batch)).tensors.filter(({ name }) => name === 'input');
  const chunks: Buffer[] = [];
  for await (const chunk of (input as NonNullable<typeof input>).chunks()) chunks.push(Buffer.from(chunk));
  const trained = new Float32Array(Uint8Array.from(Buffer.concat(chunks)).buffer);
  const order = addon.randperm(45, 11 + 2).slice(21, 28);
  const shown = [...order].flatMap(
    (position) => drawnNow.samples[rows('train')[position] as number]?.transformed ?? [],
  );
  expect(Array.from(trained)).toEqual(shown);
});

test('transforms that no run would apply are told, and the samples are shown without them', async () => {
  const { path } = digits(false);
  const previews = new Previews(nothingToPack);
  for (const transform of [
    { kind: 'Normalize', mean: [1, 2, 3], std: [1] },
    { kind: 'Nothing' },
    5,
    { kind: 'Normalize', mean: 0, std: 0 },
  ]) {
    const shown = await previews.preview({ kind: 'idx', path }, '/', [transform], {
      part: 'train',
      start: 0,
      count: 1,
    });
    expect(shown.transformError).toEqual(expect.any(String));
    expect(shown.samples[0]?.transformed).toEqual(shown.samples[0]?.raw);
  }
});

test('a source that is drawn is packed once, and looked at as it will be trained on', async () => {
  const packed: DataPack[] = [];
  const addon = loadAddon();
  const cacheDir = testFolder();
  const previews = new Previews(async (source, base) => {
    const pack = await packSource(source, base, { cacheDir, addon });
    packed.push(pack);
    return pack;
  });
  const source = { kind: 'random' as const, shape: [2, 2], classes: 3, target_shape: [1], samples: 50, seed: 4 };
  const all = await previews.preview(source, '/', [], { part: 'train', start: 0, count: 50 });
  expect(all.samples.length).toBe(50);
  expect(all.samples.every(({ target }) => target !== null && target >= 0 && target < 3)).toBe(true);
  const two = all.samples.filter(({ target }) => target === 2).map(({ index }) => index);
  const only = await previews.preview(source, '/', [], { part: 'train', start: 0, count: 50, class: 2 });
  expect(only.samples.map(({ index }) => index)).toEqual(two);
  expect(packed.length).toBe(1);
  const vectors = { ...source, classes: null };
  const shown = await previews.preview(vectors, '/', [], { part: 'train', start: 1, count: 1, class: 2 });
  expect(shown.samples).toMatchObject([{ index: 1, target: null }]);
});

test('which samples validate is told as a run draws them, marks honoured', async () => {
  const { path } = digits(false);
  const cacheDir = testFolder();
  vi.stubEnv('GRADLOOM_CACHE', cacheDir);
  const addon = loadAddon();
  const source = { kind: 'idx' as const, path };
  const split = { val: 0.25, seed: 3, stratify: true };
  await changeMarks(await needMarksFile(source, '/'), [
    { part: 'train', sample: '7', mark: { exclude: true } },
    { part: 'train', sample: '9', mark: { label: '0' } },
  ]);
  const previews = new Previews(nothingToPack);
  const shown = (within: 'train' | 'val') =>
    previews.preview(source, '/', [], { part: 'train', start: 0, count: 60, within, splits: true }, undefined, {
      split,
    });
  const [train, val] = [await shown('train'), await shown('val')];
  expect(val.divided).toBe(true);
  expect(val.samples.every(({ splits }) => splits?.join() === 'val')).toBe(true);
  const packed = await packSource(source, '/', { cacheDir, addon, split });
  const { pack } = await honourMarks(packed, source, '/', split, { folder: testFolder() });
  const members = await divideParts(pack, split, addon);
  const indices = ({ samples }: typeof val) => samples.map(({ index }) => index);
  expect(indices(train)).toEqual([...(members.train.positions ?? [])]);
  expect(indices(val)).toEqual([...(members.val?.positions ?? [])]);
  const one = await previews.preview(
    source, '/', [], { part: 'train', start: 0, count: 0, indices: [7], splits: true }, undefined, { split }); // biome-ignore format: short
  expect(one.samples[0]?.splits).toEqual([]);
  const own = { split: { ...split, val: 'test' as const } };
  const test = await previews.preview(
    source,
    '/',
    [],
    { part: 'test', start: 0, count: 1, splits: true },
    undefined,
    own,
  );
  expect(test.samples[0]?.splits).toEqual(['val', 'test']);
  vi.unstubAllEnvs();
});

test('changed files are read again; what is wrong with them is told', async () => {
  const { path } = digits(true);
  const previews = new Previews(nothingToPack);
  const wanted = { part: 'train' as const, start: 0, count: 1 };
  await previews.preview({ kind: 'idx', path }, '/', [], wanted);
  writeFileSync(
    join(path, 'train-images-idx4-ubyte.gz'),
    gzipSync(
      idxBytes(
        [60, 2, 3, 5],
        counting([60, 2, 3, 5]).map(() => 51),
      ),
    ),
  );
  const again = await previews.preview({ kind: 'idx', path }, '/', [], wanted);
  expect(again.samples[0]?.raw[0]).toBe(Math.fround(0.2));
  writeFileSync(join(path, 'train-labels-idx1-ubyte.gz'), gzipSync(idxBytes([59], counting([59]))));
  await expect(previews.preview({ kind: 'idx', path }, '/', [], wanted)).rejects.toMatchObject({ code: 'DATA_COUNT' });
  await expect(previews.preview({ kind: 'idx', path: 'nowhere' }, path, [], wanted)).rejects.toMatchObject({
    code: 'DATA_MISSING',
  });
});
