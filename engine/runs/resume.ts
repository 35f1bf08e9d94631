/** Goes on with a run from its newest whole checkpoint, as if it had never ended. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GradloomError } from '../contract/errors.ts';
import type { RunEvent } from '../contract/events.ts';
import type { NativePlan } from '../contract/native.ts';
import type { Edit } from '../contract/problems.ts';
import { editProject, type ResolvedProject, readProject, resolveProject } from '../contract/project.ts';
import { rateOf, startingOptimizer } from '../contract/schedule-plan.ts';
import { plural } from '../format.ts';
import { loadAddon } from '../native/load.ts';
import { Checkpoints, type LoadedCheckpoint } from './checkpoints.ts';
import type { RunControl } from './control.ts';
import { keepData } from './data-kept.ts';
import { replaceFile } from './durable.ts';
import { describeEnvironment, type Environment, readEnvironment, writeEnvironment } from './environment.ts';
import { findRun, isTemporary, lockRun, projectName } from './folder.ts';
import { type GivenUp, givenUp } from './given-up.ts';
import { type GoingOn, goingOn, isFinished, takeUpAgain } from './going-on.ts';
import { type Advice, endOf, finish, newSummary, trainHeld, whileHeld } from './hold.ts';
import { readJournal } from './journal-reader.ts';
import { LiveSchedule } from './live-schedule.ts';
import { openSession } from './open.ts';
import {
  adviceOnData,
  describedFor,
  hardwareAgain,
  nativePlan,
  type PreparedData,
  planRun,
  prepareData,
  refuseUnknownSettings,
  set,
} from './prepare.ts';
import { packingProgress, RunRecord } from './record.ts';
import { ProjectChanges, readRunProject } from './run-project.ts';
import { type RunSummary, readSummary } from './summary.ts';
import { newTraining, type TrainingHooks } from './trainer.ts';
import { initialState, loaderState, type TrainingState } from './training-state.ts';
import type { EndEvent, EventSink, ResumeRequest } from './types.ts';

/**
 * Resumes an interrupted, failed, parked or stopped run, or extends a completed one (`epochs` is the new total). With nothing left to do it
 * answers the end at once. Throws, with the run as it was, when it cannot go on: RUN_NOT_FOUND, RUN_LOCKED, DATA_CHANGED, DATA_*, DEVICE_*…
 */
