/** What a row of the optimizer table says, and the parameters that many of them share. */
import { z } from 'zod';
import { field, flag, number } from '../fields.ts';
import type { Json } from '../native.ts';
import type { ArgsRow } from '../table.ts';

export interface OptimizerKind extends ArgsRow {
  /** The state kept for a parameter of this shape, float32: torch's keys with the shape of each. */
  state: OptimizerState;
  /** Values that the addon's step takes for itself and gives back, by the shapes of the parameters that train; absent: none. */
  scratch?: Scratch;
  /**
   * Base values of a parameter of this shape, where they are not `lr` and `weight_decay` of the arguments: `part` names which of several
   * ways to train it belongs to. Absent, or null for this shape: those.
   */
  base?(
    args: Record<string, Json>,
    shape: readonly number[],
  ): { part: string; lr: number; weight_decay: number | null } | null;
}

export type OptimizerState = (
  args: Record<string, Json>,
  shape: readonly number[],
) => { [key: string]: readonly number[] };

export type Scratch = (shapes: readonly (readonly number[])[], args: Record<string, Json>) => number;

const valuesOf = (shape: readonly number[]) => shape.reduce((total, size) => total * size, 1);
export const allValues = (shapes: readonly (readonly number[])[]) =>
  shapes.reduce((total, shape) => total + valuesOf(shape), 0);
export const largestOf = (shapes: readonly (readonly number[])[]) => Math.max(0, ...shapes.map(valuesOf));

/** As many as the parameters have, so many times: the gradients in one vector, and what the rule makes on the way. */
export const copies =
  (times: number): Scratch =>
  (shapes) =>
    times * allValues(shapes);

/** One number a parameter. */
export const scalar: readonly number[] = [];

export const l2 = 'Adds this times the weight to its gradient (L2 penalty).';
export const decoupled = 'Shrinks each weight by lr times this, apart from the gradient.';

export const lr = (value: number) =>
  number({ label: 'Learning rate', help: 'Size of a step along the gradient.', min: 0, default: value });
export const weightDecay = (value: number, help: string, label = 'Weight decay') =>
  number({ label, help, min: 0, default: value });
export const eps = (value: number, label = 'Epsilon') =>
  number({ label, help: 'Added to the denominator for stability.', min: 0, default: value });
export const maximize = flag({ label: 'Maximize', help: 'Climb instead of descending.', default: false });
export const decoupledWeightDecay = flag({
  label: 'Decoupled weight decay',
  help: 'Shrinks the weights themselves, as AdamW does, in place of adding to the gradient.',
  default: false,
});

const beta = z.number().min(0).lt(1);
export const betas = (value: [number, number] = [0.9, 0.999], label = 'Betas') =>
  field(z.tuple([beta, beta]), {
    label,
    help: 'How slowly the running means of the gradient and of its square forget; each from 0 to below 1.',
    control: 'numbers',
    expected: 'a list of two numbers ≥ 0 and < 1',
    default: value,
  });
