/** Faults of the project's structure, its settings and its data. */
import type { Json } from '../../engine/contract/native.ts';
import { conv, digits, head, type JsonProject, linear, projectWith, relu } from './cases.ts';
import type { Row } from './problem-rows.ts';

const settings = (training: JsonProject) => projectWith(head, { training });
const data = (more: JsonProject) => projectWith(head, { data: { source: { kind: 'idx', path: 'digits' }, ...more } });
const source = (given: Json) => projectWith(head, { data: { source: given } });

export const settingsRows: { [group: string]: Row[] } = {
  'structure and settings': [
    { name: 'no object', project: 7, problems: ['BAD_VALUE : Expected an object for the project but received 7'] },
    {
      name: 'an empty object',
      project: {},
      problems: [
        '(warning) MISSING_VALUE gradloom: The project does not say its schema version',
        'MISSING_VALUE data.source: No data is chosen, so no shape is known',
        'EMPTY_MODEL model.layers: The network has no layers',
      ],
    },
    {
      name: 'sections of another type',
      project: { gradloom: 1, data: [], model: 'x', training: null },
      problems: [
        'BAD_VALUE data: Expected an object for data but received []',
        'MISSING_VALUE data.source: No data is chosen, so no shape is known',
        'BAD_VALUE model: Expected an object for model but received "x"',
        'BAD_VALUE training: Expected an object for training but received null',
      ],
    },
    {
      name: 'version 0',
      project: { ...projectWith(head), gradloom: 0 },
      problems: ['BAD_VALUE gradloom: There is no schema version 0'],
    },
    {
      name: 'numbers beyond single precision',
      project: settings({ clip_grad_value: 1e308, optimizer: { kind: 'Rprop', step_sizes: [1, 1e39] } }),
      problems: [
        'BAD_VALUE training.clip_grad_value: clip_grad_value is 1e+308, which single precision cannot hold',
        'BAD_VALUE training.optimizer.step_sizes: step_sizes is [1,1e+39], which single precision cannot hold',
      ],
    },
    {
      name: 'a name that is no folder',
      project: { ...projectWith(head), name: '../x' },
      problems: [
        'BAD_VALUE name: Expected a name of 1 to 100 characters fit for a folder for name but received "../x"',
      ],
    },
    {
      name: 'unknown keys',
      project: { ...projectWith(head, { training: { epoch: 3 } }), notes: 'x' },
      problems: [
        '(warning) UNKNOWN_KEY notes: The key "notes" is not known here and has no effect',
        '(warning) UNKNOWN_KEY training.epoch: The key "epoch" is not known here and has no effect',
      ],
    },
    {
      name: 'out of bounds',
      project: settings({ epochs: 0, seed: -1, accumulate: 1.5, clip_grad_norm: 0 }),
      problems: [
        'BAD_VALUE training.epochs: Expected an integer from 1 to 1000000 for epochs but received 0',
        'BAD_VALUE training.seed: Expected an integer ≥ 0 for seed but received -1',
        'BAD_VALUE training.accumulate: Expected an integer from 1 to 1000000 for accumulate but received 1.5',
        'BAD_VALUE training.clip_grad_norm: Expected a number > 0, or null for clip_grad_norm but received 0',
      ],
    },
    {
      name: 'not yet run',
      project: settings({
        compile: 'max-autotune',
        strategy: { kind: 'distributed', ranks: 2 },
      }),
      problems: [
        'NOT_SUPPORTED training.compile: This version does not run compiled modes',
        'NOT_SUPPORTED training.strategy: This version does not run training on several devices',
      ],
    },
    {
      name: 'what is not yet run, switched off',
      project: settings({
        compile: 'off',
        schedule: null,
        early_stopping: null,
        strategy: { kind: 'single' },
      }),
      problems: [],
    },
    {
      name: 'how it calculates',
      project: settings({
        precision: 'fp16',
        tf32: true,
        loss_scale: { init_scale: 1024, growth_factor: 1.5, backoff_factor: 0.25, growth_interval: 100 },
        clip_grad_value: 0.5,
        activation_checkpointing: true,
        ema: { decay: 0.98 },
      }),
      problems: [],
    },
    {
      name: 'how it calculates, switched off',
      project: settings({
        precision: 'auto',
        tf32: false,
        loss_scale: null,
        clip_grad_value: null,
        activation_checkpointing: false,
        ema: null,
      }),
      problems: [],
    },
    {
      name: 'a number format that is not offered',
      project: settings({ precision: 'float64', activation_checkpointing: 2 }),
      problems: [
        'BAD_VALUE training.precision: Expected one of "fp32", "auto", "bf16", "fp16" for precision but received "float64"',
        'BAD_VALUE training.activation_checkpointing: Expected true or false for activation_checkpointing but received 2',
      ],
    },
    {
      name: 'fp16 on a CPU',
      project: settings({ precision: 'fp16', device: 'cpu' }),
      problems: [
        '(warning) SLOW_PRECISION training.precision: A CPU calculates with fp16 far more slowly than with fp32',
      ],
    },
    {
      name: 'loss scaling and averaging out of bounds',
      project: settings({
        loss_scale: { init_scale: 1e39, growth_factor: 1, backoff_factor: 1, growth_interval: 0, enabled: true },
        ema: { decay: 1.5 },
        epochs: 1000,
        clip_grad_value: -1,
      }),
      problems: [
        'BAD_VALUE training.clip_grad_value: Expected a number > 0, or null for clip_grad_value but received -1',
        '(warning) UNKNOWN_KEY training.loss_scale.enabled: The key "enabled" is not known here and has no effect',
        'BAD_VALUE training.loss_scale.init_scale: init_scale is 1e+39, which single precision cannot hold',
        'BAD_VALUE training.loss_scale.growth_factor: Expected a number > 1 for growth_factor but received 1',
        'BAD_VALUE training.loss_scale.backoff_factor: Expected a number > 0 and < 1 for backoff_factor but received 1',
        'BAD_VALUE training.loss_scale.growth_interval: Expected an integer ≥ 1 for growth_interval but received 0',
        'BAD_VALUE training.ema.decay: Expected a number ≥ 0 and ≤ 1 for decay but received 1.5',
      ],
    },
    {
      name: 'loss scaling and averaging that are no objects',
      project: settings({ loss_scale: 1024, ema: true }),
      problems: [
        'BAD_VALUE training.loss_scale: Expected an object for loss_scale but received 1024',
        'BAD_VALUE training.ema: Expected an object for ema but received true',
      ],
    },
    {
      name: 'unknown optimizer',
      project: settings({ optimizer: { kind: 'adam' } }),
      problems: ['UNKNOWN_KIND training.optimizer.kind: There is no optimizer of kind "adam"'],
    },
    {
      name: 'optimizer values',
      project: settings({ optimizer: { kind: 'AdamW', lr: '0.1', betas: [0.9, 1], weight_deca: 0 } }),
      problems: [
        '(warning) UNKNOWN_KEY training.optimizer.weight_deca: The key "weight_deca" is not known here and has no effect',
        'BAD_VALUE training.optimizer.lr: Expected a number ≥ 0 for lr but received "0.1"',
        'BAD_VALUE training.optimizer.betas: Expected a list of two numbers ≥ 0 and < 1 for betas but received [0.9,1]',
      ],
    },
    {
      name: 'nesterov without momentum',
      project: settings({ optimizer: { kind: 'SGD', nesterov: true } }),
      problems: [
        'BAD_VALUE training.optimizer.nesterov: nesterov needs momentum > 0 and dampening 0, but momentum is 0 and dampening 0',
      ],
    },
    {
      name: 'metrics',
      project: settings({ metrics: ['acuracy', 'accuracy', 'accuracy'] }),
      problems: [
        'UNKNOWN_KIND training.metrics.0: There is no metric "acuracy"',
        'BAD_VALUE training.metrics.2: The metric accuracy is listed twice',
      ],
    },
    {
      name: 'monitor',
      project: settings({ checkpoint: { monitor: 'val_f1', keep: 0 } }),
      problems: [
        'BAD_VALUE training.checkpoint.keep: Expected an integer from 1 to 10000 for keep but received 0',
        'BAD_VALUE training.checkpoint.monitor: The best checkpoint cannot be chosen by "val_f1": this project\'s epochs have val_loss, val_accuracy, train_loss, train_accuracy',
      ],
    },
    {
      name: 'monitor without validation',
      project: projectWith(head, {
        data: { source: { kind: 'idx', path: 'd' }, split: { val: 0 } },
        training: { checkpoint: { monitor: 'val_loss' } },
      }),
      problems: [
        '(warning) BAD_VALUE training.checkpoint.monitor: Without validation there is no val_loss: the best checkpoint is chosen by train_loss',
      ],
    },
    {
      name: 'an unknown monitor without validation',
      project: projectWith(head, {
        data: { source: { kind: 'idx', path: 'd' }, split: { val: 0 } },
        training: { checkpoint: { monitor: 'val_f1' } },
      }),
      problems: [
        'BAD_VALUE training.checkpoint.monitor: The best checkpoint cannot be chosen by "val_f1": this project\'s epochs have train_loss, train_accuracy',
      ],
    },
  ],
  data: [
    {
      name: 'no source',
      project: projectWith(head, { data: {} }),
      facts: null,
      problems: ['MISSING_VALUE data.source: No data is chosen, so no shape is known'],
    },
    {
      name: 'data not read: one problem for all that is unknown',
      project: projectWith([conv(4), relu, ...head]),
      facts: null,
      problems: ['MISSING_VALUE data.source: The data has not been read, so no shape is known'],
    },
    {
      name: 'faults of layers are found without data',
      project: projectWith([conv(0), { kind: 'Residual', layers: [{ kind: 'Relu' }] }]),
      facts: null,
      problems: [
        'MISSING_VALUE data.source: The data has not been read, so no shape is known',
        'BAD_VALUE model.layers.0.out_channels: Expected an integer ≥ 1 for out_channels but received 0',
        'UNKNOWN_KIND model.layers.1.layers.0.kind: There is no layer of kind "Relu"',
      ],
    },
    {
      name: 'unknown source',
      project: source({ kind: 'csv' }),
      facts: null,
      problems: ['UNKNOWN_KIND data.source.kind: There is no data source of kind "csv"'],
    },
    {
      name: 'source without path',
      project: source({ kind: 'idx' }),
      facts: null,
      problems: ['MISSING_VALUE data.source.path: path is missing: expected a path'],
    },
    {
      name: 'random source needs no reading',
      project: source({ kind: 'random', shape: [4, 4] }),
      facts: null,
      problems: [],
    },
    {
      name: 'random source of wrong shape',
      project: source({ kind: 'random', shape: [4, 0] }),
      facts: null,
      problems: ['BAD_VALUE data.source.shape: Expected a list of 1 to 8 integers ≥ 1 for shape but received [4,0]'],
    },
    {
      name: 'no test part',
      project: projectWith(head),
      facts: { ...digits, parts: { train: 9000 } },
      problems: ['NO_TEST_PART data.split.val: The split "test" is asked for, but this data has no test part'],
    },
    {
      name: 'fraction of nothing',
      project: data({ split: { val: 0.01, stratify: false } }),
      facts: { ...digits, parts: { train: 20 } },
      problems: ['EMPTY_SPLIT data.split.val: 0.01 of 20 training samples is none: there is nothing to validate on'],
    },
    {
      name: 'stratified fraction of nothing',
      project: data({ split: { val: 0.01 } }),
      facts: {
        ...digits,
        target: { kind: 'class', classes: [...'0123456789'], counts: Array(10).fill(4) },
        parts: { train: 40 },
      },
      problems: ['EMPTY_SPLIT data.split.val: 0.01 of 40 training samples is none: there is nothing to validate on'],
    },
    {
      name: 'nothing left to train on',
      project: data({ split: { val: 0.9, stratify: false } }),
      facts: { ...digits, parts: { train: 4 } },
      problems: ['EMPTY_SPLIT data.split.val: No training samples are left'],
    },
    {
      name: 'no full batch',
      project: data({ split: { val: 0 }, loader: { drop_last: true, batch_size: 64 } }),
      facts: { ...digits, parts: { train: 50 } },
      problems: [
        'EMPTY_SPLIT data.loader.drop_last: The 50 training samples do not fill one batch of 64, and drop_last leaves out what is not full',
      ],
    },
    {
      name: 'normalisation of other channels',
      project: data({ transforms: [{ kind: 'Normalize', mean: [0.5, 0.5, 0.5], std: 0.5 }] }),
      problems: [
        'BAD_VALUE data.transforms.0.mean: mean of Normalize holds 3 numbers, but the samples [1, 28, 28] have 1 channel',
      ],
    },
    {
      name: 'division by zero',
      project: data({ transforms: [{ kind: 'Normalize', mean: 0, std: [0] }] }),
      problems: ['BAD_VALUE data.transforms.0.std: std must not be 0, but is [0]'],
    },
    {
      name: 'unknown transform',
      project: data({ transforms: [{ kind: 'normalize', mean: 0, std: 1 }, 3] }),
      problems: [
        'UNKNOWN_KIND data.transforms.0.kind: There is no transform of kind "normalize"',
        'BAD_VALUE data.transforms.1: Expected an object with a kind for transform but received 3',
      ],
    },
    {
      name: 'integers',
      project: projectWith([linear(3), linear(10)]),
      facts: { ...digits, input: { dims: [5], dtype: 'int64' } },
      problems: [
        'WRONG_DTYPE model.layers.0: Linear calculates with floating-point numbers but receives integers (int64)',
      ],
    },
  ],
};
