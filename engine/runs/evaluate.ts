/** Measures a checkpoint on a split, and predicts sample by sample. */
import { GradloomError } from '../contract/errors.ts';
import type { EvaluateOptions, Evaluation, Prediction, PredictOptions } from './types.ts';

/** @throws GradloomError RUN_NOT_FOUND, CHECKPOINT_MISSING, CHECKPOINT_DAMAGED, BAD_CALL, DEVICE_*, DATA_* */
export async function evaluateRun(_run: string, _options: EvaluateOptions = {}): Promise<Evaluation> {
  throw new GradloomError('INTERNAL', 'evaluateRun is being written');
}

/** Calls `onRow` for each sample, in order. */
export async function predictRun(
  _run: string,
  _options: PredictOptions,
  _onRow: (row: Prediction) => void,
): Promise<void> {
  throw new GradloomError('INTERNAL', 'predictRun is being written');
}
