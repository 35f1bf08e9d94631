/** Faults of schedules, early stopping and checkpoints; the digits make 36 steps an epoch in batches of 250. */
import type { Json } from '../../engine/contract/native.ts';
import { head, projectWith } from './cases.ts';
import type { Row } from './problem-rows.ts';

const run = (training: Record<string, Json>) =>
  projectWith(head, {
    training: { epochs: 10, ...training },
    data: { source: { kind: 'idx', path: 'digits' }, split: { val: 'test' }, loader: { batch_size: 250 } },
  });
const schedule = (given: Json, more: Record<string, Json> = {}) => run({ schedule: given, ...more });

const averaged = (steps: string) =>
  `${steps}, but this run has 360 steps: validation is of the averaged weights, which still hold mostly the first weights`;

export const scheduleRows: { [group: string]: Row[] } = {
  'averaged weights': [
    { name: 'renewed four times', project: run({ ema: { decay: 1 - 4 / 360 } }), problems: [] },
    {
      name: 'longer than the run',
      project: run({ ema: {} }),
      problems: [
        `(warning) BAD_VALUE training.ema.decay: ${averaged('A decay of 0.999 averages over about 1,000 steps')}`,
      ],
    },
    {
      name: 'nearly as long as the run',
      project: run({ ema: { decay: 0.99 } }),
      problems: [
        '(warning) BAD_VALUE training.ema.decay: A decay of 0.99 averages over about 100 steps, but this run has 360 steps: validation is of the averaged weights, which lag far behind',
      ],
    },
    {
      name: 'for ever',
      project: run({ ema: { decay: 1 } }),
      problems: [
        `(warning) BAD_VALUE training.ema.decay: ${averaged('A decay of 1 averages over all steps and never takes up a new one')}`,
      ],
    },
  ],
  schedules: [
    {
      name: 'each kind alone, and a warm-up',
      project: schedule({ kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 36, start_factor: 0.1 } }),
      problems: [],
    },
    { name: 'one cycle without a word', project: schedule({ kind: 'OneCycleLR' }), problems: [] },
    {
      name: 'no such schedule',
      project: schedule({ kind: 'CosineLR' }),
      problems: ['UNKNOWN_KIND training.schedule.kind: There is no schedule of kind "CosineLR"'],
    },
    {
      name: 'a schedule that is no object',
      project: schedule('StepLR'),
      problems: ['BAD_VALUE training.schedule: Expected an object with a kind for schedule but received "StepLR"'],
    },
    {
      name: 'what PyTorch has no default for',
      project: schedule({ kind: 'StepLR' }),
      problems: ['MISSING_VALUE training.schedule.step_size: StepLR needs step_size'],
    },
    {
      name: 'milestones missing',
      project: schedule({ kind: 'MultiStepLR', unit: 'step' }),
      problems: [
        'MISSING_VALUE training.schedule.milestones: MultiStepLR needs milestones',
        '(warning) BAD_VALUE training.schedule.milestones: The milestones 500, 750 are never reached: MultiStepLR has 360 steps in this run',
      ],
    },
    {
      name: 'totals and positions that follow from the run',
      project: schedule({ kind: 'OneCycleLR', max_lr: 0.1, total_steps: 100, last_epoch: 3 }),
      problems: [
        "(warning) UNKNOWN_KEY training.schedule.total_steps: total_steps is not read: it follows from the run's own steps",
        '(warning) UNKNOWN_KEY training.schedule.last_epoch: last_epoch is not read: it follows from where the run stands',
      ],
    },
    {
      name: 'a misspelt key and a unit that is none',
      project: schedule({ kind: 'ExponentialLR', gama: 0.9, gamma: 0.9, unit: 'batch' }),
      problems: [
        '(warning) UNKNOWN_KEY training.schedule.gama: The key "gama" is not known here and has no effect',
        'BAD_VALUE training.schedule.unit: Expected one of "epoch", "step" for unit but received "batch"',
      ],
    },
    {
      name: 'milestones beyond the end',
      project: schedule({ kind: 'MultiStepLR', milestones: [5, 10, 30] }),
      problems: [
        '(warning) BAD_VALUE training.schedule.milestones: The milestones 10, 30 are never reached: MultiStepLR has 10 epochs in this run',
      ],
    },
    {
      name: 'a step size as long as the run',
      project: schedule({ kind: 'StepLR', step_size: 30 }),
      problems: [
        '(warning) BAD_VALUE training.schedule.step_size: The rate never falls with a step_size of 30: StepLR has 10 epochs in this run',
      ],
    },
    {
      name: 'a first period as long as the run',
      project: schedule({ kind: 'CosineAnnealingWarmRestarts', T_0: 400, unit: 'step' }),
      problems: [
        '(warning) BAD_VALUE training.schedule.T_0: There is no restart with a T_0 of 400: CosineAnnealingWarmRestarts has 360 steps in this run',
      ],
    },
    {
      name: 'a constant for the whole run',
      project: schedule({ kind: 'ConstantLR', total_iters: 10 }),
      problems: [
        '(warning) BAD_VALUE training.schedule.total_iters: The full rate is never reached with total_iters 10: ConstantLR has 10 epochs in this run',
      ],
    },
    {
      name: 'a typed half period that is too short, the warm-up counted',
      project: schedule({ kind: 'CosineAnnealingLR', T_max: 300, unit: 'step', warmup: { steps: 10 } }),
      problems: [
        '(warning) BAD_VALUE training.schedule.T_max: The rate climbs again after T_max = 300: CosineAnnealingLR has 350 steps in this run',
      ],
    },
    {
      name: 'a typed length in the wrong unit',
      project: schedule({ kind: 'PolynomialLR', total_iters: 360 }),
      problems: [
        '(warning) BAD_VALUE training.schedule.total_iters: The run ends before total_iters = 360: PolynomialLR has 10 epochs in this run',
      ],
    },
    {
      name: 'a warm-up longer than the run',
      project: schedule({ kind: 'CosineAnnealingLR', warmup: { steps: 360 } }),
      problems: [
        '(warning) BAD_VALUE training.schedule.warmup.steps: The warm-up of 360 steps is not over before the run ends, which has 360 steps',
      ],
    },
    {
      name: 'a warm-up without its length, from more than the whole',
      project: schedule({ kind: 'CosineAnnealingLR', warmup: { start_factor: 2 } }),
      problems: [
        'MISSING_VALUE training.schedule.warmup.steps: steps is missing: expected an integer ≥ 1',
        'BAD_VALUE training.schedule.warmup.start_factor: Expected a number > 0 and ≤ 1 for start_factor but received 2',
      ],
    },
    {
      name: 'three phases with half of the cycle gone',
      project: schedule({ kind: 'OneCycleLR', pct_start: 0.6, three_phase: true }),
      problems: [
        'BAD_VALUE training.schedule.pct_start: With three phases the climb and the fall take 60 % of the cycle each, which is more than there is',
      ],
    },
    {
      name: 'a plateau by steps, of a value that is not there',
      project: schedule({ kind: 'ReduceLROnPlateau', unit: 'step', monitor: 'val_acuracy' }),
      problems: [
        'BAD_VALUE training.schedule.unit: ReduceLROnPlateau decides by values of whole epochs, so its unit cannot be "step"',
        'BAD_VALUE training.schedule.monitor: The reduction of the learning rate cannot be decided by "val_acuracy": this project\'s epochs have val_loss, val_accuracy, train_loss, train_accuracy',
      ],
    },
    {
      name: 'a plateau that waits for the worse',
      project: schedule({ kind: 'ReduceLROnPlateau', monitor: 'val_accuracy', mode: 'min' }),
      problems: [
        '(warning) BAD_VALUE training.schedule.mode: mode min waits for val_accuracy to get worse: more of it is better',
      ],
    },
  ],
  'early stopping and checkpoints': [
    { name: 'early stopping by its defaults', project: run({ early_stopping: {} }), problems: [] },
    {
      name: 'early stopping of another type, and of wrong values',
      project: run({ early_stopping: true }),
      problems: ['BAD_VALUE training.early_stopping: Expected an object for early_stopping but received true'],
    },
    {
      name: 'early stopping by wrong values',
      project: run({ early_stopping: { patience: 0, min_delta: -1, monitor: 'loss', restore_best: true } }),
      problems: [
        '(warning) UNKNOWN_KEY training.early_stopping.restore_best: The key "restore_best" is not known here and has no effect',
        'BAD_VALUE training.early_stopping.patience: Expected an integer from 1 to 1000000 for patience but received 0',
        'BAD_VALUE training.early_stopping.min_delta: Expected a number ≥ 0 for min_delta but received -1',
        'BAD_VALUE training.early_stopping.monitor: The early stop cannot be decided by "loss": this project\'s epochs have val_loss, val_accuracy, train_loss, train_accuracy',
      ],
    },
    {
      name: 'checkpoints by steps and minutes',
      project: run({ checkpoint: { every_steps: 0, every_minutes: -1, top_k: 0 } }),
      problems: [
        'BAD_VALUE training.checkpoint.every_steps: Expected an integer ≥ 1, or null for every_steps but received 0',
        'BAD_VALUE training.checkpoint.every_minutes: Expected a number > 0, or null for every_minutes but received -1',
        'BAD_VALUE training.checkpoint.top_k: Expected an integer from 1 to 10000 for top_k but received 0',
      ],
    },
  ],
};
