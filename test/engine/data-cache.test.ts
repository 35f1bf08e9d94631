/** The cache of packs: listed, removed, limited, and left alone where a run reads; packs as data of their own; the commands for all that. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { clearPacks, listPacks, removePacks } from '../../engine/data/cache.ts';
import { describeSource, type PackOptions, packSource } from '../../engine/data/index.ts';
import { gradloom, quickProject, start } from './cli-process.ts';
import { counting, folderOf, idxBytes, testFolder } from './idx-writer.ts';

const addon = { writeRandom: () => Promise.reject(new Error('nothing to draw')) };

/** `size`: bytes of its inputs. */
const digits = (size = 24) =>
  folderOf({ images: idxBytes([6, size / 6], counting([size])), labels: idxBytes([6], [0, 1, 2, 0, 1, 2]) });

const pack = (folder: string, cacheDir: string, more: Partial<PackOptions> = {}) =>
  packSource({ kind: 'idx', path: folder }, '/', { cacheDir, addon, ...more });

const keys = (cache: string) => readdirSync(path.join(cache, 'packs')).filter((name) => name.length === 32);

/** As if it had been used so long ago. */
function age(folder: string, minutes: number): void {
  const then = new Date(Date.now() - minutes * 60_000);
  utimesSync(path.join(folder, 'pack.json'), then, then);
}

describe('packs', () => {
  test('are listed, the latest used first, with what they are of and whether that is still so', async () => {
    const cache = testFolder();
    const [one, two] = [digits(), digits(60)];
    const first = await pack(one, cache);
    const second = await pack(two, cache);
    age(first.folder, 5);
    age(second.folder, 9);
    expect(await listPacks(cache)).toMatchObject([
      { key: path.basename(first.folder), title: `${one} (IDX files, 6 samples)`, current: true, in_use: false },
      { title: `${two} (IDX files, 6 samples)`, current: true },
    ]);
    await pack(two, cache); // used again
    rmSync(path.join(one, 'labels'));
    expect((await listPacks(cache)).map(({ title, current }) => [title.split(' ')[0], current])).toEqual([
      [two, true],
      [one, false],
    ]);
    expect(await listPacks(testFolder())).toEqual([]);
  });

  test('are removed, and made again when they are wanted', async () => {
    const cache = testFolder();
    const folder = digits();
    const { folder: place } = await pack(folder, cache);
    const size = readdirSync(place).reduce((sum, name) => sum + readFileSync(path.join(place, name)).length, 0);
    expect(await removePacks(cache, [path.basename(place)])).toEqual({ bytes: size });
    expect(existsSync(place)).toBe(false);
    expect(await removePacks(cache, [path.basename(place)])).toEqual({ bytes: 0 });
    await pack(folder, cache);
    expect(existsSync(place)).toBe(true);
    for (const key of ['..', '', '../../x', 'a'.repeat(31)]) {
      await expect(removePacks(cache, [key])).rejects.toMatchObject({ code: 'BAD_CALL' });
    }
  });

  test('that a process reads stay; what a broken import left goes', async () => {
    const cache = testFolder();
    const held = await pack(digits(), cache, { hold: true });
    const free = await pack(digits(60), cache);
    await expect(
      removePacks(
        cache,
        [free, held].map(({ folder }) => path.basename(folder)),
      ),
    ).rejects.toMatchObject({
      code: 'BAD_CALL',
      hint: expect.stringContaining('run has ended'),
    });
    expect(keys(cache)).toHaveLength(2);
    expect((await listPacks(cache)).map(({ in_use }) => in_use).sort()).toEqual([false, true]);
    // A process that is gone holds nothing.
    const [use] = readdirSync(path.join(cache, 'packs')).filter((name) => name.endsWith('.use'));
    const gone = (use as string)
      .replace(`-${process.pid}.`, `-${2 ** 22 + 1}.`)
      .replace(/^\w+/, path.basename(free.folder));
    writeFileSync(path.join(cache, 'packs', gone), '');
    expect((await clearPacks(cache)).bytes).toBeGreaterThan(0);
    expect(keys(cache)).toEqual([path.basename(held.folder)]);
    expect(existsSync(path.join(cache, 'packs', gone))).toBe(false);
  });

  test('keep within a limit: those that were not used for the longest time go first', async () => {
    const cache = testFolder();
    const made = [];
    for (const size of [6000, 12_000, 18_000, 24_000]) made.push((await pack(digits(size), cache)).folder);
    const [oldest, held, older, last] = made as [string, string, string, string];
    for (const [i, folder] of made.entries()) age(folder, 100 - i);
    const sources = (await listPacks(cache)).map(({ title }) => title.split(' ')[0] as string);
    await pack(sources.at(-2) as string, cache, { hold: true });
    age(held, 99);
    const fresh = await pack(digits(30_000), cache, { mostBytes: 75_000 });
    expect(keys(cache).sort()).toEqual([held, last, fresh.folder].map((each) => path.basename(each)).sort());
    expect([oldest, older].map((each) => existsSync(each))).toEqual([false, false]);
    // What has just been made stays, however little is allowed.
    const large = await pack(digits(60_000), cache, { mostBytes: 1 });
    expect(keys(cache).sort()).toEqual([held, large.folder].map((each) => path.basename(each)).sort());
  });
});

