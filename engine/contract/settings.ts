/** Schemas of the project's settings outside the tables: data, loader, training, checkpoints; and what is known but not yet run. */
import { z } from 'zod';
import { choice, field, flag, type Idle, integer, number, text } from './fields.ts';
import { isObject } from './report.ts';

const seed = (help: string) => integer({ label: 'Seed', help, min: 0, max: Number.MAX_SAFE_INTEGER, default: 42 });

/** The name is also the start of a run folder's name. */
export const nameField = field(
  z
    .string()
    .max(100)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    .regex(/^(?![. ])[^/\\:*?"<>|\u0000-\u001f]+(?<![. ])$/),
  {
    label: 'Name',
    help: 'Runs are named after it, so it must be fit for a folder: no / \\ : * ? " < > |, no dot or space at its ends.',
    control: 'text',
    expected: 'a name of 1 to 100 characters fit for a folder',
    default: 'untitled',
  },
);

export const splitFields = {
  val: field(z.union([z.literal('val'), z.literal('test'), z.number().min(0).lt(1), z.null()]), {
    label: 'Validation',
    help: 'A fraction of the training part, "val" or "test" for the source\'s own validation or test part, or 0 for none. Not said: the source\'s own validation part where it has one, else 0.1.',
    control: 'number',
    expected: '"val", "test" or a number ≥ 0 and < 1',
    default: 0.1,
  }),
  seed: seed('Start of the generator that draws the validation samples.'),
  stratify: flag({
    label: 'Stratify',
    help: 'Takes the same fraction of each class. Only for class targets.',
    default: true,
  }),
};

const withoutWorkers: Idle = ({ num_workers }) => (num_workers === 0 ? 'There are no workers.' : null);

export const loaderFields = {
  batch_size: integer({ label: 'Batch size', help: 'Samples a batch.', unit: 'samples', default: 256 }),
  shuffle: flag({
    label: 'Shuffle',
    help: 'Draws a new order each epoch.',
    default: true,
    idle: ({ sampler }) => (sampler === 'shuffle' ? null : `The sampler ${sampler} draws the samples.`),
  }),
  sampler: choice(['shuffle', 'balanced', 'weighted'], {
    label: 'Sampler',
    help: 'shuffle: each sample once an epoch. balanced: as many draws, with each class as likely as any other. weighted: by the weights of the classes. The last two draw with replacement, as WeightedRandomSampler.',
    words: { shuffle: 'Each sample once', balanced: 'Classes alike', weighted: 'By class weights' },
    default: 'shuffle',
  }),
  class_weights: field(z.array(z.number().min(0)).min(1).nullable(), {
    label: 'Class weights',
    help: 'Chances of each class’s samples to be drawn, in the order of the classes.',
    control: 'numbers',
    expected: 'null or a list of numbers ≥ 0, one a class',
    default: null,
    idle: ({ sampler }) => (sampler === 'weighted' ? null : `The sampler is ${sampler}.`),
  }),
  bucket_by_length: flag({
    label: 'Bucket by length',
    help: 'Puts sequences of like length into a training batch and cuts it to its longest: less to compute where lengths differ.',
    default: false,
  }),
  drop_last: flag({ label: 'Drop last', help: "Leaves out an epoch's short last batch.", default: false }),
  num_workers: integer({
    label: 'Workers',
    help: 'Threads that prepare batches ahead; 0: each batch is prepared when it is needed.',
    min: 0,
    max: 256,
    default: 4,
  }),
  pin_memory: flag({
    label: 'Pin memory',
    help: 'Page-locks batches so that copies to a GPU overlap with its work.',
    default: true,
  }),
  persistent_workers: flag({
    label: 'Persistent workers',
    help: 'Keeps the workers from epoch to epoch; they prepare the next one’s first batches while this one ends.',
    default: true,
    idle: withoutWorkers,
  }),
  prefetch_factor: integer({
    label: 'Prefetch',
    help: 'Batches that each worker prepares ahead.',
    unit: 'batches a worker',
    max: 1024,
    default: 2,
    idle: withoutWorkers,
  }),
};

export const modelFields = {
  weights: field(z.string().min(1).nullable(), {
    label: 'Start from',
    help: 'A .safetensors or .pt file with the weights to start from, or the folder of a run; without one, fresh ones.',
    control: 'path',
    expected: 'a path to a .safetensors or .pt file or to a run, or null',
    default: null,
    absent: 'fresh weights',
  }),
};

export const trainingFields = {
  epochs: integer({ label: 'Epochs', help: 'Passes over the training samples.', max: 1_000_000, default: 10 }),
  device: text({
    label: 'Device',
    help: 'auto, cpu, cuda:0, mps, xpu:0, or the name that a back end registers.',
    default: 'auto',
  }),
  precision: choice(['fp32', 'auto', 'bf16', 'fp16'], {
    label: 'Precision',
    help: 'Number format of the calculations; the weights themselves stay fp32. auto takes the fastest that trains as well.',
    default: 'fp32',
  }),
  tf32: flag({
    label: 'TF32',
    help: 'Lets NVIDIA GPUs round the factors of fp32 matrix products to 10 bits: faster, a little less exact. Other devices ignore it.',
    default: false,
  }),
  seed: seed('Start of the generator of the initial weights, the order of samples and dropout.'),
  deterministic: flag({
    label: 'Deterministic',
    help: 'Only operations that give the same bits every time.',
    default: false,
  }),
  accumulate: integer({
    label: 'Accumulate',
    help: 'Batches whose gradients make one optimizer step.',
    unit: 'batches',
    max: 1_000_000,
    default: 1,
  }),
  decay_norms_and_biases: flag({
    label: 'Decay norms and biases',
    help: 'Off: no weight decay for parameters of one dimension, which norms and biases are.',
    default: true,
  }),
  clip_grad_norm: field(z.number().gt(0).nullable(), {
    label: 'Clip gradient norm',
    help: 'Longest gradient allowed (2-norm over all parameters); left empty: no limit.',
    control: 'number',
    expected: 'a number > 0, or null',
    default: null,
    absent: 'no limit',
  }),
  clip_grad_value: field(z.number().gt(0).nullable(), {
    label: 'Clip gradient values',
    help: 'Largest size of a single number of the gradient, after clip_grad_norm; left empty: no limit.',
    control: 'number',
    expected: 'a number > 0, or null',
    default: null,
    absent: 'no limit',
  }),
  activation_checkpointing: flag({
    label: 'Activation checkpointing',
    help: 'Keeps only some activations and computes the others again in the backward pass: less memory, about a third more time.',
    default: false,
  }),
};

export const checkpointFields = {
  every_epochs: integer({
    label: 'Every',
    help: 'Epochs from one checkpoint to the next.',
    unit: 'epochs',
    default: 1,
  }),
  every_steps: field(z.number().int().min(1).nullable(), {
    label: 'Every so many steps',
    help: 'Optimizer steps from one checkpoint to the next, besides those at the ends of epochs; left empty: none.',
    unit: 'steps',
    control: 'integer',
    expected: 'an integer ≥ 1, or null',
    min: 1,
    default: null,
  }),
  every_minutes: field(z.number().gt(0).nullable(), {
    label: 'Every so many minutes',
    help: 'Minutes after which a checkpoint is saved at the latest; left empty: no limit.',
    unit: 'minutes',
    control: 'number',
    expected: 'a number > 0, or null',
    default: null,
    absent: 'no limit',
  }),
  keep: integer({
    label: 'Keep',
    help: 'How many of the latest checkpoints are kept; the best ones, snapshots and an initial state from a weights file are kept besides.',
    max: 10_000,
    default: 2,
  }),
  top_k: integer({
    label: 'Keep the best',
    help: 'How many of the best checkpoints are kept.',
    max: 10_000,
    default: 1,
  }),
  monitor: field(z.string().min(1).nullable(), {
    label: 'Best by',
    help: 'val_loss, train_loss, or a metric such as val_accuracy. Left empty: val_loss, or train_loss without validation.',
    control: 'text',
    expected: 'the name of a value of the epoch, such as "val_loss"',
    default: null,
    absent: 'the loss',
  }),
};

export const earlyStoppingFields = {
  monitor: field(z.string().min(1).nullable(), {
    label: 'Watches',
    help: 'A value of the epoch such as val_loss. Left empty: the one that decides the best checkpoint.',
    control: 'text',
    expected: 'the name of a value of the epoch, such as "val_loss"',
    default: null,
    absent: 'as the best one',
  }),
  patience: integer({
    label: 'Patience',
    help: 'The run ends after so many epochs in a row without a better value.',
    unit: 'epochs',
    max: 1_000_000,
    default: 3,
  }),
  min_delta: number({
    label: 'Least gain',
    help: 'A value counts as better only by more than this.',
    min: 0,
    default: 0,
  }),
  mode: choice(['auto', 'min', 'max'], {
    label: 'Better is',
    help: 'min: less; max: more; auto: less for losses, and for metrics what is better for each.',
    default: 'auto',
  }),
};

/** Settings that the project file has and this version does not run: each with what it may say and a reading of "off". */
export const notYetTraining: { key: string; what: string; neutral: unknown; isNeutral(value: unknown): boolean }[] = [
  { key: 'compile', what: 'compiled modes', neutral: 'off', isNeutral: (value) => value === 'off' },
  {
    key: 'strategy',
    what: 'training on several devices',
    neutral: { kind: 'single' },
    isNeutral: (value) => isObject(value) && value.kind === 'single' && Object.keys(value).length === 1,
  },
];