export async function resumeRun(
  request: ResumeRequest,
  sink: EventSink,
  control: RunControl,
  hooks: TrainingHooks = {},
): Promise<EndEvent> {
  const folder = await findRun(request.run);
  const addon = loadAddon();
  const lock = lockRun(folder, addon);
  return whileHeld({ folder, lock }, control, async () => {
    removeTemporaryFiles(folder);
    const written = readRunProject(folder);
    const text = editProject(written, [
      ...(request.epochs === undefined ? [] : [set('training.epochs', request.epochs)]),
      ...(request.edits ?? []),
    ]);
    const resolved = resolveProject(readProject(text).project ?? {});
    const { checkpoint, early_stopping, epochs } = resolved.training;
    const checkpoints = new Checkpoints(folder, checkpoint.keep, checkpoint.top_k);
    checkpoints.removeLeftovers();
    const before = await readEnvironment(folder);
    const projectBefore = before?.project ? resolveProject(before.project) : null;
    const passed = givenUp(folder, projectBefore, resolved);
    const { found, damaged } = await checkpoints.newestWhole(passed?.folder);
    const onward = await goingOn(folder, found?.state ?? null, {
      asked: request.epochs,
      now: epochs,
      before: projectBefore?.training.epochs ?? null,
    });
    // Who has edited what stops it early wants it to go on.
    const stopsEarly = isDeepStrictEqual(early_stopping, projectBefore?.training.early_stopping ?? early_stopping);
    if (found && isFinished(found.state, onward, stopsEarly)) {
      refuseForNothing(folder, request.edits ?? []);
      return nothingLeft(folder, found, sink);
    }
    if (found) takeUpAgain(found.state, early_stopping?.monitor ?? null);
    if (found && !checkpoints.hasBest) found.state.best = null; // its weights are lost: the next good epoch is the best there is

    const given = { text, baseDir: folder, label: path.basename(folder) };
    const planned = await planRun(given, before ? describedFor(folder) : undefined);
    refuseUnknownSettings(
      request.edits?.map((edit) => [edit.path.join('.'), edit.value]),
      planned.warnings,
    );
    const lost = found || damaged.length > 0 || passed ? null : lostWork(await readJournal(folder));
    const hardware = hardwareAgain(planned.plan, before, request.device, addon);
    const summary = cleared(readSummary(folder) ?? newSummary(planned.plan, hardware));
    const record = new RunRecord(folder, summary, sink);
    try {
      const data = await prepareData(planned.plan, addon, folder, {
        signal: control.signal,
        onProgress: packingProgress(record),
        // One that ended before its data were there takes the marks that there are.
        run: before ? folder : undefined,
        fitted: before?.fitted,
      });
      checkData(found?.state ?? before, data, folder);
      const edited =
        before?.project &&
        new ProjectChanges(before.project, planned.plan, data.facts, {
          epochs: request.epochs !== undefined,
          edits: request.edits ?? [],
        });
      if (found) edited?.refuse(found.state, folder);
      // A best of another quantity is no measure of this one.
      if (found && found.state.best?.monitor !== checkpoint.monitor) {
        found.state.best = null;
        checkpoints.forgetRanks();
      }
      const newRates = edited?.ofRates() ?? false;
      const environment = describeEnvironment(planned, data, hardware, addon);
      const native = nativePlan(planned.plan, data, environment);
      const rateBefore =
        newRates && projectBefore
          ? plannedRate(projectBefore.training, native, found?.state ?? initialState(native, data))
          : undefined;
      if (newRates) forgetChangedRates(onward, found?.state);
      const { session, advice, fromFile } = await openSession(addon, planned.plan, native, folder, found);
      if (passed) checkpoints.setAsideUntil((other) => path.basename(other) !== passed.folder);
      writeEnvironment(folder, environment);
      // A run of an older version has not kept them, nor has one that was killed in between.
      keepData(folder, data);
      replaceFile(path.join(folder, projectName), planned.text);
      const note = noteOn(found, damaged, lost, passed);
      const state = found?.state ?? initialState(native, data);
      state.loader = loaderState(native);
      const { pending } = onward;
      const training = newTraining({
        session,
        plan: native,
        planned: planned.plan,
        checkpoints,
        record,
        control,
        state,
        pending,
      });
      return await trainHeld({
        training: { ...training, ...hooks },
        plan: planned.plan,
        environment,
        advice: [
          ...adviceOnData(data),
          ...damaged.map(({ code, message }) => ({ code, message })),
          ...(lost === null ? [] : [{ code: 'CHECKPOINT_MISSING', ...lost }]),
          ...changes(before, environment),
          ...(edited ? edited.advice() : []),
          ...advice,
        ],
        saveFirst: fromFile ? { initial: true } : newRates ? {} : null,
        resumed: {
          fromStep: state.step,
          ...(note === undefined ? {} : { note }),
          ...(onward.asked === undefined ? {} : { epochs: onward.asked }),
          ...(rateBefore === undefined ? {} : { rateBefore }),
        },
      });
    } catch (thrown) {
      if (control.leaving && GradloomError.from(thrown).code === 'CANCELLED') {
        return finish(record, control.leftAs, found?.state ?? null, control.reason);
      }
      record.journal.close();
      throw thrown;
    }
  });
}

