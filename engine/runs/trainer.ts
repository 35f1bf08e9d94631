/** The training loop. */
import { GradloomError } from '../contract/errors.ts';
import type { RunControl } from './control.ts';
import type { EndEvent, EventSink, ResumeRequest, TrainRequest } from './types.ts';

/**
 * Trains a project into a new run folder. Throws when nothing could be begun (PROJECT_*, DATA_*, DEVICE_*, RUN_EXISTS, …; the folder is
 * left as it was). What goes wrong later arrives as an `error` event and an end of status `failed`.
 */
export async function trainRun(_request: TrainRequest, _sink: EventSink, _control: RunControl): Promise<EndEvent> {
  throw new GradloomError('INTERNAL', 'trainRun is being written');
}

/** Goes on with a run from its last good checkpoint; with nothing left to do answers its end at once. */
export async function resumeRun(_request: ResumeRequest, _sink: EventSink, _control: RunControl): Promise<EndEvent> {
  throw new GradloomError('INTERNAL', 'resumeRun is being written');
}
