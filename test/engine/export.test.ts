/** Weights in and out: safetensors and .pt, what reads back, and what hostile files get. */
import { createWriteStream, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { PickleError, unpickle } from '../../engine/export/pickle-read.ts';
import { pickleStateDict } from '../../engine/export/pickle-write.ts';
import { readPt } from '../../engine/export/pt-read.ts';
import { writePt } from '../../engine/export/pt-write.ts';
import { readSafetensors, writeSafetensors } from '../../engine/export/safetensors.ts';
import { type ElementName, elementTypes, type TensorSource } from '../../engine/export/tensor-source.ts';
import { readWeights, toSafetensors } from '../../engine/export/weights.ts';
import { testFolder } from './idx-writer.ts';

function tensorOf(name: string, dtype: ElementName, shape: number[], content?: Uint8Array): TensorSource {
  const bytes = shape.reduce((product, dim) => product * dim, elementTypes[dtype].bytes);
  const data = content ?? Uint8Array.from({ length: bytes }, (_, i) => (i * 31 + name.length) % 256);
  return {
    name,
    dtype,
    shape,
    bytes,
    async *chunks() {
      yield data;
    },
  };
}

async function contentOf(tensors: TensorSource[]) {
  return Promise.all(
    tensors.map(async ({ name, dtype, shape, chunks }) => {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks()) parts.push(chunk);
      return { name, dtype, shape, hex: Buffer.concat(parts).toString('hex') };
    }),
  );
}

const everyType = (Object.keys(elementTypes) as ElementName[]).map((dtype, i) => tensorOf(`${i}.x`, dtype, [i % 3, 3]));
const network = [
  tensorOf('0.weight', 'F32', [4, 3]),
  tensorOf('0.bias', 'F32', [4]),
  tensorOf('1.num_batches_tracked', 'I64', []),
  ...everyType,
];

