/** What losses take, in tensors of the network's answer, as measured: the addon computes them in fp32. */
import type { TargetKind } from './tensors.ts';

export interface LossMemory {
  /** Kept for the backward pass. */
  keeps: number;
  /** What comes and goes in either pass, besides the answer and its gradient. */
  forward: number;
  backward: number;
}

const measured: Record<string, LossMemory> = {
  // The logarithms; the gradient of the likelihood, which goes through them.
  CrossEntropyLoss: { keeps: 1, forward: 0, backward: 1 },
  NLLLoss: { keeps: 0, forward: 0, backward: 0 },
  MultiMarginLoss: { keeps: 0, forward: 0, backward: 0 },
  BCEWithLogitsLoss: { keeps: 0, forward: 2, backward: 0 },
  // The answer without NaN, and where they were: a byte each.
  BCELoss: { keeps: 1.25, forward: 1, backward: 0 },
  // Their single number lies in the memory of the differences.
  MSELoss: { keeps: 1, forward: 1, backward: 0 },
  SmoothL1Loss: { keeps: 1, forward: 1, backward: 0 },
  L1Loss: { keeps: 1, forward: 1, backward: 2 },
  HuberLoss: { keeps: 0, forward: 1, backward: 0 },
  KLDivLoss: { keeps: 0, forward: 3, backward: 1 },
  PoissonNLLLoss: { keeps: 1, forward: 2, backward: 2 },
  GaussianNLLLoss: { keeps: 2, forward: 2, backward: 2 },
};

/** `output`: dims of one sample's answer. `half`: it comes in half precision, and is copied to fp32. */
export function lossMemory(kind: string, output: readonly number[], half: boolean): LossMemory {
  const row = measured[kind] ?? (measured.CrossEntropyLoss as LossMemory);
  // Scores at the positions of an image lie with their channels last, and are brought into order on the way.
  const ordered = kind === 'CrossEntropyLoss' && output.length > 2 ? 1 : 0;
  return { keeps: row.keeps + (half ? 1 : 0), forward: row.forward + ordered, backward: row.backward + ordered };
}

/** What metrics take on the way, in such tensors: of several labels answers and targets become integers, each of eight bytes. */
export function metricMemory(target: TargetKind): number {
  return target === 'multi_label' ? 7 : 0;
}
