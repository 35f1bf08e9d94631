/** A step that is not finite ends the run: what happened is looked into, the last good state kept, and all of it written down and told. */
import path from 'node:path';
import type { Autopsy } from '../contract/autopsy.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Diagnosis, GroupSchedule, NativePlan, NativeSplit } from '../contract/native.ts';
import type { Plan, PlannedLayer } from '../contract/plan.ts';
import { plural } from '../format.ts';
import { loadAddon } from '../native/load.ts';
import { autopsyName } from './autopsy.ts';
import { allTargetsIn, notFinite, rowsAt, samplesOfBatch } from './batch-samples.ts';
import { replaceJson } from './durable.ts';
import type { Advice } from './hold.ts';
import { recentSteps } from './recent-steps.ts';
import { type Finding, remediesFor } from './remedies.ts';
import { readTensors } from './tensor-bytes.ts';
import type { Training } from './trainer.ts';
import type { TrainingState } from './training-state.ts';

const batchName = 'autopsy.safetensors';
const modelName = 'model.safetensors';

const nothingFound: Diagnosis = { phase: 'none', layer: null, kind: null, tensor: null, batch: null, values: null };

/** The step after the state, which the session has taken back: it is done once more and taken back again. `groups`: its values. */
export async function examineStep(training: Training, batches: number, groups: GroupSchedule[]): Promise<Finding> {
  const { plan, planned, session, state } = training;
  const place = { epoch: state.epoch - 1, batch: state.batch };
  const asked = { ...place, batches: Math.min(plan.accumulate, batches - state.batch) };
  // Trying the update too takes as much memory again as weights and optimizer; where there is none left, less is said.
  const found = await session
    .diagnose({ ...asked, groups })
    .catch(() => session.diagnose(asked))
    .catch(() => nothingFound);
  const batch = found.batch ?? state.batch;
  const samples = samplesOfBatch(plan, loadAddon(), place.epoch, batch);
  const part = (plan.data.splits.train as NativeSplit).part;
  return {
    ...(await circumstances(training, batches)),
    phase: found.phase,
    layer: found.layer,
    kind: found.kind,
    ...namesOf(planned, found.layer),
    tensor: found.tensor,
    values: found.values,
    batch: batch + 1,
    part,
    samples,
    faulty: faultyOf(plan, part, samples),
    lr: groups[0]?.lr[0] ?? null,
    allIgnored: found.phase === 'loss' && allTargetsIn(column(plan, part, 'target'), samples, uncounted(plan.loss)),
  };
}

/** The classes that the loss's mean over classes does not count: the ignored one, and those of weight 0. */
function uncounted({ args }: NativePlan['loss']): Set<number> {
  const { ignore_index, weight } = args;
  if (typeof ignore_index !== 'number') return new Set();
  const weights = Array.isArray(weight) ? weight : [];
  return new Set([ignore_index, ...weights.flatMap((value, index) => (value === 0 ? [index] : []))]);
}

/** An epoch that ended with a validation loss that is not finite. */
export async function examineEvaluation(training: Training, batches: number): Promise<Finding> {
  const { plan, planned, session, state } = training;
  const found = await session.diagnose({ epoch: state.epoch - 1, batch: 0 }).catch(() => nothingFound);
  const spoilt = found.phase === 'parameters';
  const split = plan.data.splits.val as NativeSplit;
  const positions = spoilt ? [] : Array.from({ length: split.count }, (_, i) => i);
  const faulty = faultyOf(plan, split.part, rowsAt(split, positions));
  return {
    ...(await circumstances(training, batches)),
    phase: spoilt ? 'parameters' : 'evaluation',
    layer: spoilt ? found.layer : null,
    kind: spoilt ? found.kind : null,
    ...namesOf(planned, spoilt ? found.layer : null),
    tensor: spoilt ? found.tensor : null,
    values: spoilt ? found.values : null,
    step: state.step,
    batch: null,
    part: split.part,
    samples: [],
    faulty,
    lr: null,
    allIgnored: false,
  };
}

/**
 * Weights and data are finite, and the epoch before was: statistics of the first batches, or half precision, may have done it, and pass. A
 * second time in a row the run stops, for it would never have a best again.
 */
export function mayPass({ phase, faulty }: Finding, { last }: Pick<TrainingState, 'last'>): boolean {
  return phase === 'evaluation' && faulty.length === 0 && typeof (last.val_loss ?? 0) === 'number';
}

export function onPassing({ epoch }: Finding): Advice {
  return {
    code: 'VALIDATION_NON_FINITE',
    message: `The validation loss after epoch ${epoch} is NaN or infinite, although weights and data are finite`,
    hint: 'If the next one is too, the run stops. A smaller learning rate or a wider precision usually helps.',
  };
}

async function circumstances({ plan, record, state }: Training, batches: number) {
  return {
    step: state.step + 1,
    epoch: state.epoch,
    batches,
    precision: plan.precision,
    recent: await recentSteps(record.folder, state.step),
    batch_file: null,
    checkpoint: null,
  };
}

