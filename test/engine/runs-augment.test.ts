/** Mixed batches and moved samples depend on seed, epoch and place alone: whole runs are equal however they are prepared, cut or resumed. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { RunControl, readJournal, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { effectiveSeries } from './effective-series.ts';
import { temporaryFolder } from './runs-helpers.ts';

const projectText = (loader: object = {}, training: object = {}) =>
  JSON.stringify({
    gradloom: 1,
    name: 'augmented',
    data: {
      source: { kind: 'random', shape: [2, 8, 8], classes: 3, samples: 110, seed: 1 },
      split: { val: 0.1, stratify: false },
      transforms: [
        { kind: 'RandomCrop', size: [7, 8], padding: 2, padding_mode: 'reflect' },
        { kind: 'Normalize', mean: 0.1, std: 0.7 },
        { kind: 'RandomHorizontalFlip' },
      ],
      loader: { batch_size: 8, ...loader },
    },
    model: {
      layers: [
        { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
        { kind: 'BatchNorm2d' },
        { kind: 'ReLU' },
        { kind: 'Flatten' },
        { kind: 'Dropout', p: 0.2 },
        { kind: 'Linear', out_features: 3 },
      ],
    },
    training: { epochs: 3, accumulate: 2, mixup: { alpha: 0.3 }, cutmix: {}, ...training },
  });

async function trained(text: string, listen: (event: RunEvent, control: RunControl) => void = () => {}) {
  const run = path.join(temporaryFolder(), 'run');
  const control = new RunControl();
  await trainRun({ projectText: text, run }, (event) => listen(event, control), control);
  return run;
}

async function numbers(run: string) {
  const { steps, epochs } = effectiveSeries(await readJournal(run));
  const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
  const file = (name: string) => readFileSync(path.join(run, 'checkpoints', last, `${name}.safetensors`), 'base64');
  return {
    steps: { loss: steps.train_loss, accuracy: steps.train_accuracy },
    epochs: epochs.map(({ train_loss, val_loss, train_accuracy, step }) => ({
      train_loss,
      val_loss,
      train_accuracy,
      step,
    })),
    state: ['model', 'optimizer', 'rng'].map(file),
  };
}

/** Trained once, in whichever test comes first. */
let once: ReturnType<typeof numbers> | undefined;
const straight = () => {
  once ??= trained(projectText()).then(numbers);
  return once;
};

test.each([0, 1, 3])('%i workers', async (num_workers) => {
  expect(await numbers(await trained(projectText({ num_workers })))).toEqual(await straight());
});

test('stopped in mid-epoch and resumed', async () => {
  const run = await trained(
    projectText(),
    (event, control) => event.type === 'steps' && event.epoch === 2 && void control.stop(),
  );
  const end = await resumeRun({ run }, () => {}, new RunControl());
  expect(end).toMatchObject({ status: 'completed', epoch: 3 });
  expect(await numbers(run)).toEqual(await straight());
});

test('what is drawn is not the training generator’s: without mixing, dropout and weights start alike', async () => {
  const plain = await numbers(await trained(projectText({}, { mixup: null, cutmix: null })));
  expect(plain.steps.loss).not.toEqual((await straight()).steps.loss);
  expect(plain.state[2]).toEqual((await straight()).state[2]);
});
