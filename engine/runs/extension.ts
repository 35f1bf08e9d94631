/** What a resume with another last epoch would make of the learning rate: computed before anything is started. */
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { planSchedule, RatePlan, rateOf, type ScheduledRun, startingOptimizer } from '../contract/schedule-plan.ts';
import type { ExtensionPlan } from '../contract/wire.ts';
import { Checkpoints } from './checkpoints.ts';
import { readEnvironment } from './environment.ts';
import { findRun } from './folder.ts';
import { goingOn } from './going-on.ts';
import { readRunProject } from './run-project.ts';
import { readSummary } from './summary.ts';
import { realSteps } from './training-state.ts';

/** @throws GradloomError RUN_NOT_FOUND, RUN_DAMAGED, BAD_CALL for a run that has never begun */
export async function planExtension(run: string, epochs: number): Promise<ExtensionPlan> {
  const folder = await findRun(run);
  const { training } = resolveProject(readProject(readRunProject(folder)).project ?? {});
  const { schedule } = training;
  const steps_per_epoch = readSummary(folder)?.steps_per_epoch ?? 0;
  if (steps_per_epoch === 0) {
    throw new GradloomError('BAD_CALL', `${path.basename(folder)} has never begun, so its length is not known`, {
      hint: 'Resume it without another last epoch first.',
      path: folder,
    });
  }
  const state = await new Checkpoints(folder, Number.POSITIVE_INFINITY).newestState();
  const project = (await readEnvironment(folder))?.project;
  const before = await goingOn(folder, state, {
    asked: undefined,
    now: training.epochs,
    before: project ? resolveProject(project).training.epochs : null,
  });
  const from = state ? { epoch: state.epoch - 1, step: realSteps(state) } : { epoch: 0, step: 0 };
  const planned = (last: number): ScheduledRun => ({
    schedule,
    optimizer: startingOptimizer(training.optimizer, schedule),
    groups: [{ lr: state?.schedule?.plateau?.rates[0] ?? rateOf(training.optimizer) }],
    length: { epochs: last, steps_per_epoch },
  });
  // What was set by hand goes on as a factor.
  const { lr } = state?.schedule ?? {};
  const set = (rate: number | undefined) => (rate === undefined ? 0 : lr ? (rate / lr.from) * lr.to : rate);
  const [old, drawn] = [new RatePlan(planned(before.epochs)), planSchedule(planned(Math.max(1, epochs)))];
  const end = before.epochs * steps_per_epoch;
  return {
    from_step: from.step,
    from_epoch: from.epoch,
    epochs_before: before.epochs,
    epochs,
    steps_per_epoch,
    unit: schedule?.unit ?? null,
    steps: drawn.steps,
    before: drawn.steps.map((step) =>
      step < end ? set(old.rates({ step, epoch: Math.floor(step / steps_per_epoch) })[0]) : null,
    ),
    after: (drawn.lr[0] ?? []).map(set),
    note: drawn.note,
  };
}
