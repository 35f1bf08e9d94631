/** Optimizers that adapt each weight's step to the gradients it has seen. */
import { z } from 'zod';
import { field, flag, number } from '../fields.ts';
import { argsRow } from '../table.ts';
import {
  allValues,
  copies,
  decoupled,
  eps,
  l2,
  largestOf,
  lr,
  maximize,
  type OptimizerKind,
  scalar,
  weightDecay,
} from './kind.ts';

/** What stands for `None` in Adafactor's eps: float32's machine epsilon. */
const float32Epsilon = 2 ** -23;

export const adaptiveKinds: readonly OptimizerKind[] = [
  {
    ...argsRow({
      kind: 'Adagrad',
      label: 'Adagrad',
      help: 'Divides by all gradients so far: weights that rarely matter take larger steps.',
      params: {
        lr: lr(0.01),
        lr_decay: number({ label: 'Rate decay', help: 'How fast the rate falls by itself.', min: 0, default: 0 }),
        weight_decay: weightDecay(0, l2),
        initial_accumulator_value: number({
          label: 'Initial sum',
          help: 'Where the sum of squared gradients starts.',
          min: 0,
          default: 0,
        }),
        eps: eps(1e-10),
        maximize,
      },
    }),
    state: (_args, shape) => ({ step: scalar, sum: shape }),
    scratch: copies(2),
  },
  {
    ...argsRow({
      kind: 'Adadelta',
      label: 'Adadelta',
      help: 'Finds the size of its steps from recent gradients and steps; needs little tuning.',
      params: {
        lr: lr(1),
        rho: number({ label: 'Rho', help: 'How slowly the running means forget.', min: 0, max: 1, default: 0.9 }),
        eps: eps(1e-6),
        weight_decay: weightDecay(0, l2),
        maximize,
      },
    }),
    state: (_args, shape) => ({ step: scalar, square_avg: shape, acc_delta: shape }),
    scratch: copies(3),
  },
  {
    ...argsRow({
      kind: 'RMSprop',
      label: 'RMSprop',
      help: 'Divides by a running mean of the gradient’s size; common for recurrent networks.',
      params: {
        lr: lr(0.01),
        alpha: number({
          label: 'Alpha',
          help: 'How slowly the running mean of squares forgets.',
          min: 0,
          default: 0.99,
        }),
        eps: eps(1e-8),
        weight_decay: weightDecay(0, l2),
        momentum: number({ label: 'Momentum', help: 'Share of the last step that is kept.', min: 0, default: 0 }),
        centered: flag({
          label: 'Centered',
          help: "Divides by the gradient's spread around its mean.",
          default: false,
        }),
        maximize,
      },
    }),
    state: ({ momentum, centered }, shape) => ({
      step: scalar,
      square_avg: shape,
      ...(Number(momentum) > 0 ? { momentum_buffer: shape } : {}),
      ...(centered === true ? { grad_avg: shape } : {}),
    }),
    scratch: (shapes, { centered }) => (centered === true ? 3 : 2) * allValues(shapes),
  },
  {
    ...argsRow({
      kind: 'Rprop',
      label: 'Rprop',
      help: 'Only the signs of the gradients count; for full batches. The learning rate is the first step’s size only.',
      params: {
        lr: lr(0.01),
        etas: field(z.tuple([z.number().gt(0).lt(1), z.number().gt(1)]), {
          label: 'Etas',
          help: 'A step’s factor where the sign has changed (0 to 1), and where it has not (above 1).',
          control: 'numbers',
          expected: 'a list of a number between 0 and 1 and one above 1',
          default: [0.5, 1.2],
        }),
        step_sizes: field(z.tuple([z.number(), z.number()]), {
          label: 'Step sizes',
          help: 'The smallest and the largest step.',
          control: 'numbers',
          expected: 'a list of two numbers',
          default: [1e-6, 50],
        }),
        maximize,
      },
    }),
    state: (_args, shape) => ({ step: scalar, prev: shape, step_size: shape }),
    scratch: copies(5.5),
  },
  {
    ...argsRow({
      kind: 'Adafactor',
      label: 'Adafactor',
      help: 'Keeps a matrix’s second moment as a row and a column: adapts like Adam and needs hardly any memory.',
      params: {
        lr: number({ label: 'Learning rate', help: 'The largest relative step.', min: 0, default: 0.01 }),
        beta2_decay: number({
          label: 'Beta2 decay',
          help: 'Power of the step number by which the second moment forgets less and less; at most 0.',
          max: 0,
          default: -0.8,
        }),
        eps: field(z.tuple([z.number().min(0).nullable(), z.number().min(0)]), {
          label: 'Epsilons',
          help: 'Least size of the update’s denominator (null: float32’s epsilon), and least size of a weight for its step.',
          control: 'numbers',
          expected: 'a list of two numbers ≥ 0, the first of which may be null',
          default: [null, 0.001],
        }),
        d: number({ label: 'Clipping', help: 'Updates longer than this are shortened.', min: 1, default: 1 }),
        weight_decay: weightDecay(0, decoupled),
        maximize,
      },
      args: ({ eps: [first, second], ...params }) => ({ ...params, eps: [first ?? float32Epsilon, second] }),
    }),
    state: (_args, shape) => {
      if (shape.length < 2) return { step: scalar, variance: shape };
      const without = (place: number) => shape.map((size, index) => (index === place ? 1 : size));
      return { step: scalar, row_var: without(shape.length - 1), col_var: without(shape.length - 2) };
    },
    // A parameter at a time besides the gradients.
    scratch: (shapes) => allValues(shapes) + largestOf(shapes),
  },
];