/** A zip like PyTorch's with this pickle and these records. */
async function zipOf(
  path: string,
  pickle: Buffer,
  records: Record<string, Buffer> = {},
  compress = false,
): Promise<string> {
  const zip = new ZipFile();
  zip.addBuffer(pickle, 'net/data.pkl', { compress });
  for (const [name, content] of Object.entries(records)) zip.addBuffer(content, `net/${name}`, { compress });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

// Pieces of pickles.
const text = (value: string) => Buffer.concat([Buffer.from([0x8c, Buffer.byteLength(value)]), Buffer.from(value)]);
const whole = (value: number) => Buffer.from([0x4d, value & 255, value >> 8]);
const tuple = (...items: Buffer[]) => Buffer.concat([Buffer.from('('), ...items, Buffer.from('t')]);
const global = (module: string, name: string) => Buffer.from(`c${module}\n${name}\n`);
const dict = (...items: Buffer[]) => Buffer.concat([Buffer.from('}('), ...items, Buffer.from('u')]);
const file = (...items: Buffer[]) => Buffer.concat([Buffer.from([0x80, 2]), ...items, Buffer.from('.')]);
const storage = (type: string, key: string, elements: number) =>
  Buffer.concat([
    tuple(text('storage'), global('torch', type), text(key), text('cpu'), whole(elements)),
    Buffer.from('Q'),
  ]);
const view = (store: Buffer, offset: number, shape: number[], strides: number[]) =>
  Buffer.concat([
    global('torch._utils', '_rebuild_tensor_v2'),
    tuple(
      store,
      whole(offset),
      tuple(...shape.map(whole)),
      tuple(...strides.map(whole)),
      Buffer.from([0x89]),
      Buffer.from('N'),
    ),
    Buffer.from('R'),
  ]);
const bytes = (...values: number[]) => Buffer.from(values);

describe('what is written reads back', () => {
  test('safetensors: content, order, metadata; widest elements aligned', async () => {
    const path = join(testFolder(), 'a.safetensors');
    await writeSafetensors(path, network, { project: '{"gradloom": 1}', run: 'ä' });
    const read = await readSafetensors(path);
    expect(read.metadata).toEqual({ project: '{"gradloom": 1}', run: 'ä' });
    expect(await contentOf(read.tensors)).toEqual(await contentOf(network));
    const header = JSON.parse(
      readFileSync(path)
        .subarray(8, 8 + Number(readFileSync(path).readBigUInt64LE()))
        .toString(),
    );
    for (const { name, dtype } of network) expect(header[name].data_offsets[0] % elementTypes[dtype].bytes).toBe(0);
  });

  test('.pt: content and order; equal weights give equal files', async () => {
    const folder = testFolder();
    const [a, b] = [join(folder, 'a.pt'), join(folder, 'b.pt')];
    await writePt(a, network);
    await writePt(b, network);
    expect(await contentOf(await readPt(a))).toEqual(await contentOf(network));
    expect(readFileSync(a).equals(readFileSync(b))).toBe(true);
  });

  test('a write that fails leaves what stood there', async () => {
    const path = join(testFolder(), 'a.pt');
    writeFileSync(path, 'precious');
    const broken: TensorSource = {
      ...tensorOf('0.weight', 'F32', [2]),
      // biome-ignore lint/correctness/useYield: it fails before its first chunk
      async *chunks() {
        throw new Error('the disk is gone');
      },
    };
    await expect(writePt(path, [broken])).rejects.toThrow('the disk is gone');
    await expect(writeSafetensors(path, [broken], {})).rejects.toThrow('the disk is gone');
    const refused = writePt(path, network, async () => {
      throw new Error('not equal');
    });
    await expect(refused).rejects.toThrow('not equal');
    expect(readFileSync(path, 'utf8')).toBe('precious');
    expect(readdirSync(join(path, '..'))).toEqual(['a.pt']);
  });

  test('any tensors, both ways', async () => {
    const folder = testFolder();
    const tensors = fc.uniqueArray(
      fc.record({
        name: fc
          .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
          .filter((name) => !/^(\d+|__metadata__)$/.test(name)),
        dtype: fc.constantFrom(...(Object.keys(elementTypes) as ElementName[])),
        shape: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
      }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(tensors, async (drawn) => {
        const sources = drawn.map(({ name, dtype, shape }) =>
          tensorOf(name.startsWith('module.') ? `m${name}` : name, dtype, shape),
        );
        await writeSafetensors(join(folder, 'x'), sources, {});
        await writePt(join(folder, 'y'), sources);
        expect(await contentOf((await readSafetensors(join(folder, 'x'))).tensors)).toEqual(await contentOf(sources));
        expect(await contentOf(await readPt(join(folder, 'y')))).toEqual(await contentOf(sources));
      }),
      {
        numRuns: 40,
        examples: [
          [
            [
              { name: '__proto__', dtype: 'F64', shape: [] },
              { name: ' ', dtype: 'F64', shape: [] },
            ],
          ],
        ],
      },
    );
  });
});

describe('.pt files as others write them', () => {
  test('strided views, offsets, a shared storage', async () => {
    const path = join(testFolder(), 'a.pt');
    const store = storage('ByteStorage', '7', 6);
    const pickle = file(
      dict(
        text('plain'), view(store, 0, [2, 3], [3, 1]),
        text('transposed'), view(store, 0, [3, 2], [1, 3]),
        text('every second'), view(store, 1, [2], [2]),
        text('expanded'), view(store, 5, [2, 2], [0, 0]),
        text('scalar'), view(store, 4, [], []),
        text('empty'), view(store, 0, [0, 3], [3, 1]),
      ),
    ); // biome-ignore format: one tensor a line
    await zipOf(path, pickle, { 'data/7': bytes(10, 11, 12, 13, 14, 15) });
    expect((await contentOf(await readPt(path))).map(({ name, hex }) => [name, hex])).toEqual([
      ['plain', '0a0b0c0d0e0f'],
      ['transposed', '0a0d0b0e0c0f'],
      ['every second', '0b0d'],
      ['expanded', '0f0f0f0f'],
      ['scalar', '0e'],
      ['empty', ''],
    ]);
  });

  test('big-endian machines', async () => {
    const path = join(testFolder(), 'a.pt');
    const pickle = file(dict(text('x'), view(storage('ShortStorage', '0', 2), 0, [2], [1])));
    await zipOf(path, pickle, { 'data/0': bytes(1, 2, 3, 4), byteorder: Buffer.from('big') });
    expect((await contentOf(await readPt(path)))[0]?.hex).toBe('02010403');
  });

  test.each(['state_dict', 'model_state_dict', 'model'])('weights inside a checkpoint, under %s', async (key) => {
    const path = join(testFolder(), 'a.pt');
    const weights = dict(text('0.weight'), view(storage('ByteStorage', '0', 2), 0, [2], [1]));
    await zipOf(path, file(dict(text('epoch'), whole(3), text(key), weights, text('loss'), Buffer.from('N'))), {
      'data/0': bytes(1, 2),
    });
    expect((await readPt(path)).map(({ name }) => name)).toEqual(['0.weight']);
  });

  test('prefixes of wrappers go, in both formats', async () => {
    const folder = testFolder();
    const wrapped = [
      tensorOf('module._orig_mod.0.weight', 'F32', [2]),
      tensorOf('module._orig_mod.0.bias', 'F32', [1]),
    ];
    await writePt(join(folder, 'a.pt'), wrapped);
    await writeSafetensors(join(folder, 'a.safetensors'), wrapped, {});
    for (const name of ['a.pt', 'a.safetensors']) {
      const converted = await toSafetensors(join(folder, name), folder);
      expect((await readSafetensors(converted)).tensors.map((tensor) => tensor.name)).toEqual(['0.weight', '0.bias']);
    }
  });

  test('a safetensors file needs no conversion', async () => {
    const path = join(testFolder(), 'a.safetensors');
    await writeSafetensors(path, network, {});
    expect(await toSafetensors(path, '/nowhere')).toBe(path);
  });
});

describe('what is refused, and how it is said', () => {
  const good = dict(text('x'), view(storage('ByteStorage', '0', 2), 0, [2], [1]));
  const refuse = async (path: string): Promise<GradloomError> =>
    readWeights(path).then(
      () => Promise.reject(new Error('not refused')),
      (error: GradloomError) => error,
    );

  test.each<[string, Buffer, RegExp]>([
    ['a whole module', file(global('__main__', 'Net'), Buffer.from(')R')), /Python object __main__\.Net/],
    ['code', file(global('posix', 'system'), tuple(text('true')), Buffer.from('R')), /Python object posix\.system/],
    ['a call of no name', file(dict(), tuple(), Buffer.from('R')), /calls something/],
    ['a tensor alone', file(view(storage('ByteStorage', '0', 2), 0, [2], [1])), /no state_dict/],
    ['a dict without tensors', file(dict(text('lr'), whole(1))), /no state_dict/],
    ['a dict in itself', file(bytes(0x7d, 0x71, 0), text('state_dict'), bytes(0x68, 0, 0x73)), /no state_dict/],
    [
      'a view beyond its storage',
      file(dict(text('x'), view(storage('ByteStorage', '0', 2), 1, [2], [1]))),
      /beyond its storage/,
    ],
    [
      'a storage larger than its record',
      file(dict(text('x'), view(storage('ByteStorage', '0', 9), 0, [9], [1]))),
      /lacks the bytes/,
    ],
    ['a missing record', file(dict(text('x'), view(storage('ByteStorage', '5', 2), 0, [2], [1]))), /lacks the bytes/],
    [
      'complex numbers',
      file(dict(text('x'), view(storage('ComplexFloatStorage', '0', 2), 0, [2], [1]))),
      /not supported/,
    ],
    [
      'a bomb of views',
      file(dict(text('x'), view(storage('ByteStorage', '0', 2), 0, [60000, 60000], [0, 0]))),
      /far more/,
    ],
    ['shape without strides', file(dict(text('x'), view(storage('ByteStorage', '0', 2), 0, [2], []))), /wrongly/],
    ['an unknown instruction', file(Buffer.from('i')), /instruction 0x69/],
    ['a cut pickle', good.subarray(0, 20), /cut short/],
    ['nothing', Buffer.alloc(0), /cut short/],
    ['an empty stack', file(), /runs empty/],
    ['protocol 9', Buffer.from([0x80, 9]), /protocol/],
  ])('%s', async (_, pickle, message) => {
    const path = await zipOf(join(testFolder(), 'a.pt'), pickle, { 'data/0': bytes(1, 2) });
    const error = await refuse(path);
    expect(error).toMatchObject({ code: 'WEIGHTS_FORMAT', path, hint: expect.stringMatching(/./) });
    expect(error.message).toMatch(message);
  });

  test('deep nesting and long recalls end at once', () => {
    const deep = file(Buffer.alloc(1_000_000, ']'), Buffer.alloc(999_999, 'a'));
    expect(Array.isArray(unpickle(deep))).toBe(true);
    const pairs = Buffer.concat([
      Buffer.from(']q\0('),
      ...Array(5000).fill(tuple(text('a'), whole(1))),
      Buffer.from('e'),
    ]);
    const again = Buffer.concat([global('collections', 'OrderedDict'), Buffer.from('h\0\x85R')]);
    expect(() => unpickle(file(pairs, ...Array(5000).fill(again)))).toThrow(PickleError);
  });

  test('files of other kinds', async () => {
    const folder = testFolder();
    const say = async (content: Buffer | string) => {
      writeFileSync(join(folder, 'w'), content);
      return (await refuse(join(folder, 'w'))).message;
    };
    expect(await say(Buffer.from('80028a0a6cfc9c46f9206aa850192e', 'hex'))).toMatch(/before 1\.6/);
    expect(await say('hello')).toMatch(/no PyTorch file/);
    expect(await say('')).toMatch(/no PyTorch file, or it is damaged/);
    expect(await say(Buffer.from('PK\x03\x04 and then nothing'))).toMatch(/damaged zip/);
    await zipOf(join(folder, 'w'), file(good), { 'data/0': Buffer.alloc(2) }, true);
    expect((await refuse(join(folder, 'w'))).message).toMatch(/compressed/);
    expect(await refuse(join(folder, 'none'))).toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await refuse(folder)).toMatchObject({ code: 'BAD_CALL' });
  });

  test.each<[string, (header: Record<string, unknown>) => unknown, RegExp]>([
    ['not JSON', () => 'x', /not the JSON/],
    ['unknown type', (h) => ({ ...h, a: { dtype: 'F4', shape: [2], data_offsets: [0, 8] } }), /type F4/],
    ['a hole', (h) => ({ ...h, a: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } }), /neighbour/],
    ['bytes to spare', (h) => ({ ...h, a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }), /belong to no tensor/],
    ['beyond the end', (h) => ({ ...h, a: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } }), /does not fit/],
    [
      'shape against place',
      (h) => ({ ...h, a: { dtype: 'F32', shape: [1, 7], data_offsets: [0, 8] } }),
      /does not fit/,
    ],
    ['a negative size', (h) => ({ ...h, a: { dtype: 'F32', shape: [-2, -1], data_offsets: [0, 8] } }), /wrongly/],
    ['metadata that is no text', (h) => ({ ...h, __metadata__: { a: 1 } }), /not the JSON/],
  ])('safetensors: %s', async (_, change, message) => {
    const path = join(testFolder(), 'a.safetensors');
    const changed = change({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } });
    const header = Buffer.from(typeof changed === 'string' ? `{${changed}` : JSON.stringify(changed));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    writeFileSync(path, Buffer.concat([length, header, Buffer.alloc(8)]));
    const error = await refuse(path);
    expect(error).toMatchObject({ code: 'WEIGHTS_FORMAT', path });
    expect(error.message).toMatch(message);
  });

  test('a safetensors file cut anywhere', async () => {
    const path = join(testFolder(), 'a.safetensors');
    await writeSafetensors(path, network, {});
    for (let size = readFileSync(path).length - 1; size >= 0; size = Math.floor(size / 1.3)) {
      truncateSync(path, size);
      await expect(readSafetensors(path)).rejects.toMatchObject({ code: 'WEIGHTS_FORMAT' });
      if (size === 0) break;
    }
  });

  test('random damage to a .pt file never crashes: it reads, or is refused', async () => {
    const folder = testFolder();
    await writePt(join(folder, 'a.pt'), network);
    const original = readFileSync(join(folder, 'a.pt'));
    const path = join(folder, 'b.pt');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(original.length)),
        async (changes, cut) => {
          const damaged = Buffer.from(original);
          for (const [at, value] of changes) damaged[at] = value;
          writeFileSync(path, damaged.subarray(0, cut ?? damaged.length));
          try {
            await contentOf(await readPt(path));
          } catch (error) {
            expect(['WEIGHTS_FORMAT']).toContain((error as GradloomError).code);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('any pickle is data or refused', () => {
    const known = [...pickleStateDict(network)];
    const instruction = fc.oneof(fc.constantFrom(...known), fc.nat(255));
    fc.assert(
      fc.property(fc.array(instruction, { maxLength: 200 }), (codes) => {
        try {
          unpickle(Buffer.from(codes));
        } catch (error) {
          expect(error).toBeInstanceOf(PickleError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