describe('a pack of one’s own', () => {
  test('is a source, read where it lies, without the files that it was made from', async () => {
    const cache = testFolder();
    const data = digits();
    const out = path.join(testFolder(), 'my pack');
    const made = await pack(data, cache, { out });
    expect(existsSync(path.join(cache, 'packs'))).toBe(false);
    rmSync(data, { recursive: true });
    const source = { kind: 'pack' as const, path: 'my pack' };
    const used = await packSource(source, path.dirname(out), { cacheDir: cache, addon });
    expect(used).toEqual(made);
    expect(used.folder).toBe(out);
    expect(await describeSource(source, path.dirname(out))).toEqual(made.facts);
    const copy = path.join(testFolder(), 'copy');
    const copied = await packSource(source, path.dirname(out), { cacheDir: cache, addon, out: copy });
    expect([copied.folder, copied.hash]).toEqual([copy, made.hash]);
    rmSync(path.join(out, 'train.target.bin'));
    await expect(describeSource(source, path.dirname(out))).rejects.toMatchObject({
      code: 'DATA_TRUNCATED',
      path: out,
    });
    await expect(describeSource({ kind: 'pack', path: data }, '/')).rejects.toMatchObject({ code: 'DATA_MISSING' });
    await expect(describeSource({ kind: 'pack', path: cache }, '/')).rejects.toMatchObject({
      code: 'DATA_MISSING',
      message: expect.stringContaining('pack.json'),
    });
  });

  test('never overwrites what lies in its place, is answered at once where it is made, and taken from the cache', async () => {
    const cache = testFolder();
    const data = digits();
    const cached = await pack(data, cache);
    const out = path.join(testFolder(), 'out');
    let told = 0;
    const made = await pack(data, cache, { out, onProgress: () => told++ });
    expect([made.hash, told]).toEqual([cached.hash, 0]);
    expect(await pack(data, cache, { out })).toEqual(made);
    const full = folderOf({ precious: Buffer.from('x') });
    await expect(pack(data, cache, { out: full })).rejects.toMatchObject({ code: 'NOT_WRITABLE', path: full });
    await expect(pack(digits(60), cache, { out })).rejects.toMatchObject({ code: 'NOT_WRITABLE' });
    expect(readdirSync(full)).toEqual(['precious']);
    writeFileSync(path.join(path.dirname(out), 'old.tmp'), 'mine');
    utimesSync(path.join(path.dirname(out), 'old.tmp'), new Date(0), new Date(0));
    await pack(digits(60), cache, { out: path.join(path.dirname(out), 'another') });
    expect(readdirSync(path.dirname(out)).sort()).toEqual(['another', 'old.tmp', 'out']);
  });
});

