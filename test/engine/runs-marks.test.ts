/** Marks in whole runs on the real engine: what is trained on, what a later change of the marks does to a run that is resumed or judged. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { changeMarks, needMarksFile } from '../../engine/data/index.ts';
import { evaluateRun, RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { folderOf, idxBytes } from './idx-writer.ts';
import { temporaryFolder } from './runs-helpers.ts';

const count = 40;

/** One number a sample, which is its class: after training, a sample with a wrong label stands out. */
function data(): string {
  const labels = Array.from({ length: count }, (_, i) => i % 2);
  return folderOf({
    'train-images': idxBytes([count, 1], labels, 13),
    'train-labels': idxBytes([count], labels),
    'test-images': idxBytes([4, 1], [0, 1, 0, 1], 13),
    'test-labels': idxBytes([4], [0, 1, 0, 1]),
  });
}

async function trained(source: string, val: number | 'test' = 0.25) {
  const run = path.join(temporaryFolder(), 'run');
  const events: RunEvent[] = [];
  const project = {
    gradloom: 1,
    name: 'marks',
    data: { source: { kind: 'idx', path: source }, split: { val }, loader: { batch_size: 8 } },
    model: { layers: [{ kind: 'Linear', out_features: 2 }] },
    training: { epochs: 1, optimizer: { kind: 'SGD', lr: 1 } },
  };
  const end = await trainRun(
    { projectText: JSON.stringify(project), baseDir: '/', run },
    (event) => events.push(event),
    new RunControl(),
  );
  expect(end.status).toBe('completed');
  const start = events.find((event) => event.type === 'start');
  const advice = events.flatMap((event) =>
    event.type === 'advice' && event.code === 'DATA_NOTE' ? [event.message] : [],
  );
  const { split_hash, data_hash } = JSON.parse(readFileSync(path.join(run, 'environment.json'), 'utf8'));
  return { run, start, advice, split_hash, data_hash };
}

const indices = (run: string, name: string) =>
  [...new BigInt64Array(Uint8Array.from(readFileSync(path.join(run, 'split', `${name}.i64`))).buffer)].map(Number);

test('a run leaves out what is marked, learns corrected labels, and says which marks mean nothing', async () => {
  const source = data();
  const before = await trained(source);
  await changeMarks(await needMarksFile({ kind: 'idx', path: source }, '/'), [
    { part: 'train', sample: '4', mark: { exclude: true } },
    { part: 'train', sample: '5', mark: { label: '0' } },
    { part: 'train', sample: 'nobody', mark: { exclude: true } },
  ]);
  const after = await trained(source);
  expect(after.advice).toEqual(['1 mark of samples that the data do not have: nobody']);
  expect([...indices(after.run, 'train'), ...indices(after.run, 'val')]).toHaveLength(count - 1);
  expect([...indices(after.run, 'train'), ...indices(after.run, 'val')]).not.toContain(4);
  expect(after.start).toMatchObject({ train_samples: count - 1 - indices(after.run, 'val').length });
  expect(after.data_hash).not.toBe(before.data_hash);
  expect(after.split_hash).not.toBe(before.split_hash);
});

test('all of a part but one sample: the test part validates by an index list', async () => {
  const source = data();
  const file = await needMarksFile({ kind: 'idx', path: source }, '/');
  await changeMarks(file, [{ part: 'test', sample: '1', mark: { exclude: true } }]);
  const { run, start } = await trained(source, 'test');
  expect(indices(run, 'val')).toEqual([0, 2, 3]);
  expect(start).toMatchObject({ train_samples: count, val_samples: 3 });
  const { confusion } = await evaluateRun(run, { split: 'test' });
  expect(confusion?.flat().reduce((sum, each) => sum + each, 0)).toBe(3);
});

test('marks that change after a run has begun: it is resumed and judged with its own, and says so', async () => {
  const source = data();
  const { run } = await trained(source);
  const before = await evaluateRun(run, { split: 'val' });
  const file = await needMarksFile({ kind: 'idx', path: source }, '/');
  const [first] = indices(run, 'val');
  await changeMarks(file, [{ part: 'train', sample: String(first), mark: { exclude: true } }]);
  expect(await evaluateRun(run, { split: 'val' })).toEqual(before);
  const events: RunEvent[] = [];
  const end = await resumeRun({ run, epochs: 2 }, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  expect(indices(run, 'val')).toContain(first);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'advice', message: expect.stringContaining('other marks') }),
  );
});
