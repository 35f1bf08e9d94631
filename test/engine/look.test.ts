/** Looking inside, from a project's text to layers' values: weights, parts, networks with a problem, the worker that stays, the command line. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type Look, type LookedLayer, type LookOptions, thinning } from '../../engine/contract/look.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { npy, png } from '../../engine/look/export.ts';
import { formsOf } from '../../engine/look/forms.ts';
import { LookKeeper } from '../../engine/look/keeper.ts';
import { lookRoom } from '../../engine/look/room.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import type { FromWorker } from '../../engine/runs/protocol.ts';
import { Service } from '../../engine/service.ts';
import { cliFile, gradloom, quickProject } from './cli-process.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-look-test-'));
process.env.GRADLOOM_HOME = home;
process.env.GRADLOOM_CACHE = path.join(home, 'cache');

const service = new Service({ processes: nodeProcesses, workerEntry: path.join(path.dirname(cliFile), 'worker.js') });
const keeper = new LookKeeper(service);
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true, force: true });
});

const file = quickProject(home, 'quick', 2);
type Project = { model: { layers: object[]; weights?: string }; data: object } & Record<string, unknown>;
const project = JSON.parse(readFileSync(file, 'utf8')) as Project;

const asked: LookOptions = {
  part: 'train',
  index: 0,
  weights: { kind: 'init' },
  layers: [],
  statistics: true,
  most: 1 << 20,
};

const look = (change: Partial<LookOptions> = {}, edited: object = project, signal?: AbortSignal): Promise<Look> =>
  keeper.look({ projectText: JSON.stringify(edited), baseDir: home }, { ...asked, ...change }, signal);

function floats(layer: LookedLayer | undefined): number[] {
  const bytes = Buffer.from(layer?.values?.data ?? '', 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

const at = ({ layers }: Look, name: string) => layers.find(({ path: each }) => each === name);

describe('a look', () => {
  test('tells every layer in order, and the values of those asked for', async () => {
    const seen = await look({ layers: ['input', '1'], part: 'val', index: 4 });
    expect(seen.layers.map(({ path: each, kind, shape }) => [each, kind, shape])).toEqual([
      ['input', 'Input', [6]],
      ['0', 'Linear', [16]],
      ['1', 'ReLU', [16]],
      ['2', 'Linear', [3]],
    ]);
    expect(seen.sample).toMatchObject({ part: 'val', index: 4, samples: 100 });
    expect(seen.sample.label).toBe(String(seen.sample.target));
    expect(floats(at(seen, 'input'))).toHaveLength(6);
    const values = floats(at(seen, '1'));
    const { statistics } = at(seen, '1') as LookedLayer;
    expect(statistics.dead).toBe(values.filter((value) => value === 0).length);
    expect(statistics).toMatchObject({ elements: 16, units: 16, min: 0, max: Math.max(...values), nan: 0 });
    expect(at(seen, '2')?.values).toBeUndefined();
    expect(seen).toMatchObject({ stopped: null, weights: { missing: [] }, device: 'cpu' });
  });

  test('of nothing but what was asked, the same again, and of another sample otherwise', async () => {
    const one = await look({ layers: ['2'], statistics: false });
    expect(one.layers.map(({ path: each }) => each)).toEqual(['2']);
    expect(floats(at(await look({ layers: ['2'] }), '2'))).toEqual(floats(at(one, '2')));
    expect(floats(at(await look({ layers: ['2'], index: 1 }), '2'))).not.toEqual(floats(at(one, '2')));
  });

  test('refuses a part or a sample that there is not, and says what there is', async () => {
    await expect(look({ part: 'test' })).rejects.toMatchObject({
      code: 'BAD_CALL',
      message: 'The data has no test part',
    });
    await expect(look({ index: 300 })).rejects.toMatchObject({ code: 'BAD_CALL', hint: 'It has 300, counted from 0.' });
  });

  test('without data says what to do', async () => {
    const { data: _none, ...bare } = project;
    await expect(look({}, bare)).rejects.toMatchObject({ code: 'DATA_MISSING', path: 'data.source' });
  });

  test('goes up to the layer before a problem, whatever else is wrong', async () => {
    const layers = [
      ...project.model.layers.slice(0, 2),
      { kind: 'Conv2d', out_channels: 2, kernel_size: 3 },
      { kind: 'ReLU' },
    ];
    const seen = await look({}, { ...project, model: { layers }, training: { loss: { kind: 'MSELoss' } } });
    expect(seen.layers.map(({ path: each }) => each)).toEqual(['input', '0', '1']);
    expect(seen.stopped).toMatchObject({ path: expect.stringMatching(/^model\.layers\.2/) });
    // A wrong number of answers is a problem of training, not of looking.
    const wrong = await look({}, { ...project, model: { layers: [{ kind: 'Linear', out_features: 7 }] } });
    expect(wrong).toMatchObject({ stopped: null });
    expect(at(wrong, '0')?.shape).toEqual([7]);
    // Where not even the first can be planned, the problem itself is the answer.
    await expect(look({}, { ...project, model: { layers: [{ kind: 'Linear' }] } })).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      path: 'model.layers.0.out_features',
    });
  });

  test.each([
    { kind: 'GroupNorm', num_groups: 4 },
    { kind: 'BatchNorm1d', track_running_stats: false },
  ])('refuses one value for a statistic as PyTorch does: $kind', async (norm) => {
    const layers = [{ kind: 'Linear', out_features: 4 }, norm, { kind: 'Linear', out_features: 3 }];
    await expect(look({}, { ...project, model: { layers } })).rejects.toMatchObject({
      code: 'NOT_SUPPORTED',
      message: expect.stringMatching(new RegExp(`^${norm.kind} 1 cannot evaluate a single value per`)),
      hint: expect.stringContaining(norm.kind === 'GroupNorm' ? 'fewer groups' : 'running statistics'),
    });
    const spread = norm.kind === 'GroupNorm' ? { num_groups: 2 } : { track_running_stats: true };
    layers[1] = { ...norm, ...spread } as typeof norm;
    expect((await look({}, { ...project, model: { layers } })).stopped).toBeNull();
  });

  test('refuses a network that the memory cannot hold before it is built, with the figures', async () => {
    const wide = (out_features: number) => ({ kind: 'Linear', out_features });
    const layers = [wide(2 ** 21), wide(2 ** 21), wide(3)];
    await expect(look({}, { ...project, model: { layers } })).rejects.toMatchObject({
      code: 'OUT_OF_MEMORY',
      message: expect.stringMatching(/weights take 16\.0 TiB.*but .* free/),
      hint: expect.stringContaining('Linear at model.layers.1 takes the most'),
      path: 'model.layers.1',
    });
  });

  test('refuses a setting that there is not, as training does', async () => {
    const request = { projectText: JSON.stringify(project), baseDir: home };
    const nope = { ...request, set: [['training.nope', 3] as [string, unknown]] };
    await expect(keeper.look(nope, asked)).rejects.toMatchObject({
      code: 'BAD_CALL',
      message: expect.stringContaining('There is no setting training.nope'),
    });
    const known = { ...request, set: [['training.seed', 3] as [string, unknown]] };
    expect((await keeper.look(known, asked)).weights.message).toBe('Random weights of seed 3');
  });

  test('of a network without weights, of blocks that repeat, and of named ones', async () => {
    const bare = await look({ layers: ['0'] }, { ...project, model: { layers: [{ kind: 'Tanh' }] } });
    expect(floats(at(bare, '0'))).toHaveLength(6);
    const model = {
      blocks: { pair: { layers: [{ kind: 'Linear', out_features: 6 }, { kind: 'ReLU' }] } },
      layers: [
        { kind: 'Block', ref: 'pair' },
        { kind: 'Repeat', times: 2, layers: [{ kind: 'Block', ref: 'pair' }] },
        { kind: 'Residual', layers: [{ kind: 'Linear', out_features: 6 }], name: 'Skip' },
      ],
    };
    const seen = await look({ layers: ['0', '0.layers.1', '1.1.0', '1'] }, { ...project, model });
    expect(seen.layers.map(({ path: each }) => each)).toEqual([
      'input',
      '0',
      '0.layers.0',
      '0.layers.1',
      '1',
      '1.0.0',
      '1.0.0.layers.0',
      '1.0.0.layers.1',
      '1.1.0',
      '1.1.0.layers.0',
      '1.1.0.layers.1',
      '2',
      '2.layers.0',
    ]);
    expect(floats(at(seen, '0'))).toEqual(floats(at(seen, '0.layers.1')));
    expect(floats(at(seen, '1'))).toEqual(floats(at(seen, '1.1.0')));
    expect(at(seen, '2')).toMatchObject({ kind: 'Residual', name: 'Skip' });
  });

  test('answers CANCELLED at once, and the next one all the same', async () => {
    const end = new AbortController();
    const first = look({ index: 7 }, project, end.signal);
    end.abort();
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await look({ index: 8 })).sample.index).toBe(8);
  });
});

describe('weights', () => {
  test('of a run, of a file, and what of them does not fit', async () => {
    const trained = await gradloom(home, ['train', file, '--run', path.join(home, 'runs', 'quick-001'), '--json']);
    expect(trained.code).toBe(0);
    const run = path.join(home, 'runs', 'quick-001');
    const logits = (seen: Look) => floats(at(seen, '2'));
    const part = { part: 'val' as const, index: 2, layers: ['2'] };
    const last = await look({ ...part, weights: { kind: 'from', weights: run, checkpoint: 'last' } });
    expect(last.weights).toMatchObject({ missing: [], message: expect.stringContaining('All 4 tensors') });
    const predicted = await gradloom(home, [
      'predict',
      run,
      '--split',
      'val',
      '--start',
      '2',
      '--limit',
      '1',
      '--checkpoint',
      'last',
      '--json',
    ]);
    const { logits: expected } = predicted.lines.find(({ type }) => type === 'prediction') as unknown as {
      logits: number[];
    };
    expect(logits(last)).toHaveLength(3);
    for (const [i, value] of logits(last).entries()) expect(value).toBeCloseTo(expected[i] as number, 5);
    expect(logits(await look(part))).not.toEqual(logits(last));

    const [step] = readdirSync(path.join(run, 'checkpoints')).filter((name) => name.startsWith('step-'));
    const weights = path.join(run, 'checkpoints', step as string, 'model.safetensors');
    const named = { ...project, model: { ...project.model, weights } };
    expect((await look({ ...part, weights: { kind: 'project' } }, named)).weights.message).toContain(step);
    await expect(look({ ...part, weights: { kind: 'project' } })).rejects.toMatchObject({ code: 'BAD_CALL' });

    const [first, second] = project.model.layers;
    const wider = { ...project, model: { layers: [first, second, { kind: 'Linear', out_features: 5 }] } };
    const some = await look({ weights: { kind: 'from', weights: run } }, wider);
    expect(some.weights.missing).toEqual(['2.weight', '2.bias']);
    const other = { ...project, model: { layers: [{ kind: 'Linear', out_features: 4 }] } };
    await expect(look({ weights: { kind: 'from', weights: run } }, other)).rejects.toMatchObject({
      code: 'WEIGHTS_MISMATCH',
    });
    await expect(look({ weights: { kind: 'from', weights: path.join(home, 'nothing') } })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });
});

test('the worker ends by itself when nobody asks, and the next look starts another', async () => {
  const told: FromWorker[] = [];
  const room = lookRoom((message) => told.push(message));
  const look = (id: number, projectText: string) =>
    room.ask({ type: 'ask', id, name: 'look', args: { request: { projectText, baseDir: home }, options: asked } });
  look(1, JSON.stringify(project));
  look(2, '{');
  look(3, '{');
  room.forget(3);
  const folder = mkdtempSync(path.join(home, 'room-'));
  expect(await room.run(folder, new AbortController().signal, 20)).toBeNull();
  expect(existsSync(folder)).toBe(false);
  expect(told.map((message) => [message.type, 'id' in message && message.id])).toEqual([
    ['refused', 3],
    ['told', 1],
    ['refused', 2],
  ]);
});

test('a worker that is ended leaves no files behind', async () => {
  vi.stubEnv('TMPDIR', mkdtempSync(path.join(home, 'tmp-')));
  const there = () => readdirSync(os.tmpdir());
  try {
    const brief = new Service({ processes: nodeProcesses, workerEntry: path.join(path.dirname(cliFile), 'worker.js') });
    const request = {
      projectText: JSON.stringify({ ...project, data: { ...project.data, split: { val: 0.3 } } }),
      baseDir: home,
    };
    await new LookKeeper(brief).look(request, { ...asked, part: 'val' });
    expect(there()).toHaveLength(1);
    await brief.close();
    await expect.poll(there).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('thinning leaves maps as maps, and leaves out channels only where maps are small', () => {
  const left = (shape: number[], most: number) =>
    thinning(shape, most).map((step, dim) => Math.ceil((shape[dim] as number) / step));
  expect(thinning([64, 32, 32], 1 << 16)).toEqual([1, 1, 1]);
  const [channels, height, width] = left([64, 256, 256], 1 << 18);
  expect(channels).toBe(64);
  expect(height).toBe(width);
  expect((channels as number) * (height as number) * (width as number)).toBeLessThanOrEqual(1 << 18);
  expect(left([4096, 8, 8], 1000)).toEqual([15, 8, 8]);
  expect(left([100_000], 1000)).toEqual([1000]);
  expect(thinning([], 1)).toEqual([]);
});

test('matrices are told apart: channels along a length, positions with features', () => {
  const forms = (input: number[], dtype: 'float32' | 'int64', layers: object[]) => {
    const facts = {
      input: { dims: input, dtype, ...(dtype === 'int64' ? { tokens: 9 } : {}) },
      target: { kind: 'vector' as const, dims: [1] },
      parts: { train: 1 },
    };
    const plan = planProject({ model: { layers } }, facts as never);
    const { input: first, of } = formsOf(plan.layers, input, dtype);
    return [first, ...of.values()];
  };
  expect(
    forms([3, 20], 'float32', [
      { kind: 'Conv1d', out_channels: 4, kernel_size: 3 },
      { kind: 'ReLU' },
      { kind: 'Flatten' },
    ]),
  ).toEqual(['channels', 'channels', 'channels', 'vector']);
  expect(
    forms([12], 'int64', [
      { kind: 'Embedding', num_embeddings: 9, embedding_dim: 8 },
      { kind: 'ReLU' },
      { kind: 'Permute', dims: [0, 2, 1] },
      { kind: 'Conv1d', out_channels: 4, kernel_size: 3 },
    ]),
  ).toEqual(['vector', 'positions', 'positions', 'channels', 'channels']);
});

describe('files', () => {
  const values = (shape: number[], numbers: number[]) => ({
    steps: shape.map(() => 1),
    shape,
    data: Buffer.from(Float32Array.from(numbers).buffer).toString('base64'),
  });

  test('NPY has a header of whole 64 bytes, then the values', () => {
    const bytes = npy(values([2, 3], [1, 2, 3, 4, 5, 6]));
    const length = bytes.readUInt16LE(8);
    expect((10 + length) % 64).toBe(0);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x93NUMPY\x01\x00');
    expect(bytes.subarray(10, 10 + length).toString()).toContain("'shape': (2, 3), }");
    expect(bytes.readFloatLE(10 + length + 20)).toBe(6);
    expect(npy(values([3], [1, 2, 3])).toString('latin1')).toContain("'shape': (3,), }");
  });

  test('PNG has its signature and is written for maps, matrices, vectors and what is not finite', () => {
    for (const shape of [[3, 4, 5], [6, 10], [60]]) {
      const bytes = png(
        values(
          shape,
          Array.from({ length: 60 }, (_, i) => (i === 7 ? Number.NaN : i - 20)),
        ),
      );
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      expect(bytes.readUInt32BE(16)).toBeGreaterThan(0);
    }
  });
});

test('the command line: a table, a layer with its values in a file, and what is wrong with what was asked', async () => {
  const [table, json] = await Promise.all([
    gradloom(home, ['look', file, '--part', 'validation', '--sample', '3']),
    gradloom(home, ['look', file, '--json', '--layer', '1', '--out', path.join(home, 'relu.npy')]),
  ]);
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(/Sample 3 of the validation part’s 100, labelled \d/);
  expect(table.stdout).toMatch(/^1 +ReLU +16 +0 /m);
  expect(json.code).toBe(0);
  const [object] = json.lines as unknown as [Look & { type: string }];
  expect(object).toMatchObject({ type: 'look', sample: { part: 'train', index: 0 } });
  expect(object.layers.map((layer) => [layer.path, layer.values !== undefined])).toEqual([
    ['input', false],
    ['0', false],
    ['1', true],
    ['2', false],
  ]);
  const bytes = readFileSync(path.join(home, 'relu.npy'));
  expect(bytes.subarray(-64)).toEqual(Buffer.from(object.layers[2]?.values?.data ?? '', 'base64'));
  const [unknown, ending, none] = await Promise.all([
    gradloom(home, ['look', file, '--layer', '7']),
    gradloom(home, ['look', file, '--layer', '1', '--out', path.join(home, 'relu.jpg')]),
    gradloom(home, ['look', file, '--weights', 'nobody']),
  ]);
  for (const { code } of [unknown, ending, none]) expect(code).toBe(2);
  expect(unknown.stderr).toMatch(/There is no layer 7 to look at/);
  expect(unknown.stderr).toMatch(/There are layers 0 to 2\. All are shown without --layer/);
  expect(ending.stderr).toMatch(/\.npy or \.png/);
  expect(none.stderr).toMatch(/nobody/);
  expect(existsSync(path.join(home, 'relu.jpg'))).toBe(false);
}, 60_000);
