/** Whether averaged weights can follow a run of this length: an average that remembers longer than the run is of its first weights. */
import { plural } from './format.ts';
import type { SplitCounts } from './plan-types.ts';
import type { ResolvedProject } from './project-types.ts';
import { type Report, removeEdit, setEdit } from './report.ts';
import { stepsPerEpoch } from './schedule-plan.ts';

/** As many times should the average have been renewed when the run ends; a fitting decay renews it twice as often. */
const renewals = 4;

export function checkAveraging(project: ResolvedProject, counts: SplitCounts, report: Report): void {
  const { ema, epochs, accumulate } = project.training;
  const steps = epochs * stepsPerEpoch(counts.train, project.data.loader, accumulate);
  // (The rounding of 1 − decay is none of a person's.)
  if (!ema || steps < 1 || (1 - ema.decay) * steps >= renewals - 1e-9) return;
  const place = ['training', 'ema', 'decay'];
  // What was given is wrong in itself, and was told.
  if (report.problems.some(({ path }) => path.startsWith('training.ema'))) return;
  const fitting = Number((1 - Number(((2 * renewals) / steps).toPrecision(1))).toFixed(9));
  report.warn(
    'BAD_VALUE',
    place,
    `A decay of ${ema.decay} averages over ${reach(ema.decay)}, but this run has ${plural(steps, 'step')}: validation is of the averaged weights, which ${ema.decay ** steps > 0.5 ? 'still hold mostly the first weights' : 'lag far behind'}`,
    'Use a smaller decay, more epochs, or train without averaging.',
    [
      ...(fitting >= 0.5 ? [{ label: `Set the decay to ${fitting}`, edits: [setEdit(place, fitting)] }] : []),
      { label: 'Train without averaging', edits: [removeEdit(place.slice(0, -1))] },
    ],
  );
}

function reach(decay: number): string {
  return decay < 1 ? `about ${plural(Math.round(1 / (1 - decay)), 'step')}` : 'all steps and never takes up a new one';
}
