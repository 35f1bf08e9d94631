/** Two processes and one run: one holds it, the other is told so; a holder that dies lets go. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { holdAt, outcome, run, start, statefulProject, summary, temporaryFolder } from '../journeys/command-line.ts';

test('a live run cannot be resumed or trained over, only followed', async () => {
  const home = temporaryFolder();
  const folder = path.join(home, 'run');
  const project = statefulProject(home, {}, 3000);
  const life = start(['train', project, '--run', folder], home);
  await holdAt(life, folder, ({ type }) => type === 'steps');
  const resumed = await run(['resume', folder], home);
  expect([resumed.code, resumed.events.at(-1)]).toMatchObject([2, { type: 'error', code: 'RUN_LOCKED' }]);
  const trained = await run(['train', project, '--run', folder], home);
  expect([trained.code, trained.events.at(-1)]).toMatchObject([2, { type: 'error', code: 'RUN_EXISTS' }]);
  expect((await run(['evaluate', folder, '--checkpoint', 'last'], home)).code).toBe(0);
  expect((await run(['continue', folder], home)).code).toBe(0);
  expect((await life.exit).code).toBe(0);
  expect(summary(folder).status).toBe('completed');
});

test('two that begin in one folder at once: one trains, the other is refused, the run is whole', async () => {
  const home = temporaryFolder();
  const folder = path.join(home, 'run');
  const project = statefulProject(home, { epochs: 2 });
  const both = await Promise.all([0, 1].map(() => run(['train', project, '--run', folder], home)));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
  expect(both.find(({ code }) => code === 2)?.events.at(-1)).toMatchObject({
    type: 'error',
    code: expect.stringMatching(/^RUN_(EXISTS|LOCKED)$/),
  });
  expect(outcome(folder).epochs).toHaveLength(2);
});

test('two without a folder of their own get one each', async () => {
  const home = temporaryFolder();
  const project = statefulProject(home, { epochs: 1 });
  const both = await Promise.all([0, 1].map(() => run(['train', project], home)));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(readdirSync(path.join(home, 'runs')).sort()).toEqual(['stateful-001', 'stateful-002']);
});

test('a killed run is interrupted and takes no action', async () => {
  const home = temporaryFolder();
  const folder = path.join(home, 'runs', 'stateful-001');
  const life = start(['train', statefulProject(home, {}, 3000), '--run', folder], home);
  await life.until(({ type }) => type === 'epoch');
  life.child.kill('SIGKILL');
  await life.exit;
  expect(existsSync(path.join(folder, 'live.json'))).toBe(true);
  const paused = await run(['pause', folder], home);
  expect([paused.code, paused.events.at(-1)]).toMatchObject([2, { type: 'error', code: 'RUN_NOT_LIVE' }]);
  const listed = await run(['runs'], home);
  expect(listed.events).toEqual([expect.objectContaining({ name: 'stateful-001', status: 'interrupted' })]);
});

test('a folder in use, and one that cannot be written, are refused before anything is done', async () => {
  const home = temporaryFolder();
  const project = statefulProject(home);
  mkdirSync(path.join(home, 'full'));
  writeFileSync(path.join(home, 'full', 'thesis.txt'), '');
  const full = await run(['train', project, '--run', path.join(home, 'full')], home);
  expect([full.code, full.events.at(-1)]).toMatchObject([2, { type: 'error', code: 'RUN_EXISTS' }]);
  expect(readdirSync(path.join(home, 'full'))).toEqual(['thesis.txt']);
  const below = await run(['train', project, '--run', path.join(home, 'full', 'thesis.txt', 'run')], home);
  expect([below.code, below.events.at(-1)]).toMatchObject([2, { type: 'error', code: 'NOT_WRITABLE' }]);
});
