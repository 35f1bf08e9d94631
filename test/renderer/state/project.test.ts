/** The open project's store against the engine: saves follow one another, and nothing that is not saved is given up. @vitest-environment jsdom */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { setEdit } from '../../../engine/contract/report.ts';
import { client, home, refuseNext } from '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const project = await import('../../../renderer/state/project.ts');
const { openFile } = await import('../../../renderer/state/projects.ts');
const { useSession } = await import('../../../renderer/state/session.ts');
const { useProjectState } = project;

const now = () => useProjectState.getState();
const toasts = () => useSession.getState().toasts.map(({ message }) => message);
const named = (name: string) => project.edit([setEdit(['name'], name)]);
const nameIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { name: string }).name;

let [file, other] = ['', ''];
let made = 0;

function write(): string {
  made += 1;
  const place = path.join(home, `state-${made}.gradloom.json`);
  writeFileSync(place, `{ "gradloom": 1, "name": "n${made}" }\n`);
  return place;
}

beforeEach(async () => {
  useProjectState.setState({ file: null, text: '', savedText: '', save: { kind: 'saved' } });
  useSession.setState({ toasts: [] });
  [file, other] = [write(), write()];
  expect(await openFile(file)).toBe(true);
});

test('saves that are asked for at the same time do not take one another for strangers', async () => {
  const seen = new Set<string>();
  const leave = useProjectState.subscribe(({ save }) => seen.add(save.kind));
  named('a');
  const first = project.saveNow();
  named('b');
  await Promise.all([first, project.saveNow(), project.saveNow()]);
  leave();
  expect(seen).toEqual(new Set(['saved', 'unsaved', 'saving']));
  expect(now().save.kind).toBe('saved');
  expect(nameIn(file)).toBe('b');
});

test('another project is opened once this one is saved', async () => {
  named('kept');
  expect(await openFile(other)).toBe(true);
  expect(nameIn(file)).toBe('kept');
  expect(now().file).toBe(other);
});

test('what cannot be saved is not given up for another project, nor by closing', async () => {
  writeFileSync(file, '{ "gradloom": 1, "name": "theirs" }\n');
  named('mine');
  await project.saveNow();
  expect(now().save.kind).toBe('conflict');
  expect(await openFile(other)).toBe(false);
  expect(toasts()).toEqual([expect.stringContaining('not saved')]);
  useSession.setState({ toasts: [] });
  expect(await project.closeProject()).toBe(false);
  expect(toasts()).toEqual([expect.stringContaining('not saved')]);
  expect(now()).toMatchObject({ file, opening: false });

  await project.settleConflict('theirs');
  expect(await openFile(other)).toBe(true);
});

test('of two that are asked for the later one is opened, however long the first takes', async () => {
  const third = write();
  let release = () => {};
  const slow = project.openProject(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return client.engine.projects.open({ file: other });
  });
  await vi.waitFor(() => expect(now().opening).toBe(true));
  expect(await openFile(third)).toBe(true);
  release();
  expect(await slow).toBe(false);
  expect(now().file).toBe(third);
});

test('one that cannot be opened leaves the open one, and says so', async () => {
  expect(await openFile(path.join(home, 'nowhere.gradloom.json'))).toBe(false);
  expect(now()).toMatchObject({ file, opening: false });
  expect(toasts()).toEqual([expect.stringContaining('nowhere')]);
});

test('a choice after a conflict belongs to the project it was made for', async () => {
  writeFileSync(file, '{ "gradloom": 1, "name": "theirs" }\n');
  named('mine');
  await project.saveNow();
  const settled = project.settleConflict('theirs');
  useProjectState.setState({ file: other, text: '{}', savedText: '{}' });
  await settled;
  expect(now().text).toBe('{}');
});

test('a save that failed is tried again by the next one', async () => {
  refuseNext('projects.save', new Error('The disk is full'));
  named('again');
  await project.saveNow();
  expect(now().save).toMatchObject({ kind: 'failed', error: { message: 'The disk is full' } });
  expect(project.hasUnsaved()).toBe(true);
  await project.saveNow();
  expect(nameIn(file)).toBe('again');
});
