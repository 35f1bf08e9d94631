/** Begins a run: everything is checked before anything is created, and a run that cannot take its first step leaves nothing behind. */
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import { loadAddon } from '../native/load.ts';
import { Checkpoints } from './checkpoints.ts';
import type { RunControl } from './control.ts';
import { keepData } from './data-kept.ts';
import { replaceFile } from './durable.ts';
import { describeEnvironment, writeEnvironment } from './environment.ts';
import { createRun, type NewRun, projectName } from './folder.ts';
import { finish, newSummary, type Opening, trainHeld, whileHeld } from './hold.ts';
import { openSession } from './open.ts';
import {
  adviceOnData,
  chooseHardware,
  type Hardware,
  nativePlan,
  type PlannedRun,
  planRun,
  prepareData,
  readRequested,
  refuseUnknownSettings,
} from './prepare.ts';
import { packingProgress, RunRecord } from './record.ts';
import { nextRunFolder } from './registry.ts';
import { checkWeights, withStartingWeights } from './starting-weights.ts';
import { newTraining, type TrainingHooks } from './trainer.ts';
import { batchesPerEpoch, initialState } from './training-state.ts';
import type { EndEvent, EventSink, TrainRequest } from './types.ts';

/**
 * Trains a project into a new run folder. Throws when nothing could be begun (PROJECT_*, DATA_*, DEVICE_*, RUN_EXISTS…): the disk is then as
 * it was. What goes wrong after the `start` event arrives as an `error` event and an end of status `failed`, and the run can be resumed.
 */
export async function trainRun(
  request: TrainRequest,
  sink: EventSink,
  control: RunControl,
  hooks: TrainingHooks = {},
): Promise<EndEvent> {
  const requested = await withStartingWeights(readRequested(request), request);
  const planned = await planRun(requested);
  refuseUnknownSettings(request.set, planned.warnings);
  if (requested.from) await checkWeights(planned.plan, requested.from);
  const addon = loadAddon();
  const hardware = chooseHardware(planned.plan, addon, request.threads);
  if (control.leaving) throw new GradloomError('CANCELLED', 'The run was cancelled before it began');
  const place = await newPlace(request.run, planned.plan.project.name, addon);
  return whileHeld(place, control, async () => {
    replaceFile(path.join(place.folder, projectName), planned.text);
    const record = new RunRecord(place.folder, newSummary(planned.plan, hardware), sink);
    try {
      record.update({});
      const opening = await open(place.folder, planned, hardware, addon, record, control);
      return await trainHeld({ ...opening, training: { ...opening.training, ...hooks } });
    } catch (thrown) {
      // Left while it was prepared: nothing is trained, and resuming starts from the initial state.
      if (control.leaving && GradloomError.from(thrown).code === 'CANCELLED')
        return finish(record, control.leftAs, null, control.reason);
      record.journal.close();
      throw thrown;
    }
  });
}

/** A name chosen by us may be taken by another process at the same moment: then the next one. */
async function newPlace(given: string | undefined, project: string, addon: Addon): Promise<NewRun> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return createRun(given ?? (await nextRunFolder(project)), addon);
    } catch (thrown) {
      const { code } = GradloomError.from(thrown);
      if (given !== undefined || attempt === 20 || !['RUN_EXISTS', 'RUN_LOCKED'].includes(code)) throw thrown;
    }
  }
}

async function open(
  folder: string,
  { plan, text, warnings }: PlannedRun,
  hardware: Hardware,
  addon: Addon,
  record: RunRecord,
  control: RunControl,
): Promise<Opening> {
  const data = await prepareData(plan, addon, folder, { signal: control.signal, onProgress: packingProgress(record) });
  const environment = describeEnvironment({ plan, text }, data, hardware, addon);
  writeEnvironment(folder, environment);
  keepData(folder, data);
  const native = nativePlan(plan, data, environment);
  if (batchesPerEpoch(native) === 0) {
    throw new GradloomError('PROJECT_INVALID', 'There is not one full batch of training samples', {
      hint: 'Make data.loader.batch_size smaller, or set data.loader.drop_last to false.',
      path: 'data.loader.batch_size',
    });
  }
  const { session, advice, fromFile } = await openSession(addon, plan, native, folder, null);
  const { checkpoint } = plan.project.training;
  return {
    training: newTraining({
      session,
      plan: native,
      planned: plan,
      checkpoints: new Checkpoints(folder, checkpoint.keep, checkpoint.top_k),
      record,
      control,
      state: initialState(native, data),
      pending: [],
    }),
    plan,
    environment,
    advice: [
      ...warnings.map(({ code, message, hint }) => ({ code, message, hint })),
      ...adviceOnData(data),
      ...hardware.advice,
      ...advice,
    ],
    saveFirst: fromFile ? { initial: true } : null,
  };
}
