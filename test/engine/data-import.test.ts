/** Imports that are broken off and gone on with, samples that cannot be read, data that change meanwhile, and many packers at once. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { inOrder } from '../../engine/data/in-order.ts';
import type { OpenSource, WriteOptions } from '../../engine/data/open-source.ts';
import { type PackOptions, packOpened } from '../../engine/data/pack.ts';
import { testFolder } from './idx-writer.ts';

const addon = { writeRandom: () => Promise.reject(new Error('nothing to draw')) };
const made = { source: { kind: 'idx' as const, path: 'x' }, base: '/', split: resolveProject({}).data.split };

/** Rows of four bytes, each decoded "from a file"; `bad` ones cannot be. */
class Decoded {
  /** Rows that were decoded, in order. */
  readonly seen: number[] = [];
  count = 3000;
  bad = new Set<number>();
  skipsBad = false;
  version = 1;
  /** Called before each row. */
  before: (index: number) => Promise<void> | void = () => {};

  readonly open = async (): Promise<OpenSource> => ({
    identity: ['decoded', this.version],
    readBytes: 10 * this.count,
    parts: { train: this.count },
    columns: {
      input: { dtype: 'uint8', shape: [4], scaled: true },
      target: { dtype: 'int64', shape: [], scaled: false },
      group: { dtype: 'int64', shape: [], scaled: false },
    },
    skipsBad: this.skipsBad,
    nameOf: (_part, index) => `${index}.png`,
    target: async () => ({ kind: 'class', classes: ['a', 'b'] }),
    write: async (part, sink, options) => {
      await sink('input', (first) => this.#rows(part, first, options));
      const labels = Buffer.alloc(8 * this.count);
      for (let i = 0; i < this.count; i++) labels.writeBigInt64LE(BigInt(i % 2), 8 * i);
      await sink('target', one(labels));
      await sink('group', one(labels));
    },
    encoding: async () => ({ mean: 3 }),
  });

  #rows(part: string, first: number, { onBad, onRead, signal }: WriteOptions) {
    const indices = Array.from({ length: this.count - first }, (_, i) => first + i);
    return inOrder(
      indices,
      async (index) => {
        await this.before(index);
        this.seen.push(index);
        onRead?.(`${index}.png`, 10);
        if (!this.bad.has(index)) return Buffer.from([index, index >> 8, 1, 2]);
        onBad({ part, index, name: `${index}.png`, reason: 'it is cut short' });
        return Buffer.alloc(4);
      },
      { inFlight: 8, signal },
    );
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function expected(count: number, bad: number[] = []): Buffer {
  const all = Buffer.alloc(4 * count);
  for (let i = 0; i < count; i++) if (!bad.includes(i)) all.set([i & 255, (i >> 8) & 255, 1, 2], 4 * i);
  return all;
}

const packs = (cache: string) => readdirSync(join(cache, 'packs'));

function importing(data: Decoded, cacheDir: string, more: Partial<PackOptions> = {}) {
  return packOpened(data.open, made, { cacheDir, addon, ...more });
}

/** An import that is cancelled before this row is decoded. */
async function brokenOff(data: Decoded, cacheDir: string, at: number): Promise<void> {
  const stop = new AbortController();
  // Rows become known as finished once a second, and when it ends.
  data.before = (index) => {
    if (index === at) stop.abort();
  };
  await expect(importing(data, cacheDir, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  data.before = () => {};
}

describe('an import that is broken off', () => {
  const many = () => Object.assign(new Decoded(), { count: 200_000 });

  test('goes on where it stopped, and is what it would have been', async () => {
    const cache = testFolder();
    const data = many();
    await brokenOff(data, cache, 150_000);
    expect(packs(cache)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\..*\.tmp$/)]);
    const before = data.seen.length;
    data.seen.length = 0;
    const told: number[] = [];
    const pack = await importing(data, cache, { onProgress: ({ done }) => told.push(done) });
    expect(before).toBeGreaterThan(100_000);
    // Pieces of 64 Ki rows are written at a time: no more than one is lost.
    expect(data.seen[0]).toBe(131_072);
    expect(told[0]).toBeGreaterThan(10 * 100_000);
    expect(told.at(-1)).toBe(10 * data.count);
    expect(readFileSync(join(pack.folder, 'train.input.bin')).equals(expected(data.count))).toBe(true);
    expect(pack.hash).toBe((await importing(many(), testFolder())).hash);
    expect(packs(cache)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(existsSync(join(pack.folder, 'journal.json'))).toBe(false);
  });

  test.each([
    ['damaged', (file: string) => writeFileSync(file, Buffer.alloc(4 * 131_072, 7))],
    ['cut short', (file: string) => truncateSync(file, 1000)],
  ])('begins anew where what was written is %s', async (_how, harm) => {
    const cache = testFolder();
    const data = many();
    await brokenOff(data, cache, 150_000);
    harm(join(cache, 'packs', packs(cache)[0] as string, 'train.input.bin'));
    data.seen.length = 0;
    const pack = await importing(data, cache);
    expect(data.seen[0]).toBe(0);
    expect(readFileSync(join(pack.folder, 'train.input.bin')).equals(expected(data.count))).toBe(true);
  });

  test('of data that have changed is not gone on with', async () => {
    const cache = testFolder();
    const data = many();
    await brokenOff(data, cache, 150_000);
    data.version = 2;
    data.seen.length = 0;
    await importing(data, cache);
    expect(data.seen[0]).toBe(0);
    expect(packs(cache)).toHaveLength(2);
  });

  test('by a process that is gone is taken over; by one that may live it is not', async () => {
    const cache = testFolder();
    const data = many();
    await brokenOff(data, cache, 150_000);
    const [left] = packs(cache) as [string];
    const [key, by = ''] = left.split('.');
    const [host] = by.split('-');
    const named = (pid: number, on = host) => join(cache, 'packs', `${key}.${on}-${pid}-0badcafe.tmp`);
    // Of another machine, and silent: it may wake up.
    renameSync(join(cache, 'packs', left), named(1, '00000000'));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(named(1, '00000000'), longAgo, longAgo);
    data.seen.length = 0;
    const pack = await importing(data, cache);
    expect(data.seen[0]).toBe(0);
    expect(packs(cache)).toHaveLength(2);

    // A number that no process of this machine has.
    renameSync(named(1, '00000000'), named(2 ** 22 + 1));
    renameSync(pack.folder, join(cache, 'aside'));
    data.seen.length = 0;
    await importing(data, cache);
    expect(data.seen[0]).toBe(131_072);
    expect(packs(cache)).toHaveLength(1);
  });

  test('is waited for by another that wants the same, and each row is decoded once', async () => {
    const cache = testFolder();
    const data = many();
    const first = importing(data, cache);
    await expect.poll(() => data.seen.length, { interval: 5 }).toBeGreaterThan(10);
    const [one, two] = await Promise.all([first, importing(data, cache)]);
    expect(two).toEqual(one);
    expect(data.seen).toHaveLength(data.count);
  });
});

describe('samples that cannot be read', () => {
  const broken = () => Object.assign(new Decoded(), { bad: new Set([7, 100, 2999]) });

  test('stop the import once all of them are known, and are listed with their reasons', async () => {
    const cache = testFolder();
    const data = broken();
    const error = await importing(data, cache).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'DATA_FORMAT',
      message:
        '3 samples cannot be read:\n  7.png: it is cut short\n  100.png: it is cut short\n  2999.png: it is cut short',
      hint: expect.stringContaining('on_bad'),
    });
    expect(data.seen).toHaveLength(3000);
    expect(packs(cache).filter((name) => !name.endsWith('.tmp'))).toEqual([]);
  });

  test('are left out where the source wants that: nothing is decoded again, the facts count without them', async () => {
    const cache = testFolder();
    const data = broken();
    await importing(data, cache).catch(() => {});
    data.seen.length = 0;
    data.skipsBad = true;
    const pack = await importing(data, cache);
    expect(data.seen).toEqual([]);
    expect(pack).toMatchObject({
      excluded: { train: [7, 100, 2999] },
      facts: { parts: { train: 2997 } },
      parts: { train: { count: 3000, group: { dtype: 'int64', shape: [] } } },
      encoding: { mean: 3 },
    });
    expect(pack.skipped[1]).toEqual({ part: 'train', index: 100, name: '100.png', reason: 'it is cut short' });
    const file = JSON.parse(readFileSync(join(pack.folder, 'pack.json'), 'utf8'));
    expect(file.excluded).toEqual({ train: [7, 100, 2999] });
    expect(readFileSync(join(pack.folder, 'train.input.bin')).equals(expected(3000, [7, 100, 2999]))).toBe(true);
    // The same rows without a word about them are another data set.
    const sound = Object.assign(new Decoded(), { version: 2 });
    expect((await importing(sound, cache)).hash).not.toBe(pack.hash);
    // Who changes their mind is told of them again.
    data.skipsBad = false;
    await expect(importing(data, cache)).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });

  test('that can be read by now are read again', async () => {
    const cache = testFolder();
    const data = broken();
    await importing(data, cache).catch(() => {});
    data.bad = new Set([100]);
    data.seen.length = 0;
    await expect(importing(data, cache)).rejects.toMatchObject({ message: expect.stringMatching(/^1 sample cannot/) });
    expect(data.seen[0]).toBe(7);
    data.bad.clear();
    data.seen.length = 0;
    const pack = await importing(data, cache);
    expect(data.seen[0]).toBe(100);
    expect(pack.skipped).toEqual([]);
    expect(readFileSync(join(pack.folder, 'train.input.bin')).equals(expected(3000))).toBe(true);
  });
});

test('data that change while they are packed are packed again; those that never rest are refused', async () => {
  const cache = testFolder();
  const data = new Decoded();
  data.before = (index) => {
    if (index === 2000 && data.version < 2) data.version += 1;
  };
  const pack = await importing(data, cache);
  expect(data.seen).toHaveLength(2 * data.count);
  expect(packs(cache)).toEqual([createHash('sha256').update(JSON.stringify([1, 'idx', ['decoded', 2]])).digest('hex').slice(0, 32)]); // biome-ignore format: one name
  expect(pack.facts.parts.train).toBe(3000);
  data.before = (index) => {
    if (index === 2000) data.version += 1;
  };
  data.version = 10;
  await expect(importing(data, cache)).rejects.toMatchObject({ code: 'DATA_FORMAT', message: /changed while/ });
  expect(packs(cache)).toHaveLength(1);
});

describe('work in order', () => {
  test('comes out in order, however long each takes, with no more in flight than allowed', async () => {
    let now = 0;
    let most = 0;
    const work = async (item: number) => {
      most = Math.max(most, ++now);
      for (let turn = 0; turn <= (item * 7) % 5; turn++) await new Promise((done) => setImmediate(done));
      now--;
      return item;
    };
    const out: number[] = [];
    for await (const result of inOrder(Array.from({ length: 100 }, (_, i) => i), work, { inFlight: 6 })) out.push(result); // biome-ignore format: short
    expect(out).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(most).toBe(6);
  });

  test('a fault is thrown in its turn, and nothing is left running', async () => {
    let running = 0;
    const out: number[] = [];
    const failing = (async () => {
      const work = async (item: number) => {
        running++;
        await new Promise((done) => setImmediate(done));
        running--;
        if (item === 5) throw new Error('five');
        return item;
      };
      for await (const result of inOrder([0, 1, 2, 3, 4, 5, 6, 7, 8], work, { inFlight: 3 })) out.push(result);
    })();
    await expect(failing).rejects.toThrow('five');
    expect(out).toEqual([0, 1, 2, 3, 4]);
    expect(running).toBe(0);
  });
});
