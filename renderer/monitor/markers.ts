/** Places on the axis of charts where something was saved or taken up again. Pure. */
import type { RunNote } from '../../engine/contract/api.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { type AxisKind, placeOfStep } from '../run-parts/axes.ts';
import type { Ghost, Series } from '../state/live.ts';
import { type ChartMarker, integer } from '../ui/index.ts';

interface Happened {
  ghosts: readonly Pick<Ghost, 'from_step'>[];
  notes: readonly RunNote[];
  checkpoints: RunDetails['checkpoints'];
}

export interface RunMarker extends ChartMarker {
  /** Somebody changed the learning rate or the last epoch there. */
  change?: true;
}

export function markersOf({ ghosts, notes, checkpoints }: Happened, axis: AxisKind, series: Series): RunMarker[] {
  const last = series.step.at(-1) ?? 0;
  const at = (step: number) => (step > 0 && step <= last ? placeOfStep(step, axis, series) : null);
  const resumed = new Set([
    ...ghosts.map(({ from_step }) => from_step),
    ...notes.flatMap(({ kind, step }) => (kind === 'resume' && step !== undefined ? [step] : [])),
  ]);
  const marks: { step: number; label: string; tone: NonNullable<ChartMarker['tone']>; change?: true }[] = [
    ...notes.flatMap(({ kind, step, message }) =>
      kind === 'change' && step !== undefined
        ? [{ step, label: message, tone: 'warn' as const, change: true as const }]
        : [],
    ),
    ...[...resumed].map((step) => ({ step, label: `Resumed from step ${integer(step)}`, tone: 'warn' as const })),
    ...checkpoints.map(({ step, roles }) => ({
      step,
      label: `Checkpoint at step ${integer(step)}${roles.length > 0 ? ` (${roles.join(', ')})` : ''}`,
      tone: roles.includes('best') ? ('ok' as const) : ('calm' as const),
    })),
  ];
  return marks.flatMap(({ step, ...mark }) => {
    const x = at(step);
    return x === null ? [] : [{ x, ...mark }];
  });
}
