/** Case 16: an extended run goes by the schedule that was shown before it was started; what was extended stays so after a kill. */
import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { planExtension } from '../../engine/runs/extension.ts';
import { RunControl, resumeRun } from '../../engine/runs/index.ts';
import { journal, temporaryFolder } from './command-line.ts';
import { result, resumeTiny, tinyProject, trainTiny } from './interrupted.ts';

const sgd = { kind: 'SGD', lr: 0.1, momentum: 0.9 };
const schedules = [
  { kind: 'OneCycleLR' },
  { kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 5, start_factor: 0.1 } },
  { kind: 'PolynomialLR' },
  { kind: 'StepLR', step_size: 2 },
];

const ratesOf = (run: string) => result(run).steps.lr as number[];

describe.each(schedules)('with $kind', (schedule) => {
  test('the used rates are those that were shown', async () => {
    const { run } = await trainTiny(tinyProject({ optimizer: sgd, schedule }));
    const before = ratesOf(run);
    const plan = await planExtension(run, 6);
    expect(plan).toMatchObject({ from_step: 36, from_epoch: 4, epochs_before: 4, epochs: 6, steps_per_epoch: 9 });
    expect(plan.steps).toEqual(Array.from({ length: 54 }, (_, step) => step));
    expect(plan.before).toEqual([...before, ...new Array(18).fill(null)]);
    await resumeRun({ run, epochs: 6 }, () => {}, new RunControl());
    const used = ratesOf(run);
    expect(used.slice(0, 36)).toEqual(before);
    expect(used.slice(36)).toEqual(plan.after.slice(36));
    expect(journal(run).filter(({ type }) => type === 'change')).toMatchObject([
      { step: 36, epochs: 6, epochs_before: 4 },
    ]);
  });
});

/** Resumes with `request`, and answers a copy of the folder as of being killed after two steps, before anything is saved. */
async function killedResume(request: Parameters<typeof resumeRun>[0]): Promise<string> {
  let copy: string | undefined;
  await resumeRun(request, () => {}, new RunControl(), {
    afterChunk: async ({ record, resumedFrom, state }) => {
      if (copy !== undefined || state.step < resumedFrom + 2) return;
      copy = path.join(temporaryFolder(), 'killed');
      cpSync(record.folder, copy, { recursive: true, filter: (from) => !from.endsWith('live.json') });
    },
  });
  return copy as string;
}

test('an extended run that is killed before its first checkpoint is extended still', async () => {
  const { run } = await trainTiny(tinyProject({ optimizer: sgd, schedule: { kind: 'OneCycleLR' } }));
  const killed = await killedResume({ run, epochs: 6 });
  const resumed = await resumeTiny(killed);
  expect(result(resumed)).toEqual(result(run));
  expect(ratesOf(resumed)).toHaveLength(54);
});

test.each<[string, Omit<Parameters<typeof resumeRun>[0], 'run'>, number]>([
  ['other epochs', { epochs: 6 }, 3],
  ['the epochs that were planned', { epochs: 4 }, 3],
  ['more patience', { edits: [{ op: 'set', path: ['training', 'early_stopping', 'patience'], value: 2 }] }, 4],
])('a run that stopped early and was asked for %s goes on also after a kill', async (_, request, epochs) => {
  const { run } = await trainTiny(tinyProject({ optimizer: sgd, early_stopping: { patience: 1, min_delta: 10 } }));
  const killed = await killedResume({ run, ...request });
  const resumed = await resumeTiny(killed);
  expect(result(resumed)).toEqual(result(run));
  expect(ratesOf(resumed)).toHaveLength(9 * epochs);
  const again = await resumeRun({ run: resumed }, () => {}, new RunControl());
  expect(again).toMatchObject({ status: 'completed', epoch: epochs });
});

test('a run with another learning rate, whose plateau begins anew with it, does so also after a kill', async () => {
  const schedule = { kind: 'ReduceLROnPlateau', patience: 2, threshold: 10, threshold_mode: 'abs' };
  const { run } = await trainTiny(tinyProject({ optimizer: sgd, schedule }));
  const edits = [{ op: 'set' as const, path: ['training', 'optimizer', 'lr'], value: 0.2 }];
  const killed = await killedResume({ run, epochs: 8, edits });
  expect(result(await resumeTiny(killed))).toEqual(result(run));
});

test('a run that stopped early trains on when it is asked to, and only then', async () => {
  const early_stopping = { patience: 1, min_delta: 10 };
  const { run, end } = await trainTiny(tinyProject({ optimizer: sgd, early_stopping }));
  expect(end).toMatchObject({ status: 'completed', epoch: 2 });
  const again = await resumeRun({ run }, () => {}, new RunControl());
  expect(again).toMatchObject({ status: 'completed', epoch: 2, step: 18 });
  const more = await resumeRun({ run, epochs: 6 }, () => {}, new RunControl());
  expect(more).toMatchObject({ status: 'completed', epoch: 3, step: 27 });
  const edits = [{ op: 'set' as const, path: ['training', 'early_stopping', 'patience'], value: 2 }];
  const patient = await resumeRun({ run, edits }, () => {}, new RunControl());
  expect(patient).toMatchObject({ status: 'completed', epoch: 5, step: 45 });
});