describe('the commands', () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-data-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test('inspect, import, train on what was imported, list and remove', async () => {
    const data = digits();
    const seen = await gradloom(home, ['data', 'inspect', data, '--json']);
    expect(seen).toMatchObject({
      code: 0,
      lines: [{ type: 'inspect', found: [{ source: { kind: 'idx', path: data } }] }],
    });
    const empty = await gradloom(home, ['data', 'inspect', testFolder()]);
    expect(empty).toMatchObject({ code: 2, stdout: expect.stringContaining('The folder holds no files') });

    const out = path.join(home, 'packed');
    const made = await gradloom(home, ['data', 'import', data, '--out', out, '--set', 'target=input', '--json']);
    expect(made.code).toBe(0);
    expect(made.lines.at(-1)).toMatchObject({ type: 'import', path: out, facts: { target: { kind: 'vector' } } });
    const wrong = await gradloom(home, ['data', 'import', data, '--set', 'taget=input']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('taget') });

    const file = quickProject(home, 'packed', 1);
    const project = JSON.parse(readFileSync(file, 'utf8'));
    const loss = { kind: 'MSELoss' };
    writeFileSync(
      file,
      JSON.stringify({
        ...project,
        data: { source: { kind: 'pack', path: 'packed' }, split: { val: 0 }, loader: { batch_size: 6 } },
        model: { layers: [{ kind: 'Linear', out_features: 4 }] },
        training: { ...project.training, loss, metrics: [] },
      }),
    );
    const trained = await gradloom(home, ['train', file, '--json']);
    expect(trained.lines.at(-1)).toMatchObject({ type: 'end', status: 'completed' });
    // Where it lies, and nowhere else.
    expect((await gradloom(home, ['data', 'cache'])).stdout).toBe('Nothing is imported.\n');

    const random = quickProject(home, 'random', 1);
    expect((await gradloom(home, ['data', 'import', random])).stdout).toMatch(/^Imported: .*\n {2}train 400; /);
    const listed = await gradloom(home, ['data', 'cache', '--json']);
    expect(listed.lines).toMatchObject([{ type: 'pack', title: 'Random numbers, 400 samples', current: true }]);
    const limited = await gradloom(home, ['data', 'cache', '--limit', '0.5', '--json']);
    expect(limited.lines).toEqual([{ type: 'cache-limit', gib: 0.5 }]);
    expect(JSON.parse(readFileSync(path.join(home, 'settings.json'), 'utf8')).cache_limit).toBe(0.5);
    expect((await gradloom(home, ['data', 'cache', '--limit', '-1'])).code).toBe(2);
    await gradloom(home, ['data', 'cache', '--limit', 'none']);
    const key = String(listed.lines[0]?.key);
    const gone = await gradloom(home, ['data', 'cache', '--remove', key.slice(0, 6)]);
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed: /) });
    const unknown = await gradloom(home, ['data', 'cache', '--remove', 'zz']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing imported has a key') });
  }, 120_000);

  test('a pack that a live run reads is not removed', async () => {
    const file = quickProject(home, 'live', 100_000);
    const run = path.join(home, 'runs', 'live-001');
    const live = start(home, ['train', file, '--run', run, '--json']);
    await live.until(({ type }) => type === 'epoch');
    const [pack] = (await gradloom(home, ['data', 'cache', '--json'])).lines;
    expect(pack).toMatchObject({ in_use: true });
    const refused = await gradloom(home, ['data', 'cache', '--remove', String(pack?.key)]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('A run reads the pack') });
    live.kill('SIGTERM');
    await live.ended;
    expect((await gradloom(home, ['data', 'cache', '--clear', '--json'])).lines).toMatchObject([
      { type: 'cache-removed' },
    ]);
    expect((await gradloom(home, ['data', 'cache'])).stdout).toBe('Nothing is imported.\n');
  });
});
