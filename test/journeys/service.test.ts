/** The service and its workers: real processes that train, are watched, obey, die, and lose their parent. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import type { RunEvent } from '../../engine/contract/events.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import { LiveRuns } from '../../engine/runs/live-runs.ts';
import { RunList } from '../../engine/runs/run-list.ts';
import type { EpochEvent, Prediction } from '../../engine/runs/types.ts';
import { Service } from '../../engine/service.ts';
import { journal, outcome, root, run as runCli, statefulProject, summary, temporaryFolder } from './command-line.ts';

const workerEntry = path.join(root, 'dist', 'worker.js');

function opened() {
  const home = temporaryFolder();
  vi.stubEnv('GRADLOOM_HOME', home);
  const service = new Service({ processes: nodeProcesses, workerEntry });
  onTestFinished(async () => {
    await service.close();
    vi.unstubAllEnvs();
  });
  return { home, service };
}

const pidOf = (run: string): number => JSON.parse(readFileSync(path.join(run, 'live.json'), 'utf8')).pid;

async function hasSteps(run: string): Promise<void> {
  await expect.poll(() => journal(run).some(({ type }) => type === 'steps'), { timeout: 30_000 }).toBe(true);
}

test('trains in a worker, never in its own process; is followed by frames, measured, predicted from', async () => {
  const { home, service } = opened();
  const events: RunEvent[] = [];
  const { run, ended } = await service.train({ projectFile: statefulProject(home) }, (event) => events.push(event));
  expect(run).toBe(path.join(home, 'runs', 'stateful-001'));
  expect(pidOf(run)).not.toBe(process.pid);
  const live = new LiveRuns();
  let frames = 0;
  let frame = await live.follow(run, 1024, null);
  for (; frame.status !== 'completed'; frames += 1) frame = await live.follow(run, 1024, frame.cursor);
  expect(await ended).toMatchObject({ type: 'end', status: 'completed', epoch: 4 });
  expect(events.map(({ type }) => type)).toContain('steps');
  expect(frame).toMatchObject({ epoch: 4, error: null, cursor: { epochs: 4 } });
  expect(frames).toBeLessThan(events.length + 2); // the newest wins: a slow window is not flooded
  const measured = await service.evaluate(run, { split: 'val', checkpoint: 'last' });
  const told = events.findLast(({ type }) => type === 'epoch') as EpochEvent;
  expect(measured.loss).toBe(told.val_loss);
  const rows: Prediction[] = [];
  await service.predict(run, { split: 'train', count: 3 }, (row) => rows.push(row));
  expect(rows.map(({ index }) => index)).toEqual([0, 1, 2]);
  if (process.platform === 'linux') expect(readFileSync('/proc/self/maps', 'utf8')).not.toContain('libtorch');
  expect((await new RunList(home).watch(undefined, 0)).runs.map(({ name, status }) => [name, status])).toEqual([
    ['stateful-001', 'completed'],
  ]);
});

test('what cannot begin rejects with its own error', async () => {
  const { home, service } = opened();
  const broken = statefulProject(home, { optimizer: { kind: 'Adum' } });
  await expect(service.train({ projectFile: broken })).rejects.toMatchObject({ code: 'PROJECT_INVALID' });
  await expect(service.resume({ run: 'nowhere' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await expect(service.evaluate('nowhere', {})).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('pause, continue, park, continue, stop: the same actions on any live run', async () => {
  const { home, service } = opened();
  const { run, ended } = await service.train({ projectFile: statefulProject(home, { epochs: 60 }, 3000) });
  await hasSteps(run);
  expect(await service.act(run, 'pause')).toBe('paused');
  expect(await service.act(run, 'continue')).toBe('running');
  expect(await service.act(run, 'park')).toBe('parked');
  expect(await ended).toMatchObject({ status: 'parked' });
  expect(await service.act(run, 'continue')).toBe('running');
  expect(await service.act(run, 'stop')).toBe('stopped');
  await expect(service.act(run, 'pause')).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
  const second = await service.resume({ run });
  expect(await service.act(run, 'discard')).toBe('stopped');
  await second.ended;
  expect(existsSync(run)).toBe(false);
});

test('a worker that is killed: the run is interrupted, the service lives on and resumes it', async () => {
  const { home, service } = opened();
  const project = statefulProject(home, {}, 3000);
  const { run, ended } = await service.train({ projectFile: project });
  await hasSteps(run);
  expect(await service.act(run, 'pause')).toBe('paused'); // so that it has not ended by chance
  expect(await service.act(run, 'continue')).toBe('running');
  process.kill(pidOf(run), 'SIGKILL');
  const error = await ended;
  expect(error).toBeInstanceOf(GradloomError);
  expect(error).toMatchObject({ code: 'WORKER_DIED', message: expect.stringContaining('SIGKILL') });
  expect(summary(run)).toMatchObject({ status: 'interrupted', error: { code: 'WORKER_DIED' } });
  expect(readFileSync(path.join(run, 'log.txt'), 'utf8')).toContain('Error WORKER_DIED: ');
  const resumed = await service.resume({ run });
  expect(await resumed.ended).toMatchObject({ status: 'completed' });
  expect(summary(run)).not.toHaveProperty('error');
  const straight = path.join(home, 'straight');
  await runCli(['train', project, '--run', straight], home);
  expect(outcome(run)).toEqual(outcome(straight));
});

test('a worker whose parent is killed saves, marks the run interrupted, and ends', async () => {
  const home = temporaryFolder();
  const project = statefulProject(home, { epochs: 200 }, 3000);
  const folder = path.join(home, 'run');
  const script = `
    const { fork } = require('node:child_process');
    fork(${JSON.stringify(workerEntry)}, [], { stdio: 'ignore' })
      .send({ type: 'train', request: ${JSON.stringify({ projectFile: project, run: folder })} });`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  await expect.poll(() => existsSync(path.join(folder, 'metrics.jsonl')), { timeout: 30_000 }).toBe(true);
  await hasSteps(folder);
  const worker = pidOf(folder);
  parent.kill('SIGKILL');
  const gone = () => {
    try {
      process.kill(worker, 0);
      return false;
    } catch {
      return true;
    }
  };
  await expect.poll(gone, { timeout: 30_000 }).toBe(true);
  expect(summary(folder)).toMatchObject({ status: 'interrupted', reason: 'its parent process ended' });
  const last = journal(folder).at(-1) as Extract<RunEvent, { type: 'end' }>;
  expect(last).toMatchObject({ type: 'end', status: 'interrupted' });
  const index = JSON.parse(readFileSync(path.join(folder, 'checkpoints', 'index.json'), 'utf8'));
  expect(index.last).toBe(`step-${String(last.step).padStart(8, '0')}`);
});

test('closing the service lets every run save', async () => {
  const { home, service } = opened();
  const project = statefulProject(home, { epochs: 200 }, 3000);
  const runs = await Promise.all([service.train({ projectFile: project }), service.train({ projectFile: project })]);
  await Promise.all(runs.map(({ run }) => hasSteps(run)));
  await service.close();
  expect(runs.map(({ run }) => summary(run).status)).toEqual(['interrupted', 'interrupted']);
  await expect(service.train({ projectFile: project })).rejects.toMatchObject({ code: 'CLOSED' });
});