/** Keeps the last good state and writes `autopsy.json`; answers the error that ends the run. `save` saves the state as it stands. */
export async function failNonFinite(
  training: Training,
  found: Finding,
  save: () => Promise<void>,
): Promise<GradloomError> {
  const { checkpoints, planned, record, state } = training;
  let unsaved: GradloomError | null = null;
  if (found.phase === 'parameters') checkpoints.setAsideUntil(isFiniteModel);
  // Everything stands as before the step. A disk that is full now must not hide what happened.
  else unsaved = await save().then(() => null, diskError);
  const last = checkpoints.last;
  const told: Finding = { ...found, checkpoint: last ? { folder: last.folder, step: last.step } : null };
  if (told.batch !== null && (await batchSaved(training, told.batch - 1))) told.batch_file = batchName;
  const { allIgnored: _, ...facts } = told;
  const remedies = remediesFor(told, planned);
  const message = `${describe(told)} ${where(told)}; ${unsaved ? `the state before that step could not be saved (${unsaved.message})` : kept(told, state.step)}`;
  const autopsy: Autopsy = { version: 1, time: new Date().toISOString(), message, ...facts, remedies };
  try {
    replaceJson(path.join(record.folder, autopsyName), autopsy);
  } catch {
    // a full disk: the error says the most important
  }
  const place = told.place ?? told.layer;
  return new GradloomError('NON_FINITE', message, {
    hint: hintFrom(remedies),
    ...(place === null ? {} : { path: place }),
  });
}

/** @throws whatever else it is */
function diskError(thrown: unknown): GradloomError {
  const error = GradloomError.from(thrown);
  if (error.code === 'DISK_FULL' || error.code === 'NOT_WRITABLE') return error;
  throw error;
}

async function batchSaved({ record, session, state }: Training, batch: number): Promise<boolean> {
  try {
    await session.saveBatch({ epoch: state.epoch - 1, batch }, path.join(record.folder, batchName));
    return true;
  } catch {
    return false; // a full disk
  }
}

function column(plan: NativePlan, part: string, role: 'input' | 'target') {
  return (plan.data.parts[part] as NativePlan['data']['parts'][string])[role];
}

function faultyOf(plan: NativePlan, part: string, samples: readonly number[]): Finding['faulty'] {
  return (['input', 'target'] as const).flatMap((role) =>
    notFinite(column(plan, part, role), samples).map((sample) => ({ sample, column: role })),
  );
}

function namesOf(plan: Plan, layer: string | null): { name: string | null; place: string | null } {
  const found = layer === null ? undefined : findPlanned(plan.layers, layer);
  return { name: found?.name ?? null, place: found?.place ?? null };
}

function findPlanned(layers: readonly PlannedLayer[], wanted: string): PlannedLayer | undefined {
  for (const layer of layers) {
    if (layer.path === wanted) return layer;
    const inside = findPlanned(layer.children?.flatMap((child) => child.layers) ?? [], wanted);
    if (inside) return inside;
  }
  return undefined;
}

/** Of a checkpoint's folder. What cannot be read is left to whoever reads it. */
function isFiniteModel(folder: string): boolean {
  let finite = true;
  try {
    readTensors(path.join(folder, modelName), ({ dtype }, piece) => {
      if (dtype !== 'F32') return;
      const values = new Float32Array(piece.buffer, piece.byteOffset, piece.byteLength / 4);
      finite &&= values.every((value) => Number.isFinite(value));
    });
    return finite;
  } catch {
    return true;
  }
}

function describe({ phase, layer, kind, name, tensor, faulty, part }: Finding): string {
  const inside = [kind, ...(name === null ? [] : [`"${name}"`])].filter((word) => word !== null).join(', ');
  const which = layer === null ? 'the network' : `layer ${layer}${inside === '' ? '' : ` (${inside})`}`;
  const [first] = faulty;
  switch (phase) {
    case 'input':
      return first === undefined
        ? 'The batch holds NaN or infinite values after the transforms'
        : `The data holds NaN or infinite values (${first.column} of sample ${first.sample} of the ${part} part)`;
    case 'parameters':
      return `The parameters of ${which} are NaN or infinite since an earlier update, which showed`;
    case 'update':
      return `The update of ${tensor ?? which} became NaN or infinite`;
    case 'loss':
      return 'The loss became NaN or infinite';
    case 'backward':
      return layer === null
        ? 'The gradient of the loss became NaN or infinite'
        : `The gradient of ${which} became NaN or infinite`;
    case 'forward':
      return `The output of ${which} became NaN or infinite`;
    case 'evaluation':
      return first === undefined
        ? 'The validation loss became NaN or infinite'
        : `The validation loss is NaN or infinite, because the data is (${first.column} of sample ${first.sample} of the ${part} part)`;
    default:
      return 'The gradient became NaN or infinite';
  }
}

function where({ step, epoch, batch, batches }: Finding): string {
  return batch === null ? `after epoch ${epoch}` : `in step ${step} (epoch ${epoch}, batch ${batch} of ${batches})`;
}

function kept({ phase, checkpoint }: Finding, step: number): string {
  if (phase !== 'parameters') return `the state ${phase === 'evaluation' ? 'then' : 'before that step'} is saved`;
  if (checkpoint === null) return 'no state was saved before that';
  return `the last good state is that of step ${checkpoint.step}${checkpoint.step < step ? `, ${plural(step - checkpoint.step, 'step')} before` : ''}`;
}

function hintFrom(remedies: readonly { label: string }[]): string {
  const [first, second] = remedies.map(({ label }) => label);
  if (first === undefined) return "The run's autopsy tells more.";
  const or = second === undefined ? '' : `, or: ${second.charAt(0).toLowerCase()}${second.slice(1)}`;
  return `${first}${or}. The run's autopsy tells more.`;
}