/** What processes that died left half written. */
function removeTemporaryFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (isTemporary(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/** Complete already; a run killed between its last checkpoint and its end is told so now. */
function nothingLeft(folder: string, { state }: LoadedCheckpoint, sink: EventSink): EndEvent {
  const summary = readSummary(folder);
  if (summary && summary.status !== 'completed')
    return finish(new RunRecord(folder, cleared(summary), sink), 'completed', state);
  const end = { ...endOf(folder, 'completed', state), time: new Date().toISOString() };
  sink(end);
  return end;
}

/** @throws GradloomError BAD_CALL: settings for a training that has nothing left to do would be lost without a word */
function refuseForNothing(folder: string, edits: readonly Edit[]): void {
  if (edits.length === 0) return;
  const names = edits.map((edit) => edit.path.join('.')).join(', ');
  throw new GradloomError('BAD_CALL', `${path.basename(folder)} has nothing left to train, so ${names} has no effect`, {
    hint: 'Give it a later last epoch as well, or train the changed project as a new run.',
    path: folder,
  });
}

/** The learning rate of the next step as it would have been with the settings of before. */
function plannedRate(training: ResolvedProject['training'], native: NativePlan, state: TrainingState): number {
  const { schedule, epochs } = training;
  const optimizer = startingOptimizer(training.optimizer, schedule);
  const groups = native.groups.map((group, i) => (i === 0 ? { ...group, lr: rateOf(optimizer) } : group));
  return new LiveSchedule({ ...native, optimizer, groups }, schedule, epochs, structuredClone(state)).nextRate;
}

/** Rates that somebody has edited in the run's project take the place of what was changed while it ran. */
function forgetChangedRates(onward: GoingOn, state: TrainingState | undefined): void {
  onward.pending = onward.pending.flatMap(({ lr: _, ...change }) => (change.epochs === undefined ? [] : [change]));
  if (state?.schedule) Object.assign(state.schedule, { lr: null, plateau: null });
}

/** Without what was wrong the last time. */
function cleared({ error: _error, reason: _reason, ...summary }: RunSummary): RunSummary {
  return summary;
}

function checkData(before: { data_hash: string; split_hash: string } | null, now: PreparedData, folder: string): void {
  if (!before || (before.data_hash === now.data_hash && before.split_hash === now.split_hash)) return;
  const what = before.data_hash === now.data_hash ? 'split' : 'data';
  throw new GradloomError(
    'DATA_CHANGED',
    `The ${what} of ${path.basename(folder)} is not what the run was begun with`,
    {
      hint: 'Bring the old data back to go on with this run, or train a new one.',
      path: 'data.source',
    },
  );
}

function changes(before: Environment | null, now: Environment): Advice[] {
  if (!before) return [];
  const changed = [
    ...(before.device === now.device ? [] : [`the device was ${before.device} and is ${now.device}`]),
    ...(before.precision === now.precision ? [] : [`the precision was ${before.precision} and is ${now.precision}`]),
    ...(before.versions.libtorch === now.versions.libtorch
      ? []
      : [`libtorch was ${before.versions.libtorch} and is ${now.versions.libtorch}`]),
    ...(before.cpu === now.cpu ? [] : [`the processor had ${before.cpu} and has ${now.cpu}`]),
  ];
  if (changed.length === 0) return [];
  return [{ code: 'ENVIRONMENT_CHANGED', message: `${changed.join('; ')}: numbers may differ in their last digits` }];
}

/** What is trained once more although it was trained before: epochs whose checkpoint is not there. */
function lostWork(events: RunEvent[]): { message: string; hint: string } | null {
  const epochs = events.findLast((event) => event.type === 'epoch')?.epoch ?? 0;
  const saved = events.findLast((event) => event.type === 'checkpoint');
  if (!saved && epochs === 0) return null;
  const done = epochs === 0 ? `after step ${saved?.step}` : `after ${plural(epochs, 'epoch')}`;
  if (!saved) {
    const message = `No checkpoint was saved ${done}`;
    return { message, hint: 'A smaller training.checkpoint.every_epochs loses less.' };
  }
  return {
    message: `The checkpoints are gone that this run had saved ${done}`,
    hint: `To go on from there instead, stop this, bring ${path.join('checkpoints', saved.folder.split(/[\\/]/).at(-1) ?? '')} back, and resume.`,
  };
}

function noteOn(
  found: LoadedCheckpoint | null,
  damaged: GradloomError[],
  lost: { message: string } | null,
  passed: GivenUp | null,
): string | undefined {
  const from = found ? `the checkpoint of step ${found.state.step}` : 'the initial state';
  if (passed) return `From step ${passed.step} it would not be finite again with any settings. Went back to ${from}`;
  if (damaged.length > 0) return `${damaged.map(({ message }) => message).join('; ')}. Went back to ${from}`;
  return found ? undefined : `${lost?.message ?? 'No checkpoint was saved'}: started from the initial state`;
}
