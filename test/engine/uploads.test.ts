/** Weights that a browser brings part by part. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { mostUploadBytes } from '../../engine/contract/api-upload.ts';
import { Uploads } from '../../engine/uploads.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-uploads-'));
const folder = path.join(home, 'weights');
const bytes = (text: string) => new TextEncoder().encode(text);
const there = () => readdirSync(folder).sort();

beforeEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('parts become a file with the last of them, never over another', async () => {
  const uploads = new Uploads(home);
  for (const name of ['net.pt', 'net-2.pt']) {
    const id = await uploads.begin('net.pt', 5);
    expect(await uploads.part(id, 0, bytes('ab'))).toBeNull();
    expect(await uploads.part(id, 2, bytes('cde'))).toBe(path.join(folder, name));
  }
  expect(there()).toEqual(['net-2.pt', 'net.pt']);
  expect(readFileSync(path.join(folder, 'net.pt'), 'utf8')).toBe('abcde');
  const empty = await uploads.begin('empty.safetensors', 0);
  expect(await uploads.part(empty, 0, bytes(''))).toBe(path.join(folder, 'empty.safetensors'));
});

test('two of one name that end at once are both kept', async () => {
  const uploads = new Uploads(home);
  const ids = await Promise.all(['a', 'b', 'c'].map(() => uploads.begin('net.pt', 1)));
  const files = await Promise.all(ids.map((id, at) => uploads.part(id, 0, bytes('abc'[at] as string))));
  expect(there()).toEqual(['net-2.pt', 'net-3.pt', 'net.pt']);
  expect(files.map((file) => readFileSync(file as string, 'utf8'))).toEqual(['a', 'b', 'c']);
});

test('what comes out of order or is too much ends it, and leaves nothing', async () => {
  const uploads = new Uploads(home);
  for (const [offset, part] of [
    [1, 'a'],
    [0, 'abcdef'],
    [0, ''],
  ] as const) {
    const id = await uploads.begin('net.pt', 5);
    await expect(uploads.part(id, offset, bytes(part))).rejects.toMatchObject({ code: 'BAD_CALL' });
    await uploads.cancel(id);
    await expect(uploads.part(id, 0, bytes('a'))).rejects.toMatchObject({ code: 'BAD_CALL' });
  }
  expect(there()).toEqual([]);
});

test('only weights of a size that can be brought are', async () => {
  const uploads = new Uploads(home);
  for (const name of ['net.exe', '../net.pt', 'a/net.pt', '.net.pt', '.pt', 'net.pt\0']) {
    await expect(uploads.begin(name, 1)).rejects.toMatchObject({ code: 'BAD_CALL' });
  }
  await expect(uploads.begin('net.pt', mostUploadBytes + 1)).rejects.toThrow('too large');
  expect(existsSync(folder)).toBe(false);
});

test('a name becomes one that every system takes and that shows what it is', async () => {
  const uploads = new Uploads(home);
  for (const [name, kept] of [
    ['a\nb\u202ec\x1b[31m.pt', 'a-b-c-[31m.pt'],
    ['CON.pt', 'weights-CON.pt'],
    ['nul.v2.pth', 'weights-nul.v2.pth'],
    ['what?: "net" .pt', 'what- -net-.pt'],
    [' .pt', 'weights.pt'],
    [`${'网'.repeat(200)}.safetensors`, `${'网'.repeat(66)}.safetensors`],
    ['Ünïcode net (2).pt', 'Ünïcode net (2).pt'],
  ] as const) {
    const id = await uploads.begin(name, 1);
    expect(await uploads.part(id, 0, bytes('x'))).toBe(path.join(folder, kept));
  }
});

test('eight are on their way at most: one that waits gives way, else the ninth is refused', async () => {
  const begin = (uploads: Uploads, count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, at) => uploads.begin(`n${at}.pt`, 2)));
  const busy = new Uploads(home);
  const begun = await begin(busy, 20);
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
  expect(begun[8]).toMatchObject({ reason: { code: 'BAD_CALL', message: expect.stringMatching(/^n8\.pt .*8 files/) } });
  expect(there()).toHaveLength(8);
  await busy.close();
  expect(there()).toEqual([]);

  const idle = new Uploads(home, { waits: 0 });
  const [first, second] = [await idle.begin('a.pt', 2), await idle.begin('b.pt', 2)];
  await begin(idle, 6);
  await idle.part(first, 0, bytes('x'));
  await idle.begin('c.pt', 2);
  await expect(idle.part(second, 0, bytes('x'))).rejects.toThrow('not being brought any more');
  expect(await idle.part(first, 1, bytes('y'))).toBe(path.join(folder, 'a.pt'));
  await idle.close();
});

test('one whose window is gone is given up, as is what a killed service left', async () => {
  mkdirSync(folder, { recursive: true });
  const [old, fresh] = ['.00000000000000aa.part', '.00000000000000bb.part'];
  for (const name of [old, fresh]) writeFileSync(path.join(folder, name), 'x');
  const hour = Date.now() / 1000 - 3600;
  utimesSync(path.join(folder, old), hour, hour);
  await new Uploads(home).begin('net.pt', 5);
  expect(there()).not.toContain(old);
  expect(there()).toContain(fresh);
  const brief = new Uploads(home, { idle: 20 });
  const id = await brief.begin('net.pt', 5);
  await expect.poll(() => there().some((name) => name.includes(id))).toBe(false);
});
