/**
 * Changes of a run by hand: the learning rate, the last epoch. Each is a line of the journal with the place where it took hold; a run that goes
 * on from before that place makes the change there again, so that it is the run that was never interrupted.
 */
import type { RunEvent } from '../contract/events.ts';
import { eachEvent } from './journal-reader.ts';
import type { TrainingState } from './training-state.ts';

export interface Change {
  /** Steps done before it holds, and the epoch in progress there: before an epoch's evaluation, or after. */
  step: number;
  epoch: number;
  lr?: number;
  epochs?: number;
}

type Place = Pick<Change, 'step' | 'epoch'>;

/** Below 0: `a` comes first. */
function inOrder(a: Place, b: Place): number {
  return a.step - b.step || a.epoch - b.epoch;
}

/**
 * What a journal's changes amount to, in the order in which they hold. A later word counts more: it takes the place of what an earlier life
 * of the run was told for the steps behind it.
 */
export function changesOf(events: Iterable<RunEvent>): Change[] {
  let changes: Change[] = [];
  for (const event of events) {
    if (event.type !== 'change' || event.replayed) continue;
    const { step, epoch, lr, epochs } = event;
    const change: Change = {
      step,
      epoch,
      ...(lr === undefined ? {} : { lr }),
      ...(epochs === undefined ? {} : { epochs }),
    };
    changes = [...overruled(changes, change), change];
  }
  return changes.sort(inOrder);
}

/** What is left of changes once a newer one is made: at its very place they were made before it. */
export function overruled(changes: readonly Change[], newer: Change): Change[] {
  return changes
    .map((one) => (inOrder(one, newer) > 0 ? without(one, newer) : one))
    .filter(({ lr, epochs }) => lr !== undefined || epochs !== undefined);
}

function without(change: Change, { lr, epochs }: Change): Change {
  const { lr: ownRate, epochs: ownEpochs, ...place } = change;
  return {
    ...place,
    ...(ownRate === undefined || lr !== undefined ? {} : { lr: ownRate }),
    ...(ownEpochs === undefined || epochs !== undefined ? {} : { epochs: ownEpochs }),
  };
}

/** Of a run's folder. */
export async function readChanges(folder: string): Promise<Change[]> {
  const events: RunEvent[] = [];
  await eachEvent(folder, ['change'], (event) => events.push(event));
  return changesOf(events);
}

/** Those that are still to be made by a training that stands at `state`; at that very place they may be made already, which does no harm. */
export function pendingAt(changes: readonly Change[], state: TrainingState): Change[] {
  return changes.filter((change) => inOrder(change, state) >= 0);
}

/** The last epoch where a training stands, with the changes that hold there. */
export function epochsAt(state: TrainingState, pending: readonly Change[], epochs: number): number {
  const here = pending.findLast((change) => inOrder(change, state) === 0 && change.epochs !== undefined);
  return here?.epochs ?? state.schedule?.epochs ?? epochs;
}

/** Takes from `pending` what holds where `state` stands. */
export function takeDue(pending: Change[], state: TrainingState): Change[] {
  const due = pending.filter((change) => inOrder(change, state) <= 0);
  pending.splice(0, due.length);
  return due;
}

/** How many steps there may be until the next change; Infinity: none is to come. */
export function stepsUntilChange(pending: readonly Change[], { step }: TrainingState): number {
  return (pending.find((change) => change.step > step)?.step ?? Number.POSITIVE_INFINITY) - step;
}
