/** A live run in a process of its own, steered from another: changed, snapshotted, killed; resumed it is the run with the same changes. */
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { ChunkSize } from '../../engine/runs/chunks.ts';
import { RunControl, trainRun } from '../../engine/runs/index.ts';
import { holdAt, journal, outcome, run, start, statefulProject, summary, temporaryFolder } from './command-line.ts';

const told = (events: RunEvent[], type: string) =>
  events.find((event) => (event.type as string) === type) as object | undefined;

test('set and snapshot, then kill -9 and resume', async () => {
  const home = temporaryFolder();
  const schedule = { kind: 'CosineAnnealingLR', unit: 'step' };
  const project = statefulProject(home, { schedule, epochs: 40 }, 3000);
  const folder = path.join(home, 'run');
  const life = start(['train', project, '--run', folder], home);
  await holdAt(life, folder, ({ type }) => type === 'steps');
  const shot = await run(['snapshot', folder], home);
  expect(shot.code).toBe(0);
  expect(told(shot.events, 'snapshot')).toMatchObject({ status: 'paused', folder: expect.stringMatching(/^step-/) });
  const set = await run(['set', folder, '--lr', '0.02', '--epochs', '3'], home);
  expect([set.code, told(set.events, 'set')]).toMatchObject([0, { lr: 0.02, epochs: 3, status: 'paused' }]);
  expect((await run(['continue', folder], home)).code).toBe(0);
  life.child.kill('SIGKILL');
  await life.exit;
  const resumed = await run(['resume', folder], home);
  expect(resumed.code).toBe(0);
  expect(summary(folder)).toMatchObject({ status: 'completed', epoch: 3, epochs: 3 });

  // The same changes at the same step of an uninterrupted run.
  const made = journal(folder).find((event) => event.type === 'change') as Extract<RunEvent, { type: 'change' }>;
  const straight = path.join(home, 'straight');
  let step = 0;
  const control = new RunControl();
  const chunks = new (class extends ChunkSize {
    override next(left: number) {
      return Math.min(left, step < made.step ? made.step - step : 7);
    }
  })();
  await trainRun({ projectFile: project, run: straight }, () => {}, control, {
    chunks,
    afterChunk: async ({ state }) => {
      step = state.step;
      if (step === made.step) void control.request({ action: 'set', lr: 0.02, epochs: 3 });
    },
  });
  expect(outcome(folder)).toEqual(outcome(straight));
  expect((await run(['evaluate', folder, '--checkpoint', String(made.step)], home)).code).toBe(0);
});

test('what cannot be set says why, and a run that has ended how it goes on', async () => {
  const home = temporaryFolder();
  const folder = path.join(home, 'run');
  const project = statefulProject(home, { epochs: 40 }, 3000);
  const life = start(['train', project, '--run', folder], home);
  await holdAt(life, folder, (event) => event.type === 'steps' && event.epoch === 2);
  const early = await run(['set', folder, '--epochs', '1'], home);
  expect([early.code, early.events[0]]).toMatchObject([
    2,
    { code: 'BAD_CALL', message: expect.stringMatching(/cannot be its last/) },
  ]);
  for (const words of [
    ['--lr', '-1'],
    ['--lr', 'fast'],
    ['--epochs', '0'],
  ]) {
    expect((await run(['set', folder, ...words], home)).code).toBe(2);
  }
  expect((await run(['set', folder], home)).events[0]).toMatchObject({
    code: 'BAD_CALL',
    message: 'Nothing was given to change',
  });
  await run(['stop', folder], home);
  await life.exit;
  const ended = await run(['set', folder, '--lr', '0.1'], home);
  expect([ended.code, ended.events[0]]).toMatchObject([
    2,
    { code: 'RUN_NOT_LIVE', hint: expect.stringMatching(/resume/i) },
  ]);
  const plan = await run(['resume', folder, '--epochs', '50', '--plan'], home);
  expect([plan.code, told(plan.events, 'extension')]).toMatchObject([0, { epochs: 50, epochs_before: 40 }]);
  expect((await run(['resume', folder, '--plan'], home)).code).toBe(2);
  expect(summary(folder).status).toBe('stopped');
});
