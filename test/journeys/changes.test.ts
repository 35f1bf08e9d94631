/** Learning rate and last epoch changed while a run trains: from the next step on, in the journal, and made again by a resume from before. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import type { RunEvent } from '../../engine/contract/events.ts';
import { journal } from './command-line.ts';
import { result, resumeTiny, type Script, tinyProject, trainTiny } from './interrupted.ts';

type Change = { lr?: number; epochs?: number };

/** Asks for each change after its step, once: a life that goes on from before finds it in the journal. */
function asking(changes: { [step: number]: Change }): Script {
  return (step, control, run) => {
    const change = changes[step];
    if (!change || changesIn(journal(run)).some((made) => made.step === step)) return;
    void control.request({ action: 'set', ...change });
  };
}

const changesIn = (events: RunEvent[]) => events.filter((event) => event.type === 'change');
const ratesOf = (run: string) => result(run).steps.lr as number[];

const sgd = { kind: 'SGD', lr: 0.1, momentum: 0.9 };
const projects: { name: string; project: object; changes: { [step: number]: Change } }[] = [
  { name: 'no schedule', project: tinyProject({ optimizer: sgd }), changes: { 7: { lr: 0.02 }, 16: { epochs: 6 } } },
  {
    name: 'a cosine by steps after a warm-up, planned anew for another last epoch',
    project: tinyProject({
      optimizer: sgd,
      schedule: { kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 5, start_factor: 0.1 } },
    }),
    changes: { 3: { lr: 0.05 }, 16: { lr: 0.03, epochs: 6 }, 20: { epochs: 5 } },
  },
  {
    name: 'a plateau, groups of their own rates, and the end of an epoch',
    project: tinyProject(
      { optimizer: sgd, schedule: { kind: 'ReduceLROnPlateau', patience: 0, threshold: 0.1, factor: 0.5 } },
      {
        layers: [
          { kind: 'Flatten' },
          { kind: 'Linear', out_features: 6, train: { lr: 0.03 } },
          { kind: 'ReLU' },
          { kind: 'Linear', out_features: 3 },
        ],
      },
    ),
    changes: { 9: { lr: 0.05 }, 18: { epochs: 5 }, 30: { lr: 0.2 } },
  },
];

describe.each(projects)('with $name', ({ project, changes }) => {
  test('a killed run that is resumed is the uninterrupted one with the same changes at the same steps', async () => {
    const steps = Object.keys(changes).map(Number);
    const straight = await trainTiny(project, [2, 10, 14, 21, 33], steps, asking(changes));
    const expected = result(straight.run);
    const made = changesIn(journal(straight.run));
    expect(made.map(({ step }) => step)).toEqual(steps);
    for (const copy of straight.copies) {
      const killedAt = Number(path.basename(copy).slice('killed-'.length));
      const resumed = await resumeTiny(copy, killedAt < 21 ? [killedAt + 3] : [], steps, asking(changes));
      expect({ killedAt, ...result(resumed) }).toEqual({ killedAt, ...expected });
    }
  });

  test('each takes hold at the step after, and nothing before it differs', async () => {
    const steps = Object.keys(changes).map(Number);
    const [plain, changed] = [await trainTiny(project), await trainTiny(project, [], steps, asking(changes))];
    const first = steps[0] as number;
    expect(ratesOf(changed.run).slice(0, first)).toEqual(ratesOf(plain.run).slice(0, first));
    for (const { step, lr, lr_before, epochs } of changesIn(journal(changed.run))) {
      if (lr !== undefined) {
        expect(ratesOf(changed.run)[step]).toBeCloseTo(lr, 12);
        expect(lr_before).toBeGreaterThan(0);
      }
      if (epochs !== undefined) expect(changes[step]).toMatchObject({ epochs });
    }
  });
});

test('a rate under a schedule is a factor of what is planned from there on', async () => {
  const schedule = { kind: 'ExponentialLR', gamma: 0.5 };
  const { run } = await trainTiny(tinyProject({ optimizer: sgd, schedule }), [], [12], asking({ 12: { lr: 0.2 } }));
  const rates = ratesOf(run);
  expect([rates[8], rates[9], rates[11], rates[12], rates[18], rates[27]]).toEqual([0.1, 0.05, 0.05, 0.2, 0.1, 0.05]);
});

test('a later word counts more than what an earlier life was told for the steps behind it', async () => {
  const project = tinyProject({ optimizer: sgd });
  const straight = await trainTiny(project, [17], [16], asking({ 16: { lr: 0.5 } }));
  // Resumed from the checkpoint of step 12, it is told otherwise at step 14: the word of step 16 is gone.
  const resumed = await resumeTiny(straight.copies[0] as string, [], [14], asking({ 14: { lr: 0.02 } }));
  const rates = ratesOf(resumed);
  expect([rates[13], rates[14], rates[16], rates.at(-1)]).toEqual([0.1, 0.02, 0.02, 0.02]);
});

test('what cannot be is refused, and the run goes on', async () => {
  const refused: string[] = [];
  const script: Script = (step, control) => {
    const ask = (change: Change) =>
      control.request({ action: 'set', ...change }).then(
        () => refused.push('done'),
        (error: unknown) => refused.push(GradloomError.from(error).message),
      );
    if (step === 20) void ask({ epochs: 2 });
    if (step === 21) void ask({});
    if (step === 22) void ask({ epochs: 3 });
  };
  const { run, end } = await trainTiny(tinyProject({ optimizer: sgd }), [], [20, 21, 22], script);
  expect(refused).toEqual(['The run is in epoch 3, so 2 cannot be its last', 'Nothing was given to change', 'done']);
  expect(end).toMatchObject({ status: 'completed', epoch: 3, step: 27 });
  expect(JSON.parse(readFileSync(path.join(run, 'summary.json'), 'utf8'))).toMatchObject({
    epochs: 3,
    changes: [{ step: 22, epoch: 3, epochs: 3 }],
  });
});
