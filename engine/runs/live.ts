/** A live run's control endpoint. */
import { GradloomError } from '../contract/errors.ts';
import type { RunAction, RunState } from '../contract/events.ts';

/** Asks a live run; answers with its state once the action has taken effect. @throws GradloomError RUN_NOT_FOUND, RUN_NOT_LIVE */
export async function sendAction(_run: string, _action: RunAction): Promise<RunState> {
  throw new GradloomError('INTERNAL', 'sendAction is being written');
}
