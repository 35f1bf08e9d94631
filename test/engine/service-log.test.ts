/** What a worker tells reaches the run's log and who waits for the run, also what it said before the run had begun. The worker here is a puppet. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import type { ExitInfo, ProcessHost } from '../../engine/processes.ts';
import { Service } from '../../engine/service.ts';
import { temporaryFolder } from './runs-helpers.ts';

function puppet(onChange: (run?: string) => void = () => {}) {
  const strings = {
    say: (_message: unknown) => {},
    complain: (_line: string) => {},
    exit: (_info: ExitInfo) => {},
  };
  const host: ProcessHost = {
    start: () => ({
      pid: undefined,
      send: () => {},
      onMessage(listener) {
        strings.say = listener;
      },
      onComplaint(listener) {
        strings.complain = listener;
      },
      onExit(listener) {
        strings.exit = listener;
      },
      kill: () => {},
    }),
  };
  return { service: new Service({ processes: host, workerEntry: '', onChange }), strings };
}

const start = (run: string) => ({
  type: 'event',
  event: {
    type: 'start',
    run,
    name: 'a',
    device: 'cpu',
    precision: 'fp32',
    seed: 1,
    epochs: 1,
    steps_per_epoch: 1,
    train_samples: 1,
    val_samples: 0,
    parameters: 1,
    versions: {},
    time: '2026-01-01T00:00:00.000Z',
  },
});

test('complaints of a worker are lines of the log', async () => {
  const run = temporaryFolder();
  const { service, strings } = puppet();
  const started = service.train({ projectText: '{}' });
  strings.complain('early');
  strings.say(start(run));
  const { ended } = await started;
  strings.complain('late');
  const log = readFileSync(path.join(run, 'log.txt'), 'utf8');
  expect(log.match(/Worker: .*/g)).toEqual(['Worker: early', 'Worker: late']);
  strings.exit({ code: 1, signal: null, stderr: 'late' });
  expect(await ended).toMatchObject({ code: 'WORKER_DIED' });
});

test('how far a run is prepared is known as long as it is prepared, and each change is told', async () => {
  const run = temporaryFolder();
  const told: (string | undefined)[] = [];
  const { service, strings } = puppet((folder) => told.push(folder));
  const started = service.train({ projectText: '{}' });
  const progress = { stage: 'packing the data', done: 1, total: 4 };
  const event = { type: 'progress', run, ...progress, time: '2026-01-01T00:00:00.000Z' };
  strings.say({ type: 'event', event });
  expect(service.progressOf(run)).toEqual(progress);
  expect(told).toEqual([run]);
  strings.say({ type: 'event', event: { ...event, done: 3 } });
  expect(service.progressOf(run)).toEqual({ ...progress, done: 3 });
  strings.say(start(run));
  await started;
  expect(service.progressOf(run)).toBe(null);
  expect(told).toEqual([run, run]);
  const failing = service.train({ projectText: '{}' });
  strings.say({ type: 'event', event });
  strings.say({ type: 'failure', error: { code: 'DATA_TRUNCATED', message: 'cut short' } });
  await expect(failing).rejects.toMatchObject({ code: 'DATA_TRUNCATED' });
  expect(service.progressOf(run)).toBe(null);
});

test('a message that is none ends the conversation, not the service', async () => {
  const { service, strings } = puppet();
  const started = service.train({ projectText: '{}' });
  strings.say({ type: 'nonsense' });
  await expect(started).rejects.toBeInstanceOf(GradloomError);
});
