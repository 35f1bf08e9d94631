/**
 * Early stopping: the run is complete once the monitored value has not got better by more than `min_delta` for `patience` epochs in a row.
 * A value that is no number is none that is better. The best weights are those that `best` names, as at every other end.
 */
import type { ResolvedEarlyStopping } from '../contract/project.ts';
import type { EarlyStoppingState } from './training-state.ts';

export function newEarlyStopping({ monitor }: ResolvedEarlyStopping): EarlyStoppingState {
  return { monitor, best: null, bad_epochs: 0, stopped: null };
}

/** Looks at an epoch's value; answers whether the run is to end after it. */
export function stepEarlyStopping(
  state: EarlyStoppingState,
  { mode, min_delta, patience }: ResolvedEarlyStopping,
  epoch: number,
  value: number,
): boolean {
  const better =
    Number.isFinite(value) &&
    (state.best === null || (mode === 'min' ? value < state.best - min_delta : value > state.best + min_delta));
  if (better) {
    state.best = value;
    state.bad_epochs = 0;
    return false;
  }
  state.bad_epochs += 1;
  if (state.bad_epochs < patience) return false;
  state.stopped = epoch;
  return true;
}
