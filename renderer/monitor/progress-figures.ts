/** Figures of a run's progress, worked out of what the engine tells. Pure. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { ResolvedEarlyStopping } from '../../engine/contract/project-types.ts';
import { figureOf, partOf, quantity } from '../run-parts/quantities.ts';
import type { RunHead } from '../state/live.ts';

type Epochs = RunHead['epochs'];
type Place = Pick<RunHead, 'epoch' | 'step' | 'steps_per_epoch' | 'total_epochs' | 'epochs'>;

/** The step within the present epoch; null while unknown. */
export function stepWithinEpoch({ epoch, step, steps_per_epoch: steps, epochs }: Place): number | null {
  if (steps === null || epoch === 0) return null;
  const before = epochs.findLast((row) => (figureOf(row.epoch) ?? 0) < epoch);
  return Math.min(steps, Math.max(0, step - (figureOf(before?.step) ?? (epoch - 1) * steps)));
}

/** From 0 to 1; null while unknown. */
export function shareDone(place: Place): number | null {
  const { epoch, steps_per_epoch: steps, total_epochs: total } = place;
  if (total === null || steps === null || total === 0 || steps === 0) return null;
  const within = stepWithinEpoch(place);
  return within === null ? 0 : Math.min(1, (epoch - 1 + within / steps) / total);
}

export interface Best {
  monitor: string;
  value: number;
  epoch: number;
}

/** The best value of what the run watches. The epochs are ahead of the list's summary. */
export function bestSoFar({ summary }: RunRow, epochs: Epochs): Best | null {
  const told = summary?.best ?? null;
  const monitor = told?.monitor ?? defaultMonitor(epochs);
  if (monitor === null) return null;
  const { better } = quantity(partOf(monitor).key);
  let best: Best | null = told && epochs.length === 0 ? told : null;
  for (const row of epochs) {
    const value = figureOf(row[monitor]);
    const epoch = figureOf(row.epoch);
    if (value === null || epoch === null || !Number.isFinite(value)) continue;
    if (best === null || (better === 'higher' ? value > best.value : value < best.value))
      best = { monitor, value, epoch };
  }
  return best ?? told;
}

/** Epochs in a row without a better value, as early stopping counts them: a gain of `min_delta` or less is none. */
export function epochsWithoutGain(
  epochs: Epochs,
  { monitor, mode, min_delta }: Pick<ResolvedEarlyStopping, 'monitor' | 'mode' | 'min_delta'>,
): number {
  let best: number | null = null;
  let waited = 0;
  for (const row of epochs) {
    const value = figureOf(row[monitor]) ?? Number.NaN;
    const better =
      Number.isFinite(value) &&
      (best === null || (mode === 'min' ? value < best - min_delta : value > best + min_delta));
    if (better) best = value;
    waited = better ? 0 : waited + 1;
  }
  return waited;
}

function defaultMonitor(epochs: Epochs): string | null {
  return ['val_loss', 'train_loss'].find((name) => figureOf(epochs[0]?.[name]) !== null) ?? null;
}
