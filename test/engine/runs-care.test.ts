/** Runs renamed, noted on, trashed and restored; and the list that shows it, a thousand of them too. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTrashed, listTrash, renameRun, restoreRun, trashRun, writeNotes } from '../../engine/runs/care.ts';
import { RunControl } from '../../engine/runs/control.ts';
import { exportedFile } from '../../engine/runs/details.ts';
import { openEndpoint } from '../../engine/runs/live.ts';
import { listRuns } from '../../engine/runs/registry.ts';
import { RunList } from '../../engine/runs/run-list.ts';
import { type RunSummary, readSummary } from '../../engine/runs/summary.ts';
import { temporaryFolder } from './runs-helpers.ts';

const summary = (more: Partial<RunSummary> = {}): RunSummary => ({
  version: 1,
  name: 'a',
  status: 'completed',
  device: 'cpu',
  precision: 'fp32',
  epoch: 1,
  epochs: 1,
  step: 1,
  steps_per_epoch: 1,
  parameters: 1,
  seconds: 1,
  last: { train_loss: 1 },
  best: null,
  samples_per_second: 1,
  started: '2026-01-01T00:00:00.000Z',
  updated: '2026-01-01T00:00:00.000Z',
  ...more,
});

function makeRun(home: string, name: string, more: Partial<RunSummary> = {}): string {
  const folder = path.join(home, 'runs', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'project.json'), '{"gradloom":1}');
  writeFileSync(path.join(folder, 'summary.json'), JSON.stringify(summary(more)));
  return folder;
}

async function live(folder: string): Promise<() => Promise<void>> {
  const endpoint = await openEndpoint(folder, new RunControl());
  const end = async () => {
    endpoint.hide();
    await endpoint.close();
  };
  onTestFinished(end);
  return end;
}

test.each([
  '',
  '..',
  '.',
  'a/b',
  'a\\b',
  'CON',
  'nul.txt',
  'x.',
  ' x',
  'x ',
  '.x',
  'a:b',
  'x'.repeat(101),
  '\u0007',
  'a\0',
])('%j is no name for a run', async (name) => {
  const folder = makeRun(temporaryFolder(), 'a');
  await expect(renameRun(folder, name)).rejects.toMatchObject({ code: 'BAD_CALL' });
  expect(existsSync(folder)).toBe(true);
});

test('a run takes a free name only, and not while it lives', async () => {
  const home = temporaryFolder();
  const folder = makeRun(home, 'a');
  makeRun(home, 'b');
  mkdirSync(path.join(home, 'runs', 'empty'));
  writeFileSync(path.join(home, 'runs', 'file'), '');
  for (const name of ['b', 'empty', 'file']) {
    await expect(renameRun(folder, name)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  }
  expect(await renameRun(folder, 'a')).toBe(folder);
  const end = await live(folder);
  await expect(renameRun(folder, 'c')).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  await expect(trashRun(folder, home)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  await writeNotes(folder, 'while it lives');
  await end();
  expect(await renameRun(folder, 'Äpfel (2)')).toBe(path.join(home, 'runs', 'Äpfel (2)'));
  await expect(renameRun(folder, 'd')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('a renamed run still tells the name that it began with', async () => {
  const home = temporaryFolder();
  const second = await renameRun(makeRun(home, 'a-001'), 'b');
  expect(readSummary(second)).toEqual(summary({ first_name: 'a-001' }));
  expect(readSummary(await renameRun(second, 'c'))?.first_name).toBe('a-001');
});

test('the trash gives back what it was given, and nothing else', async () => {
  const home = temporaryFolder();
  const elsewhere = path.join(home, 'elsewhere', 'mine');
  mkdirSync(elsewhere, { recursive: true });
  writeFileSync(path.join(elsewhere, 'project.json'), '{}');
  const trashed = await trashRun(elsewhere, home);
  expect(existsSync(elsewhere)).toBe(false);
  expect(await restoreRun(trashed, home)).toBe(elsewhere);
  expect(readdirSync(path.join(home, 'trash'))).toEqual([]);
  const again = await trashRun(elsewhere, home);
  rmSync(path.dirname(elsewhere), { recursive: true });
  expect(await restoreRun(again, home)).toBe(path.join(home, 'runs', 'mine'));
  const run = makeRun(home, 'a');
  for (const place of [
    run,
    path.join(home, 'trash'),
    path.join(home, 'trash', 'x', '..', '..', 'runs', 'a'),
    'a',
    again,
  ]) {
    await expect(restoreRun(place, home)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  }
});

test('the trash is listed by time, and holds only what can be brought back', async () => {
  const home = temporaryFolder();
  expect(await listTrash(home)).toEqual([]);
  const before = Date.now();
  const older = await trashRun(makeRun(home, 'a'), home);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const newer = await trashRun(makeRun(home, 'a'), home);
  mkdirSync(path.join(home, 'trash', '2026-01-01T00-00-00-000Z-abcd', 'no run'), { recursive: true });
  writeFileSync(path.join(home, 'trash', 'a file'), '');
  const listed = await listTrash(home);
  expect(listed.map(({ trashed, name }) => [trashed, name])).toEqual([
    [newer, 'a'],
    [older, 'a'],
  ]);
  // Whole seconds.
  for (const { deleted } of listed) {
    expect(Date.parse(deleted)).toBeGreaterThan(before - 1000);
    expect(Date.parse(deleted)).toBeLessThanOrEqual(Date.now());
  }
  expect(await findTrashed('a', home)).toBe(newer);
  await restoreRun(newer, home);
  expect(await listTrash(home)).toMatchObject([{ trashed: older }]);
});

test('notes are written whole, and gone when they are empty', async () => {
  const folder = makeRun(temporaryFolder(), 'a');
  await writeNotes(folder, 'äöü\nzwei');
  expect(readFileSync(path.join(folder, 'notes.txt'), 'utf8')).toBe('äöü\nzwei');
  await writeNotes(folder, '');
  expect(existsSync(path.join(folder, 'notes.txt'))).toBe(false);
  await expect(writeNotes(folder, 'x'.repeat(100_001))).rejects.toMatchObject({ code: 'BAD_CALL' });
});

test('only files of the export folder are handed out', async () => {
  const folder = makeRun(temporaryFolder(), 'a');
  mkdirSync(path.join(folder, 'export', 'sub'), { recursive: true });
  writeFileSync(path.join(folder, 'export', 'a.pt'), '');
  expect(await exportedFile(folder, 'a.pt')).toBe(path.join(folder, 'export', 'a.pt'));
  for (const name of [
    '',
    '.',
    '..',
    '../summary.json',
    'sub',
    'sub/a',
    '..\\summary.json',
    'a.pt\0',
    '/etc/hostname',
    'b.pt',
  ]) {
    await expect(exportedFile(folder, name), name).rejects.toMatchObject({
      code: expect.stringMatching(/FILE_NOT_FOUND|BAD_CALL/),
    });
  }
});

test('the list answers what is new, at once where this process knows, else when it is seen', async () => {
  const home = temporaryFolder();
  const list = new RunList(home);
  const first = await list.watch(undefined, 0);
  expect(first.runs).toEqual([]);
  const waiting = list.watch(first.version, 10_000);
  const folder = makeRun(home, 'a', { status: 'running' });
  const end = await live(folder);
  const second = await waiting;
  expect(second.runs).toMatchObject([{ name: 'a', folder, notes: '' }]);
  await expect.poll(async () => (await list.watch(undefined, 0)).runs[0]?.status, { timeout: 5000 }).toBe('running');
  await end(); // as if its process had been killed
  const { version } = await list.watch(undefined, 0);
  const died = await list.watch(version, 10_000);
  expect(died.runs[0]?.status).toBe('interrupted');
  const began = performance.now();
  const told = list.watch(died.version, 10_000);
  await writeNotes(folder, 'well');
  list.wake(folder);
  expect((await told).runs[0]?.notes).toBe('well');
  expect(performance.now() - began).toBeLessThan(1000);
  expect((await list.watch((await told).version, 300)).version).toBe((await told).version);
});

test('runs that live come first and stay where they are, whichever has just told something', async () => {
  const home = temporaryFolder();
  const moment = (minute: number) => new Date(1.7e12 + 60_000 * minute).toISOString();
  makeRun(home, 'done', { updated: moment(9) });
  const ends = await Promise.all(
    ['first', 'second'].map((name, i) =>
      live(makeRun(home, name, { status: 'running', started: moment(i), updated: moment(5 - i) })),
    ),
  );
  const names = async (list: RunList) => (await list.watch(undefined, 0)).runs.map(({ name }) => name);
  expect(await names(new RunList(home))).toEqual(['second', 'first', 'done']);
  makeRun(home, 'first', { status: 'running', started: moment(0), updated: moment(20) });
  expect(await names(new RunList(home))).toEqual(['second', 'first', 'done']);
  expect((await listRuns(home)).map(({ name }) => name)).toEqual(['second', 'first', 'done']);
  for (const end of ends) await end();
  expect(await names(new RunList(home))).toEqual(['first', 'done', 'second']);
});

test('a thousand runs are listed in a moment, and cost nothing while nothing happens', async () => {
  const home = temporaryFolder();
  for (let i = 0; i < 1000; i += 1) {
    makeRun(home, `run-${i}`, { updated: new Date(1.7e12 + 1000 * i).toISOString() });
  }
  const list = new RunList(home);
  const cpu = (since: NodeJS.CpuUsage) => Object.values(process.cpuUsage(since)).reduce((a, b) => a + b) / 1000;
  let began = process.cpuUsage();
  const { version, runs } = await list.watch(undefined, 0);
  const listing = cpu(began);
  expect(runs.length).toBe(1000);
  expect(runs[0]?.name).toBe('run-999');
  began = process.cpuUsage();
  await list.watch(version, 3000);
  const idle = cpu(began);
  // The budget is 200 ms on a machine at rest. Here it is the processor's time that counts, with room for busy neighbours.
  expect(listing).toBeLessThan(800);
  expect(idle).toBeLessThan(400);
});
