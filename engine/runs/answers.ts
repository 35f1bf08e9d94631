/** What a network answers, sample by sample. */
import { type Num, toNum } from '../contract/events.ts';
import type { PredictResult } from '../contract/native.ts';
import type { TargetKind } from '../contract/tensors.ts';
import type { Prediction } from './types.ts';

/** `first`: the position of the first of them. */
export function* answersOf(result: PredictResult, kind: TargetKind, first: number): Generator<Prediction> {
  const { logits, probabilities, targets, width } = result;
  for (let row = 0; row < targets.length; row += 1) {
    const cut = (all: Float32Array) => all.subarray(row * width, (row + 1) * width);
    const scores = cut(logits);
    const target = targets[row] as number;
    const own = kind === 'class' || kind === 'multi_label' ? Array.from(cut(probabilities)) : [];
    // One score tells two classes apart: it is the probability of the second.
    const shares = kind === 'class' && own.length === 1 ? [1 - (own[0] as number), own[0] as number] : own;
    yield {
      index: first + row,
      class: kind === 'class' ? indexOfLargest(own.length === 1 ? shares : scores) : null,
      target: Number.isNaN(target) ? null : target,
      logits: Array.from(scores, toNum) as Num[],
      probabilities: shares.map(toNum),
    };
  }
}

function indexOfLargest(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}
