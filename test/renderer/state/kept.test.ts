/** What outlasts the window: steps of undo, and texts that were not saved. @vitest-environment jsdom */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { setEdit } from '../../../engine/contract/report.ts';
import { client, home, refuseNext } from '../engine.ts';

// One engine for all the windows, whose own modules are loaded anew.
vi.doMock('../../../renderer/client/client.ts', () => client);

let made = 0;
let file = '';
const start = () => `{ "gradloom": 1, "name": "kept-${made}" }\n`;

/** A window that has just been loaded, with the project opened in it. */
async function newWindow() {
  vi.resetModules();
  const project = await import('../../../renderer/state/project.ts');
  const { openFile } = await import('../../../renderer/state/projects.ts');
  const { useSession } = await import('../../../renderer/state/session.ts');
  expect(await openFile(file)).toBe(true);
  return {
    ...project,
    name: (name: string) => project.edit([setEdit(['name'], name)]),
    now: () => project.useProjectState.getState(),
    steps: () => {
      const { pastStates, futureStates } = project.useProjectState.temporal.getState();
      return [pastStates.length, futureStates.length];
    },
    toasts: () => useSession.getState().toasts,
    /** Nothing is saved from here on, as if it were gone. */
    die: () => project.useProjectState.setState({ save: { kind: 'conflict', revision: null } }),
  };
}

const draftsKept = async () => (await client.engine.keep.read({ file })).drafts.map(({ text }) => text);

beforeEach(() => {
  made += 1;
  localStorage.clear();
  file = path.join(home, `kept-${made}.gradloom.json`);
  writeFileSync(file, start());
});

test('steps are undone and redone after the window was closed', async () => {
  const before = await newWindow();
  for (const name of ['a', 'b', 'c']) before.name(name);
  before.undo();
  await before.saveNow();
  const after = await newWindow();
  expect(after.steps()).toEqual([2, 1]);
  after.redo();
  expect(after.now().text).toContain('"c"');
  while (after.steps()[0] !== 0) after.undo();
  expect(after.now().text).toBe(start());
});

test('steps back to what the file holds are kept, though there is nothing to save', async () => {
  const before = await newWindow();
  before.name('a');
  before.undo();
  await before.saveNow();
  expect((await newWindow()).steps()).toEqual([0, 1]);
});

test('what another program changed while it was closed is a step', async () => {
  const before = await newWindow();
  before.name('mine');
  await before.saveNow();
  const mine = readFileSync(file, 'utf8');
  writeFileSync(file, '{ "gradloom": 1, "name": "theirs" }\n');
  const after = await newWindow();
  expect(after.steps()).toEqual([2, 0]);
  after.undo();
  expect(after.now().text).toBe(mine);
  after.undo();
  expect(after.now().text).toBe(start());
});

test('steps go along into a copy', async () => {
  const window = await newWindow();
  window.name('mine');
  await window.settleConflict('copy');
  expect(window.now().file).not.toBe(file);
  window.undo();
  expect(window.now().text).toBe(start());
});

test('a text that the window had no time to save is offered by the next one, and restored as one step', async () => {
  const before = await newWindow();
  before.name('typed');
  await vi.waitFor(async () => expect(await draftsKept()).toHaveLength(1));
  before.die();
  const after = await newWindow();
  expect(after.now().text).toBe(start());
  expect(after.now().drafts).toHaveLength(1);
  after.settleDraft('restore');
  expect(after.now().text).toContain('typed');
  expect(after.now().drafts).toEqual([]);
  await after.saveNow();
  await vi.waitFor(async () => expect(await draftsKept()).toEqual([]));
  expect(readFileSync(file, 'utf8')).toContain('typed');
  after.undo();
  expect(after.now().text).toBe(start());
});

test('discarded, it is not offered again, but can be brought back at once', async () => {
  const before = await newWindow();
  before.name('typed');
  await vi.waitFor(async () => expect(await draftsKept()).toHaveLength(1));
  before.die();
  const after = await newWindow();
  after.settleDraft('discard');
  expect(after.now().text).toBe(start());
  await vi.waitFor(async () => expect(await draftsKept()).toEqual([]));
  expect((await newWindow()).now().drafts).toEqual([]);
  after.toasts().at(-1)?.action?.run();
  expect(after.now().text).toContain('typed');
});

test('what is saved leaves nothing behind, nor what is taken back', async () => {
  const window = await newWindow();
  window.name('a');
  await window.saveNow();
  window.name('b');
  window.undo();
  await vi.waitFor(async () => expect(await draftsKept()).toEqual([]));
  expect((await newWindow()).now().drafts).toEqual([]);
});

test('each window that died has its text offered, also of a file that was changed since', async () => {
  const [one, two] = [await newWindow(), await newWindow()];
  one.name('one');
  two.name('two');
  one.die();
  two.die();
  await vi.waitFor(async () => expect(await draftsKept()).toHaveLength(2));
  writeFileSync(file, '{ "gradloom": 1, "name": "theirs" }\n');
  const after = await newWindow();
  expect(
    after
      .now()
      .drafts.map(({ text }) => /one|two/.exec(text)?.[0])
      .sort(),
  ).toEqual(['one', 'two']);
  expect(after.now().drafts.every(({ revision }) => revision !== after.now().revision)).toBe(true);
});

test('where the engine cannot keep it, the window does', async () => {
  const before = await newWindow();
  refuseNext('keep.draft', new Error('The disk is full'));
  before.name('typed');
  before.die();
  await vi.waitFor(() => expect(Object.keys(localStorage)).toHaveLength(1));
  expect(await draftsKept()).toEqual([]);
  const after = await newWindow();
  expect(after.now().drafts).toHaveLength(1);
  after.settleDraft('restore');
  await after.saveNow();
  expect(Object.keys(localStorage)).toEqual([]);
  expect((await newWindow()).now().drafts).toEqual([]);
});

test('a project whose keepsakes cannot be read is opened all the same, and says so', async () => {
  refuseNext('keep.read', new Error('The disk is gone'));
  const window = await newWindow();
  expect(window.now().file).toBe(file);
  expect(window.toasts().map(({ message }) => message)).toEqual(['The disk is gone']);
});
