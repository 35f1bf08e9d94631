/** The trainer's policy: best and top-k, early stopping, plateaus, checkpoints by steps, minutes and wish; numbers are the test's. */
import { describe, expect, test } from 'vitest';
import { initialState } from '../../engine/runs/training-state.ts';
import { stepsPerEpoch, trainScripted } from './scripted-session.ts';

const losses = (...values: number[]) => values.map((loss) => ({ loss }));
const kept = ({ checkpoints }: Awaited<ReturnType<typeof trainScripted>>) =>
  checkpoints.entries.map((entry) => `${entry.step} ${checkpoints.rolesOf(entry).join('+')}`.trim());

describe('the best checkpoint', () => {
  test('case 12: a value that is not a number is never the best, and never keeps a later one from being it', async () => {
    const run = await trainScripted({
      training: { checkpoint: { monitor: 'val_accuracy', keep: 1 } },
      val: [Number.NaN, 0.2, Number.NaN, 0.5, 0.4].map((accuracy) => ({ loss: 1, metrics: { accuracy } })),
    });
    expect(run.training.state.best).toEqual({ monitor: 'val_accuracy', value: 0.5, epoch: 4, step: 16 });
    expect(kept(run)).toEqual(['16 best', '20 last']);
  });

  test('of equal ones is the first', async () => {
    const run = await trainScripted({ training: {}, val: losses(1, 0.5, 0.5) });
    expect(run.training.state.best).toMatchObject({ epoch: 2 });
  });

  test('top_k: the best few stay, best first, whatever every_epochs says', async () => {
    const run = await trainScripted({
      training: { checkpoint: { top_k: 3, every_epochs: 100, keep: 1 } },
      val: losses(0.5, 0.9, 0.4, 0.7, 0.8, 0.6),
    });
    expect(kept(run)).toEqual(['4 top', '12 best+top', '24 last+top']);
    const roles = run.of('checkpoint').map(({ epoch, roles }) => `${epoch} ${roles.join('+')}`);
    expect(roles).toEqual([
      '1 last+best+top',
      '2 last+top',
      '3 last+best+top',
      '4 last+top', // better than the 0.9 of epoch 2
      '6 last+top',
    ]);
  });

  test.each(['stop', 'park', 'interrupt'] as const)('case 15: is named after %s too', async (how) => {
    const run = await trainScripted({
      training: {},
      val: losses(0.5, 0.3, 0.9, 0.9, 0.9),
      afterChunk: async ({ control, state }) => {
        if (state.step === 15) void (how === 'interrupt' ? control.interrupt('a test') : control[how]());
      },
    });
    expect(run.status).toBe({ stop: 'stopped', park: 'parked', interrupt: 'interrupted' }[how]);
    expect(kept(run)).toEqual(['8 best', '12', '15 last']);
    expect((await run.checkpoints.loadModel('best')).state.best).toMatchObject({ epoch: 2, value: 0.3 });
  });
});

describe('early stopping', () => {
  test('case 15: ends after patience epochs without a gain of min_delta, with the best weights in best', async () => {
    const run = await trainScripted({
      training: { early_stopping: { patience: 2, min_delta: 0.1 } },
      val: losses(1, 0.8, 0.75, 0.72, 0.1),
    });
    expect(run.status).toBe('completed');
    expect(run.training.state).toMatchObject({ epoch: 5, early_stopping: { best: 0.8, bad_epochs: 2, stopped: 4 } });
    expect(run.of('advice')).toMatchObject([
      {
        code: 'EARLY_STOPPED',
        message: 'Stopped early after epoch 4: val_loss has not got better by 0.1 than 0.8000 for 2 epochs',
      },
    ]);
    // The best is by value alone: epochs 3 and 4 were better, if not by min_delta.
    expect(kept(run)).toEqual(['12', '16 last+best']);
  });

  test('looks at what it is told to, in its own direction; no number is no gain', async () => {
    const run = await trainScripted({
      training: { early_stopping: { patience: 3, monitor: 'val_accuracy' } },
      val: [0.5, 0.6, Number.NaN, 0.6, 0.55, 0.9].map((accuracy) => ({ loss: 1, metrics: { accuracy } })),
    });
    expect(run.training.state.early_stopping).toEqual({
      monitor: 'val_accuracy',
      best: 0.6,
      bad_epochs: 3,
      stopped: 5,
    });
    expect(run.of('advice')).toMatchObject([
      { message: 'Stopped early after epoch 5: val_accuracy has not got better than 60.00 % for 3 epochs' },
    ]);
  });

  test('case 14: patience goes on after a resume', async () => {
    const val = losses(1, 1.1, 1.2, 1.3, 0.5);
    const first = await trainScripted({
      training: { early_stopping: { patience: 3 } },
      val,
      afterChunk: async ({ control, state }) => {
        if (state.step === 11) void control.stop();
      },
    });
    const { state } = await first.checkpoints.loadModel('last');
    expect(state).toMatchObject({ step: 11, early_stopping: { bad_epochs: 1 } });
    const second = await trainScripted({
      training: { early_stopping: { patience: 3 } },
      val,
      folder: first.folder,
      state,
    });
    expect(second.training.state.early_stopping).toMatchObject({ bad_epochs: 3, stopped: 4 });
  });
});

