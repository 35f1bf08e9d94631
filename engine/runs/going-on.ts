/** How far a run is to go when it is taken up again: its last epoch, and the changes of earlier lives that are still to come. */
import { type Change, epochsAt, pendingAt, readChanges } from './changes.ts';
import { eachEvent } from './journal-reader.ts';
import type { TrainingState } from './training-state.ts';

export interface GoingOn {
  /** A last epoch that somebody asks for now, by the call or by an edit of the run's project; undefined: as it stands. */
  asked: number | undefined;
  /** Where the run is to end. */
  epochs: number;
  pending: Change[];
  /** The run had stopped early where it stands, and an earlier life was asked for more; it was killed before it saved anything. */
  takenUp: boolean;
}

/** `epochs`: what the call asks for, what the run's project says, and what it said when the run last ran (null: never). */
export async function goingOn(
  folder: string,
  state: TrainingState | null,
  epochs: { asked: number | undefined; now: number; before: number | null },
): Promise<GoingOn> {
  const changes = await readChanges(folder);
  const takenUp = hasStoppedEarly(state) && (await wasTakenUp(folder, state));
  const all = state ? pendingAt(changes, state) : changes;
  const asked = epochs.asked ?? (epochs.before !== null && epochs.before !== epochs.now ? epochs.now : undefined);
  if (asked === undefined)
    return { asked, epochs: state ? epochsAt(state, all, epochs.now) : epochs.now, pending: all, takenUp };
  // The newest word counts.
  const pending = all.flatMap(({ epochs: _, ...change }) => (change.lr === undefined ? [] : [change]));
  return { asked, epochs: asked, pending, takenUp };
}

function hasStoppedEarly(state: TrainingState | null): state is TrainingState {
  return (state?.early_stopping?.stopped ?? null) !== null;
}

/** Only who asks for more makes a run go on after it has stopped early. */
async function wasTakenUp(folder: string, { step }: TrainingState): Promise<boolean> {
  let taken = false;
  await eachEvent(folder, ['advice', 'resume'], (event) => {
    if (event.type === 'resume') taken ||= event.from_step === step;
    else if (event.code === 'EARLY_STOPPED') taken = false;
  });
  return taken;
}

/** Whether a run that stands at `state` has nothing left to do. */
export function isFinished(state: TrainingState, { asked, epochs, takenUp }: GoingOn, stopsEarly: boolean): boolean {
  if (state.epoch > epochs) return true;
  return stopsEarly && asked === undefined && !takenUp && hasStoppedEarly(state);
}

/** Who asks a run that stopped early for more gets more: its patience starts anew. */
export function takeUpAgain(state: TrainingState, monitor: string | null): void {
  const { early_stopping } = state;
  if (monitor === null || early_stopping?.monitor !== monitor) state.early_stopping = null;
  else if (early_stopping.stopped !== null) state.early_stopping = { ...early_stopping, bad_epochs: 0, stopped: null };
}
