/** Going on with a run on another device: told, journalled, and the same numbers where the device computes the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { driverOf } from '../../engine/runs/environment.ts';
import { RunControl, readJournal, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { quickProject } from './cli-process.ts';
import { effectiveSeries } from './effective-series.ts';
import { temporaryFolder } from './runs-helpers.ts';

const series = async (run: string) => effectiveSeries(await readJournal(run)).steps;

test('a run of another device: refused as it is, resumed where --device says, and noted', async () => {
  const folder = temporaryFolder();
  const projectFile = quickProject(folder, 'quick', 3);
  const straight = path.join(folder, 'straight');
  await trainRun({ projectFile, run: straight }, () => {}, new RunControl());

  const run = path.join(folder, 'run');
  const control = new RunControl();
  await trainRun({ projectFile, run }, (event) => event.type === 'epoch' && void control.stop(), control);
  const file = path.join(run, 'environment.json');
  const environment = JSON.parse(readFileSync(file, 'utf8'));
  expect(environment).toMatchObject({ device: 'cpu', driver: null });
  writeFileSync(
    file,
    JSON.stringify({ ...environment, device: 'cuda:0', device_label: 'Some GPU', driver: '580.95.05' }),
  );

  const kept = readFileSync(file, 'utf8');
  await expect(resumeRun({ run }, () => {}, new RunControl())).rejects.toMatchObject({ code: 'DEVICE_UNAVAILABLE' });
  expect(readFileSync(file, 'utf8')).toBe(kept);

  const events: RunEvent[] = [];
  const end = await resumeRun({ run, device: 'cpu' }, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  const advice = expect.objectContaining({
    type: 'advice',
    code: 'ENVIRONMENT_CHANGED',
    message: 'the device was cuda:0 and is cpu: numbers may differ in their last digits',
  });
  expect(events).toContainEqual(advice);
  expect(await readJournal(run)).toContainEqual(advice);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ device: 'cpu', driver: null });
  expect(await series(run)).toEqual(await series(straight));
});

test.each([
  ['NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023', '535.104.05'],
  ['NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build', '580.95.05'],
])('the driver is read from %j', (text, version) => {
  const file = path.join(temporaryFolder(), 'version');
  writeFileSync(file, `${text}\nGCC version:  gcc version 12.2.0\n`);
  expect(driverOf('cuda:0', file)).toBe(version);
  expect(driverOf('cpu', file)).toBeNull();
});
