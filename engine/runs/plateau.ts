/** ReduceLROnPlateau, as torch.optim.lr_scheduler does it after each epoch. */
import type { Json } from '../contract/native.ts';
import type { ScheduleState } from './training-state.ts';

type Plateau = NonNullable<ScheduleState['plateau']>;

/** Looks at an epoch's value; answers whether a rate was reduced. A value that is no number is none that is better. */
export function stepPlateau(state: Plateau, args: Record<string, Json>, value: number): boolean {
  const { factor, patience, cooldown, min_lr, eps } = args as Record<string, number>;
  if (Number.isFinite(value) && isBetter(args, value, state.best)) {
    state.best = value;
    state.num_bad_epochs = 0;
  } else state.num_bad_epochs += 1;
  if (state.cooldown_counter > 0) {
    state.cooldown_counter -= 1;
    state.num_bad_epochs = 0; // bad epochs in a cooldown do not count
  }
  if (state.num_bad_epochs <= (patience as number)) return false;
  const before = state.rates;
  state.rates = before.map((rate) => {
    const reduced = Math.max(rate * (factor as number), min_lr as number);
    return rate - reduced > (eps as number) ? reduced : rate;
  });
  state.cooldown_counter = cooldown as number;
  state.num_bad_epochs = 0;
  return state.rates.some((rate, group) => rate !== before[group]);
}

function isBetter({ mode, threshold, threshold_mode }: Record<string, Json>, value: number, best: number | null) {
  const [less, by] = [mode === 'min', threshold as number];
  const from = best ?? (less ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY);
  if (threshold_mode === 'rel') return less ? value < from * (1 - by) : value > from * (1 + by);
  return less ? value < from - by : value > from + by;
}
