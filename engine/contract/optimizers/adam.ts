/** Adam and its relatives: steps from running means of the gradient and of its size. */
import { flag, number } from '../fields.ts';
import { argsRow } from '../table.ts';
import {
  betas,
  copies,
  decoupled,
  decoupledWeightDecay,
  eps,
  l2,
  lr,
  maximize,
  type OptimizerKind,
  type OptimizerState,
  scalar,
  weightDecay,
} from './kind.ts';

const adamParams = (decay: ReturnType<typeof weightDecay>) => ({
  lr: lr(0.001),
  betas: betas(),
  eps: eps(1e-8),
  weight_decay: decay,
  amsgrad: flag({ label: 'AMSGrad', help: 'Uses the largest running mean of squares so far.', default: false }),
  maximize,
});

const moments: OptimizerState = (_args, shape) => ({ step: scalar, exp_avg: shape, exp_avg_sq: shape });
const adamState: OptimizerState = (args, shape) => ({
  ...moments(args, shape),
  ...(args.amsgrad === true ? { max_exp_avg_sq: shape } : {}),
});

export const adamKinds: readonly OptimizerKind[] = [
  {
    ...argsRow({
      kind: 'Adam',
      label: 'Adam',
      help: 'Adapts each step to the size of past gradients; a good first choice.',
      params: adamParams(weightDecay(0, l2)),
    }),
    state: adamState,
  },
  {
    ...argsRow({
      kind: 'AdamW',
      label: 'AdamW',
      help: 'Adam with weight decay applied to the weights themselves.',
      params: adamParams(weightDecay(0.01, decoupled)),
    }),
    state: adamState,
  },
  {
    ...argsRow({
      kind: 'NAdam',
      label: 'NAdam',
      help: 'Adam that looks ahead along its momentum (Nesterov).',
      params: {
        lr: lr(0.002),
        betas: betas(),
        eps: eps(1e-8),
        weight_decay: weightDecay(0, l2),
        momentum_decay: number({
          label: 'Momentum decay',
          help: 'How fast the momentum comes to its full strength.',
          min: 0,
          default: 0.004,
        }),
        decoupled_weight_decay: decoupledWeightDecay,
        maximize,
      },
    }),
    state: (args, shape) => ({ ...moments(args, shape), mu_product: scalar }),
    scratch: copies(2),
  },
  {
    ...argsRow({
      kind: 'RAdam',
      label: 'RAdam',
      help: 'Adam that takes plain steps until its running means can be trusted: needs no warm-up.',
      params: {
        lr: lr(0.001),
        betas: betas(),
        eps: eps(1e-8),
        weight_decay: weightDecay(0, l2),
        decoupled_weight_decay: decoupledWeightDecay,
        maximize,
      },
    }),
    state: moments,
    scratch: copies(2),
  },
  {
    ...argsRow({
      kind: 'Adamax',
      label: 'Adamax',
      help: 'Adam that divides by the largest recent gradient in place of a mean.',
      params: { lr: lr(0.002), betas: betas(), eps: eps(1e-8), weight_decay: weightDecay(0, l2), maximize },
    }),
    state: (_args, shape) => ({ step: scalar, exp_avg: shape, exp_inf: shape }),
    scratch: copies(2),
  },
];
