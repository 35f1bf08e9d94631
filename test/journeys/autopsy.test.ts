/** A run that became NaN, as people meet it: what `train` says, `autopsy` shows, and how it goes on, at the command line and over the wire. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Autopsy } from '../../engine/contract/autopsy.ts';
import { connectEngine } from '../e2e/engine-connection.mjs';
import { gradloom, quickProject, start } from '../engine/cli-process.ts';
import { summary, temporaryFolder } from './command-line.ts';

const wild = ['--set', 'training.optimizer.kind=SGD', '--set', 'training.optimizer.lr=1e30'];

test('train fails with what to do; autopsy says why; resume --set goes on', async () => {
  const home = temporaryFolder();
  const project = quickProject(home, 'quick', 2);
  const failed = await gradloom(home, ['train', project, ...wild, '--json']);
  expect(failed.code).toBe(1);
  expect(failed.lines.find(({ type }) => type === 'error')).toMatchObject({
    code: 'NON_FINITE',
    message: expect.stringMatching(
      /^The output of layer 2 \(Linear\) became NaN or infinite in step 2 \(epoch 1, batch 2 of 6\)/,
    ),
    hint: "Set the learning rate to 0.001, or: clip the gradient to a norm of 1. The run's autopsy tells more.",
    path: 'model.layers.2',
  });
  const { code, lines } = await gradloom(home, ['autopsy', 'quick-001', '--json']);
  expect([code, lines.length]).toEqual([0, 1]);
  const run = path.join(home, 'runs', 'quick-001');
  expect(lines[0]).toMatchObject({
    type: 'autopsy',
    run,
    phase: 'forward',
    layer: '2',
    step: 2,
    samples: expect.any(Array),
  });
  const shown = await gradloom(home, ['autopsy', 'quick-001']);
  expect(shown.stdout).toContain('dist/cli.js resume quick-001 --set training.optimizer.lr=0.001');
  expect(shown.stdout).toMatch(/^samples \(train\) +\d+(, \d+){11} … \(50\)$/m);

  const words = ['resume', 'quick-001', '--set', 'training.optimizer.lr=0.001', '--json'];
  const resumed = await gradloom(home, words);
  expect([resumed.code, resumed.lines.at(-1)]).toMatchObject([0, { status: 'completed', epoch: 2 }]);
  expect(summary(run)).not.toHaveProperty('error');
  const mistyped = await gradloom(home, ['resume', 'quick-001', '--epochs', '3', '--set', 'training.lr=1', '--json']);
  expect(mistyped).toMatchObject({ code: 2, lines: [{ code: 'BAD_CALL', path: 'training.lr' }] });
  const healthy = await gradloom(home, ['train', project, '--json']);
  expect(healthy.code).toBe(0);
  expect(await gradloom(home, ['autopsy', 'quick-002', '--json'])).toMatchObject({
    code: 2,
    lines: [{ code: 'BAD_CALL' }],
  });
});

test('over the wire: in the details, and a remedy resumes', async () => {
  const home = temporaryFolder();
  const failed = await gradloom(home, ['train', quickProject(home, 'quick', 2), ...wild]);
  expect(failed.code).toBe(1);
  const service = start(home, ['serve', '--json']);
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await service.ended;
  });
  const connection = await connectEngine(String((await service.until(({ type }) => type === 'serve')).url));
  onTestFinished(() => connection.close());
  const { engine } = connection;
  const run = 'quick-001';
  const autopsy = (await engine.runs.autopsy({ run })) as Autopsy;
  expect((await engine.runs.details({ run })).autopsy).toEqual(autopsy);
  const refused = [{ op: 'set' as const, path: ['training', 'optimiser', 'lr'], value: 1 }];
  await expect(engine.runs.resume({ run, edits: refused })).rejects.toThrow();
  expect((await engine.runs.details({ run })).status).toBe('failed');
  await engine.runs.resume({ run, edits: autopsy.remedies[0]?.edits ?? [] });
  await expect.poll(async () => (await engine.runs.details({ run })).status, { timeout: 20_000 }).toBe('completed');
  expect((await engine.runs.details({ run })).autopsy).toBeNull();
});
