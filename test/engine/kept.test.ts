/** What the workspace keeps of projects beside their files: steps of undo, and texts that were not saved. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { Kept } from '../../engine/kept.ts';

const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-kept-'));
const file = path.join(home, 'a.gradloom.json');
const folder = path.join(home, 'recovery');
const history = (text: string) => ({ text, past: [{ offset: 0, length: 0, content: 'x' }], future: [] });

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(file, 'saved');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('steps are found by another service, for their own file only', async () => {
  await new Kept(home).keepHistory(file, history('one'));
  expect(await new Kept(home).history(file)).toEqual(history('one'));
  expect(await new Kept(home).history(path.join(home, 'b.gradloom.json'))).toBeNull();
});

test('of many writes in a row the last one stays', async () => {
  const kept = new Kept(home);
  for (let i = 0; i < 50; i++) void kept.keepHistory(file, history(String(i)));
  await kept.settled();
  expect(await kept.history(file)).toEqual(history('49'));
  expect(readdirSync(folder)).toHaveLength(1);
});

test('what is written just as the one before has ended is not forgotten', async () => {
  const kept = new Kept(home);
  const windows = ['a', 'b', 'c'];
  for (let round = 0; round < 20; round++) {
    const writes = windows.map((window) => kept.keepDraft(file, window, { text: `${round}`, revision: 'r' }));
    await Promise.race(writes);
    for (const window of windows) void kept.keepDraft(file, window, { text: `${round} again`, revision: 'r' });
    expect((await kept.drafts(file)).map(({ text }) => text)).toEqual(windows.map(() => `${round} again`));
  }
});

test('a failure is told to all who wait for it, and what comes after is written', async () => {
  const kept = new Kept(home);
  writeFileSync(folder, 'in the way');
  const [first, second] = [kept.keepHistory(file, history('one')), kept.keepHistory(file, history('two'))];
  await expect(first).rejects.toMatchObject({ code: 'NOT_WRITABLE' });
  await expect(second).rejects.toMatchObject({ code: 'NOT_WRITABLE' });
  rmSync(folder);
  await kept.keepHistory(file, history('three'));
  expect(await kept.history(file)).toEqual(history('three'));
});

test('a damaged file counts as none', async () => {
  const kept = new Kept(home);
  await kept.keepHistory(file, history('one'));
  const [name] = readdirSync(folder);
  writeFileSync(path.join(folder, name as string), '{"version":1,"file":');
  expect(await kept.history(file)).toBeNull();
});

test('each window has a text of its own, the latest first; a null takes it away', async () => {
  const kept = new Kept(home);
  await kept.keepDraft(file, 'first', { text: 'mine', revision: 'r' });
  await new Promise((resolve) => setTimeout(resolve, 2));
  await kept.keepDraft(file, 'second', { text: 'theirs', revision: 'r' });
  expect((await kept.drafts(file)).map(({ window, text }) => [window, text])).toEqual([
    ['second', 'theirs'],
    ['first', 'mine'],
  ]);
  await kept.keepDraft(file, 'second', null);
  expect((await kept.drafts(file)).map(({ window }) => window)).toEqual(['first']);
});

test('a text that the file holds by now is forgotten; one of a file that is gone stays', async () => {
  const kept = new Kept(home);
  await kept.keepDraft(file, 'w', { text: 'later', revision: 'r' });
  rmSync(file);
  expect(await kept.drafts(file)).toHaveLength(1);
  writeFileSync(file, 'later');
  expect(await kept.drafts(file)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that cannot be made is told', async () => {
  writeFileSync(folder, 'in the way');
  await expect(new Kept(home).keepHistory(file, history('one'))).rejects.toMatchObject({ code: 'NOT_WRITABLE' });
});
