/** What a network answers, sample by sample. */
import { type Num, toNum } from '../contract/events.ts';
import type { PredictResult } from '../contract/native.ts';
import { type TargetType, targetDims } from '../contract/tensors.ts';
import type { Prediction } from './types.ts';

/** `first`: the position of the first of them. */
export function* answersOf(result: PredictResult, answered: TargetType, first: number): Generator<Prediction> {
  const { kind } = answered;
  const names = kind === 'class' || kind === 'mask' ? answered.classes : [];
  const { logits, probabilities, targets, width } = result;
  for (let row = 0; row < targets.length; row += 1) {
    const cut = (all: Float32Array) => all.subarray(row * width, (row + 1) * width);
    const scores = cut(logits);
    const target = targets[row] as number;
    const own = kind === 'class' || kind === 'multi_label' ? Array.from(cut(probabilities)) : [];
    // One score tells two classes apart: it is the probability of the second.
    const shares = kind === 'class' && own.length === 1 ? [1 - (own[0] as number), own[0] as number] : own;
    const chosen = kind === 'class' ? indexOfLargest(own.length === 1 ? shares : scores) : null;
    const [label, true_label] = [chosen, kind === 'class' ? target : null].map((each) => names[each ?? -1]);
    yield {
      index: first + row,
      class: chosen,
      target: Number.isNaN(target) ? null : target,
      ...(label === undefined ? {} : { label }),
      ...(true_label === undefined ? {} : { true_label }),
      ...(kind === 'mask' ? { positions: countsOf(scores, targetDims(answered), names) } : {}),
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

/** Of scores class by class, each of all positions: how many positions go to each class; one score tells two apart. */
function countsOf(scores: Float32Array, dims: number[], names: readonly string[]): { [label: string]: number } {
  const positions = dims.reduce((product, size) => product * size, 1);
  const classes = scores.length / positions;
  const counts = new Array<number>(Math.max(2, classes)).fill(0);
  for (let at = 0; at < positions; at += 1) {
    let best = classes === 1 && (scores[at] as number) > 0 ? 1 : 0;
    for (let each = 1; each < classes; each += 1) {
      if ((scores[each * positions + at] as number) > (scores[best * positions + at] as number)) best = each;
    }
    counts[best] = (counts[best] as number) + 1;
  }
  return Object.fromEntries(counts.flatMap((count, each) => (count > 0 ? [[names[each] ?? String(each), count]] : [])));
}
