/** Optimizers that follow the gradient itself, with momentum, averaged, or made orthogonal. */
import { z } from 'zod';
import { field, flag, integer, number } from '../fields.ts';
import { removeEdit, setEdit } from '../report.ts';
import { argsRow } from '../table.ts';
import {
  allValues,
  betas,
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

/** Multiplications of a product that is not laid out in tiles. */
const smallestTiled = 16 ** 3;

const adjustments = ['original', 'match_rms_adamw', 'spectral_unclamped'] as const;

export const descentKinds: readonly OptimizerKind[] = [
  {
    ...argsRow({
      kind: 'SGD',
      label: 'SGD',
      help: 'Stochastic gradient descent, with momentum if wanted.',
      params: {
        lr: lr(0.001),
        momentum: number({ label: 'Momentum', help: 'Share of the last step that is kept.', min: 0, default: 0 }),
        dampening: number({ label: 'Dampening', help: 'Share of the gradient left out of the momentum.', default: 0 }),
        weight_decay: weightDecay(0, l2),
        nesterov: flag({ label: 'Nesterov', help: 'Looks ahead along the momentum.', default: false }),
        maximize,
      },
      check({ nesterov, momentum, dampening }, place, report) {
        if (!nesterov || (momentum > 0 && dampening === 0)) return;
        report.error(
          'BAD_VALUE',
          [...place, 'nesterov'],
          `nesterov needs momentum > 0 and dampening 0, but momentum is ${momentum} and dampening ${dampening}`,
          'Set a momentum, or switch nesterov off.',
          [
            {
              label: 'Set momentum 0.9 and dampening 0',
              edits: [setEdit([...place, 'momentum'], 0.9), setEdit([...place, 'dampening'], 0)],
            },
            { label: 'Switch nesterov off', edits: [removeEdit([...place, 'nesterov'])] },
          ],
        );
      },
    }),
    state: ({ momentum }, shape): ReturnType<OptimizerKind['state']> =>
      momentum === 0 ? {} : { momentum_buffer: shape },
  },
  {
    ...argsRow({
      kind: 'ASGD',
      label: 'ASGD',
      help: 'Stochastic gradient descent that also keeps an average of the weights (in its state, as PyTorch does).',
      params: {
        lr: lr(0.01),
        lambd: number({ label: 'Lambda', help: 'Decay of the weights and of the rate.', min: 0, default: 0.0001 }),
        alpha: number({ label: 'Alpha', help: 'Power by which the rate falls.', default: 0.75 }),
        t0: number({ label: 'Start of averaging', help: 'Steps before averaging begins.', default: 1_000_000 }),
        weight_decay: weightDecay(0, l2),
        maximize,
      },
    }),
    state: (_args, shape) => ({ step: scalar, eta: scalar, mu: scalar, ax: shape }),
    scratch: copies(1),
  },
  {
    ...argsRow({
      kind: 'Muon',
      label: 'Muon',
      help: 'Momentum made orthogonal for matrices; biases, norms and convolutions take AdamW with the values below.',
      params: {
        lr: number({ label: 'Learning rate', help: 'Size of a step, for matrices.', min: 0, default: 0.001 }),
        weight_decay: weightDecay(0.1, decoupled),
        momentum: number({ label: 'Momentum', help: 'Share of the last step that is kept.', min: 0, default: 0.95 }),
        nesterov: flag({ label: 'Nesterov', help: 'Looks ahead along the momentum.', default: true }),
        ns_coefficients: field(z.tuple([z.number(), z.number(), z.number()]), {
          label: 'Coefficients',
          help: 'Of the polynomial that makes a matrix orthogonal (Newton–Schulz).',
          control: 'numbers',
          expected: 'a list of three numbers',
          default: [3.4445, -4.775, 2.0315],
        }),
        eps: number({ label: 'Epsilon', help: 'Least size of a matrix it is divided by.', min: 0, default: 1e-7 }),
        ns_steps: integer({ label: 'Iterations', help: 'Rounds of that polynomial.', max: 99, default: 5 }),
        adjust_lr_fn: field(z.enum(adjustments).nullable(), {
          label: 'Rate by shape',
          help: 'How a matrix’s shape changes its rate; null is original, match_rms_adamw takes rates meant for AdamW.',
          control: 'choice',
          expected: `null or one of ${adjustments.map((name) => `"${name}"`).join(', ')}`,
          choices: adjustments,
          default: null,
          absent: 'original',
        }),
        adamw_lr: number({
          label: 'AdamW learning rate',
          help: 'Of the parameters that are no matrices.',
          min: 0,
          default: 0.0003,
        }),
        adamw_betas: betas([0.9, 0.95], 'AdamW betas'),
        adamw_eps: eps(1e-10, 'AdamW epsilon'),
        adamw_weight_decay: weightDecay(
          0,
          'Weight decay of the parameters that are no matrices.',
          'AdamW weight decay',
        ),
      },
    }),
    state: (_args, shape): ReturnType<OptimizerKind['state']> =>
      shape.length === 2 ? { momentum_buffer: shape } : { step: scalar, exp_avg: shape, exp_avg_sq: shape },
    // Gradients and directions, and for a matrix at a time two of its size and two of its rows' products, in half as many bytes.
    scratch: (all) => {
      const matrices = all.filter((shape) => shape.length === 2);
      const least = Math.max(0, ...matrices.map((shape) => Math.min(...shape) ** 2));
      // The tiles of products in half precision.
      const sides = matrices.filter((shape) => allValues([shape]) * Math.min(...shape) > smallestTiled).flat();
      const tiles = sides.length > 0 ? 15_000 + 24 * Math.max(...sides) : 0;
      return 2 * allValues(matrices) + largestOf(matrices) + least + tiles;
    },
    base: ({ adamw_lr, adamw_weight_decay }, shape) =>
      shape.length === 2 ? null : { part: 'AdamW', lr: adamw_lr as number, weight_decay: adamw_weight_decay as number },
  },
];
