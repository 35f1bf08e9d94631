/** A run whose process is frozen: it can be ended by force from outside, is seen as interrupted, and goes on. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { outcome, run, start, statefulProject, summary, temporaryFolder } from './command-line.ts';

test('stop --force ends a process that does not answer; the run goes on from its last checkpoint', async () => {
  const home = temporaryFolder();
  const project = statefulProject(home, {}, 3000);
  const straight = path.join(home, 'straight');
  expect((await run(['train', project, '--run', straight], home)).code).toBe(0);

  const folder = path.join(home, 'run');
  const life = start(['train', project, '--run', folder], home);
  await life.until(({ type }) => type === 'steps');
  life.child.kill('SIGSTOP');
  const forced = await run(['stop', folder, '--force'], home);
  expect([forced.code, forced.events]).toMatchObject([0, [{ type: 'action', action: 'stop', status: 'interrupted' }]]);
  expect((await life.exit).signal).toBe('SIGKILL');
  expect(summary(folder)).toMatchObject({
    status: 'interrupted',
    error: { code: 'WORKER_DIED', message: expect.stringContaining('ended by force') },
  });
  expect((await run(['stop', folder, '--force'], home)).code).toBe(2); // there is no process any more
  expect((await run(['resume', folder], home)).code).toBe(0);
  expect(outcome(folder)).toEqual(outcome(straight));
});

test('stop --force on a run that answers is a stop', async () => {
  const home = temporaryFolder();
  const folder = path.join(home, 'run');
  const life = start(['train', statefulProject(home, { epochs: 500 }, 3000), '--run', folder], home);
  await life.until(({ type }) => type === 'steps');
  const forced = await run(['stop', folder, '--force'], home);
  expect(forced.events).toMatchObject([{ status: 'stopped' }]);
  expect((await life.exit).code).toBe(0);
});
