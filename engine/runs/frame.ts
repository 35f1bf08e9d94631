/** What a window shows of a run between two looks at its journal: small, whole, and replaced by the next one. */
import type { ErrorInfo } from '../contract/errors.ts';
import type { Num, RunEvent, RunState } from '../contract/events.ts';
import { followJournal } from './journal-reader.ts';
import { describeRun } from './registry.ts';
import type { EndEvent, EpochEvent } from './types.ts';

export interface RunFrame {
  run: string;
  status: RunState;
  epoch: number;
  step: number;
  epochs: number | null;
  steps_per_epoch: number | null;
  train_loss: Num | null;
  last_epoch: EpochEvent | null;
  error: ErrorInfo | null;
  end: EndEvent | null;
}

const blank = (run: string): RunFrame => ({
  run,
  status: 'preparing',
  epoch: 0,
  step: 0,
  epochs: null,
  steps_per_epoch: null,
  train_loss: null,
  last_epoch: null,
  error: null,
  end: null,
});

/** The frame after one more event. */
function advance(frame: RunFrame, event: RunEvent): RunFrame {
  switch (event.type) {
    case 'start':
      return {
        ...frame,
        status: 'running',
        epochs: event.epochs,
        steps_per_epoch: event.steps_per_epoch,
        error: null,
        end: null,
      };
    case 'resume':
      return { ...frame, step: event.from_step };
    case 'steps':
      return {
        ...frame,
        epoch: event.epoch,
        step: event.step.at(-1) ?? frame.step,
        train_loss: event.train_loss.at(-1) ?? frame.train_loss,
      };
    case 'epoch':
      return { ...frame, epoch: event.epoch, step: event.step, last_epoch: event };
    case 'state':
      return { ...frame, status: event.status };
    case 'error': {
      const { type: _type, time: _time, ...error } = event;
      return { ...frame, error };
    }
    case 'end':
      return { ...frame, status: event.status, end: event };
    default:
      return frame;
  }
}

export type FrameListener = (frame: RunFrame) => void | Promise<void>;

/**
 * Follows a run in whatever process it lives, until it is no longer live or `signal` aborts. `deliver` has at most one frame undelivered:
 * while it is busy, only the newest is kept.
 */
export async function followFrames(run: string, deliver: FrameListener, signal: AbortSignal): Promise<void> {
  let frame = blank(run);
  let waiting: RunFrame | null = null;
  let delivering: Promise<void> | null = null;
  const pump = async () => {
    while (waiting && !signal.aborted) {
      const next: RunFrame = waiting;
      waiting = null;
      await deliver(next);
    }
    delivering = null;
  };
  const offer = (next: RunFrame) => {
    frame = next;
    waiting = next;
    // After the events that are there now: a reader that is far behind catches up in one frame.
    delivering ??= new Promise<void>((resolve) => setImmediate(resolve)).then(pump);
  };
  await followJournal(run, (event) => offer(advance(frame, event)), signal);
  if (signal.aborted) return;
  // A killed run has no end in its journal.
  const { status, summary } = await describeRun(run);
  offer({ ...frame, status, error: frame.error ?? summary?.error ?? null });
  await delivering;
}
