/** The table of optimizers: PyTorch's names, arguments, defaults and bounds. */
import { z } from 'zod';
import { field, flag, number } from './fields.ts';
import type { Json } from './native.ts';
import { removeEdit, setEdit } from './report.ts';
import { type ArgsRow, argsRow, tableOf } from './table.ts';

export interface OptimizerKind extends ArgsRow {
  /** The state kept for a parameter of this shape, float32: torch's keys with the shape of each. */
  state(args: Record<string, Json>, shape: readonly number[]): { [key: string]: readonly number[] };
  /**
   * Base values of a parameter of this shape, where they are not `lr` and `weight_decay` of the arguments: `part` names which of several
   * ways to train it belongs to. Absent, or null for this shape: those.
   */
  base?(
    args: Record<string, Json>,
    shape: readonly number[],
  ): { part: string; lr: number; weight_decay: number | null } | null;
}

const lr = (value: number) =>
  number({ label: 'Learning rate', help: 'Size of a step along the gradient.', min: 0, default: value });
const weightDecay = (value: number, help: string) => number({ label: 'Weight decay', help, min: 0, default: value });
const maximize = flag({ label: 'Maximize', help: 'Climb instead of descending.', default: false });
const l2 = 'Adds this times the weight to its gradient (L2 penalty).';

const beta = z.number().min(0).lt(1);
const adamParams = (decay: z.ZodDefault<z.ZodNumber>) => ({
  lr: lr(0.001),
  betas: field(z.tuple([beta, beta]), {
    label: 'Betas',
    help: 'How slowly the running means of the gradient and of its square forget; each from 0 to below 1.',
    control: 'numbers',
    expected: 'a list of two numbers ≥ 0 and < 1',
    default: [0.9, 0.999],
  }),
  eps: number({ label: 'Epsilon', help: 'Added to the denominator for stability.', min: 0, default: 1e-8 }),
  weight_decay: decay,
  amsgrad: flag({ label: 'AMSGrad', help: 'Uses the largest running mean of squares so far.', default: false }),
  maximize,
});
const adamState: OptimizerKind['state'] = ({ amsgrad }, shape) => ({
  step: [],
  exp_avg: shape,
  exp_avg_sq: shape,
  ...(amsgrad === true ? { max_exp_avg_sq: shape } : {}),
});

export const optimizerKinds: readonly OptimizerKind[] = [
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
    state: ({ momentum }, shape): { [key: string]: readonly number[] } =>
      momentum === 0 ? {} : { momentum_buffer: shape },
  },
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
      params: adamParams(weightDecay(0.01, 'Shrinks each weight by lr times this, apart from the gradient.')),
    }),
    state: adamState,
  },
];

export const optimizers = tableOf(optimizerKinds);
