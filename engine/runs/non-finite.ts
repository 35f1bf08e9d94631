/** Says where a step stopped being finite. */
import { GradloomError } from '../contract/errors.ts';
import type { Diagnosis, NativePlan, NativeSession } from '../contract/native.ts';
import type { TrainingState } from './checkpoints.ts';

/** The step after `state`, which the session has taken back: its batches are run once more, one by one, without updating anything. */
export async function nonFiniteError(
  session: NativeSession,
  plan: NativePlan,
  state: TrainingState,
  batches: number,
): Promise<GradloomError> {
  const where = `in step ${state.step + 1} (epoch ${state.epoch}`;
  const end = Math.min(batches, state.batch + plan.accumulate);
  for (let batch = state.batch; batch < end; batch += 1) {
    const found = await session.diagnose({ epoch: state.epoch - 1, batch });
    if (found.phase === 'none') continue;
    return new GradloomError(
      'NON_FINITE',
      `${describe(found)} ${where}, batch ${batch + 1} of ${batches}); the state before that step is saved`,
      { hint: hintFor(found), ...(found.layer === null ? {} : { path: found.layer }) },
    );
  }
  return new GradloomError(
    'NON_FINITE',
    `The gradient became NaN or infinite ${where}, from batch ${state.batch + 1} of ${batches}); the state before that step is saved`,
    { hint: 'Train with a smaller learning rate, or set training.clip_grad_norm.' },
  );
}

function describe({ phase, layer, kind }: Diagnosis): string {
  const name = layer === null ? 'the network' : `layer ${layer}${kind === null ? '' : ` (${kind})`}`;
  switch (phase) {
    case 'input':
      return 'The data holds NaN or infinite values';
    case 'parameters':
      return `The parameters of ${name} are NaN or infinite since an earlier update, which showed`;
    case 'update':
      return `The update of ${name} became NaN or infinite`;
    case 'loss':
      return 'The loss became NaN or infinite';
    case 'backward':
      return `The gradient of ${name} became NaN or infinite`;
    default:
      return `The output of ${name} became NaN or infinite`;
  }
}

function hintFor({ phase }: Diagnosis): string {
  return phase === 'input'
    ? 'Look for missing or broken samples in the data, and at the transforms.'
    : 'Train with a smaller learning rate, or set training.clip_grad_norm; a normalisation layer may help too.';
}