describe('checkpoints', () => {
  test('every so many steps, besides the ends of epochs; the latest are kept', async () => {
    const run = await trainScripted({
      training: { checkpoint: { every_steps: 3, every_epochs: 2, keep: 3 } },
      val: losses(1, 2, 3, 4),
    });
    // 12 is an epoch's end that every_epochs leaves out and every_steps does not; there it is saved once, after the evaluation.
    expect(run.of('checkpoint').map(({ step }) => step)).toEqual([3, 4, 6, 8, 9, 12, 15, 16]);
    expect(kept(run)).toEqual(['4 best', '12', '15', '16 last']);
    expect(run.checkpoints.entries.map(({ batch }) => batch)).toEqual([0, 0, 3, 0]);
  });

  test('after so many minutes, and no number differs', async () => {
    const often = await trainScripted({
      training: { checkpoint: { every_minutes: 1e-9, keep: 100 } },
      val: losses(1, 2),
    });
    const seldom = await trainScripted({ training: { checkpoint: { every_minutes: 60 } }, val: losses(1, 2) });
    expect(often.of('checkpoint').map(({ step }) => step)).toEqual([3, 4, 7, 8]);
    expect(seldom.of('checkpoint').map(({ step }) => step)).toEqual([4, 8]);
    expect(often.requests).toEqual(seldom.requests);
  });

  test('a snapshot is saved while the run goes on, and stays', async () => {
    const answers: unknown[] = [];
    const run = await trainScripted({
      training: { checkpoint: { keep: 1 } },
      val: losses(1, 2, 3, 4),
      afterChunk: async ({ control, state }) => {
        if (state.step === 3) void control.request({ action: 'snapshot' }).then((answer) => answers.push(answer));
      },
    });
    expect(answers).toEqual([{ status: 'running', snapshot: { step: 3, epoch: 1, folder: 'step-00000003' } }]);
    expect(kept(run)).toEqual(['3 snapshot', '4 best', '16 last']);
  });

  test('of a pause is no snapshot: that has a folder of its own', async () => {
    const run = await trainScripted({
      training: { checkpoint: { keep: 1 } },
      val: losses(1),
      afterChunk: async ({ control, state }) => {
        if (state.step !== 3) return;
        void control.pause().then(async () => {
          await control.request({ action: 'snapshot' });
          await control.request({ action: 'snapshot' });
          void control.continue();
        });
      },
    });
    expect(run.checkpoints.entries.map(({ folder }) => folder)).toEqual(['step-00000003.2', 'step-00000004']);
    expect(kept(run)).toEqual(['3 snapshot', '4 last+best']);
  });
});

describe('the schedule', () => {
  const ratesOf = ({ of }: Awaited<ReturnType<typeof trainScripted>>) => of('steps').flatMap(({ lr }) => lr);

  test('of a plateau moves after the epoch’s evaluation, and says so', async () => {
    const run = await trainScripted({
      training: {
        optimizer: { kind: 'SGD', lr: 1 },
        schedule: { kind: 'ReduceLROnPlateau', patience: 0, factor: 0.5 },
      },
      val: losses(1, 2, 0.5, 0.6),
    });
    const epochs = Array.from({ length: 4 }, (_, i) => ratesOf(run).slice(i * stepsPerEpoch, (i + 1) * stepsPerEpoch));
    expect(epochs).toEqual([1, 1, 0.5, 0.5].map((rate) => new Array(stepsPerEpoch).fill(rate)));
    expect(run.of('epoch').map(({ lr }) => lr)).toEqual([1, 1, 0.5, 0.5]);
    expect(run.of('advice').map(({ code }) => code)).toEqual(['LR_REDUCED', 'LR_REDUCED']);
  });

  test('case 16: totals are the run’s own steps, and move with the last epoch', async () => {
    const run = await trainScripted({
      training: { optimizer: { kind: 'SGD', lr: 1 }, schedule: { kind: 'PolynomialLR', unit: 'step' } },
      val: losses(1, 1, 1, 1),
      afterChunk: async ({ control, state }) => {
        if (state.step === 7) void control.request({ action: 'set', epochs: 2 });
      },
    });
    expect(run.of('epoch')).toHaveLength(2);
    expect(ratesOf(run)).toEqual([0, 1, 2, 3, 4, 5, 6].map((step) => 1 - step / 16).concat([1 - 7 / 8]));
  });

  test('one cycle hands out momentum with each rate', async () => {
    const run = await trainScripted({
      training: { optimizer: { kind: 'SGD', lr: 0.1 }, schedule: { kind: 'OneCycleLR', pct_start: 0.5 } },
      val: losses(1, 1),
    });
    const momenta = run.requests.flatMap(({ groups }) => groups[0]?.momentum ?? []);
    expect(momenta).toHaveLength(8);
    expect([momenta[0], momenta[3], momenta[7]]).toEqual([0.95, 0.85, 0.95]);
    expect(run.of('steps').flatMap(({ momentum }) => momentum)).toEqual(momenta);
  });
});

test('a state of an older version, which knew no schedule, goes on with the project’s epochs', async () => {
  const first = await trainScripted({ training: {}, val: losses(1, 2) });
  const { state } = await first.checkpoints.loadModel(4);
  const older = { ...initialState(first.training.plan, state), ...state, schedule: null };
  const second = await trainScripted({ training: {}, val: losses(1, 2, 3), folder: first.folder, state: older });
  expect(second.of('epoch').map(({ epoch }) => epoch)).toEqual([2, 3]);
});
