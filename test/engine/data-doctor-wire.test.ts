/** The Data Doctor and the marks as a window asks for them: in the data's own worker. */
import path from 'node:path';
import { call } from '@orpc/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { doctorCalls } from '../../engine/api/data-doctor.ts';
import type { Parts } from '../../engine/api/parts.ts';
import type { DoctorReport } from '../../engine/contract/data/doctor.ts';
import type { TaskProgress } from '../../engine/contract/finders.ts';
import { Places } from '../../engine/places.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import { Service } from '../../engine/service.ts';
import { cliFile } from './cli-process.ts';
import { folderOf, idxBytes, testFolder } from './idx-writer.ts';

function engine() {
  const home = testFolder();
  vi.stubEnv('GRADLOOM_HOME', home);
  vi.stubEnv('GRADLOOM_CACHE', path.join(home, 'cache'));
  const service = new Service({ processes: nodeProcesses, workerEntry: path.join(path.dirname(cliFile), 'worker.js') });
  onTestFinished(async () => {
    await service.close();
    vi.unstubAllEnvs();
  });
  const tasks = {
    during: (_task: string | undefined, work: (onProgress: (progress: TaskProgress) => void) => unknown) =>
      work(() => {}),
  };
  const parts = { service, tasks, places: new Places(null) } as unknown as Parts;
  return { calls: doctorCalls(parts) };
}

const data = () =>
  folderOf({
    'train-images': idxBytes(
      [20, 8, 8],
      Array.from({ length: 20 * 64 }, (_, i) => (i * i * 7 + (i >> 6) * 31) % 251),
    ),
    'train-labels': idxBytes(
      [20],
      Array.from({ length: 20 }, (_, i) => i % 2),
    ),
  });

test('a report, and marks that the next one honours', async () => {
  const { calls } = engine();
  const source = { kind: 'idx', path: data() };
  const file = path.join(testFolder(), 'p.gradloom.json');
  const project = { file, text: JSON.stringify({ gradloom: 1, data: { source, split: { val: 0 } } }) };
  const first = (await call(calls.doctor, project)) as DoctorReport;
  expect(first.splits).toEqual([{ name: 'train', count: 20, classes: [10, 10] }]);
  const changes = [{ part: 'train' as const, sample: '4', mark: { exclude: true } }];
  const put = await call(calls.marks.set, { file, source, changes });
  expect(put.marks).toEqual([{ part: 'train', sample: '4', exclude: true }]);
  expect(await call(calls.marks.list, { file, source })).toEqual({
    marks: put.marks,
    file: path.join(source.path, 'gradloom-marks.json'),
  });
  expect(((await call(calls.doctor, project)) as DoctorReport).splits[0]?.count).toBe(19);
}, 60_000);

test('what is drawn has no marks', async () => {
  const { calls } = engine();
  const source = { kind: 'random', shape: [2], samples: 4 };
  const file = path.join(testFolder(), 'p.gradloom.json');
  await expect(call(calls.marks.list, { file, source })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
});
