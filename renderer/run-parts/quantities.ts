/** The quantities of a run's series and epochs: what they are called, how their values read, which direction is better. */
import type { RunRow } from '../../engine/contract/api.ts';
import { fromNum, type Num } from '../../engine/contract/events.ts';
import { metricLabel, metricOfKey } from '../../engine/contract/metrics.ts';
import { bytes, capital, number, percent, rate } from '../ui/format.ts';

export interface Quantity {
  /** Without `train_` and `val_`: `loss`, `accuracy`, `lr`. */
  key: string;
  label: string;
  /** Shares are kept as 0 to 1 and shown in per cent. */
  share: boolean;
  better: 'higher' | 'lower' | null;
  format(value: number): string;
}

/** (A map: a metric may be called like what every object has.) */
const plainWords = new Map([
  ['loss', 'Loss'],
  ['lr', 'Learning rate'],
  ['grad_norm', 'Gradient norm'],
  ['scale', 'Loss scale'],
  ['skipped', 'Skipped steps'],
  ['samples_per_second', 'Throughput'],
]);

export function quantity(key: string): Quantity {
  const row = metricOfKey(key);
  const share = row?.share ?? false;
  const words = key.replaceAll('_', ' ');
  return {
    key,
    label: plainWords.get(key) ?? metricLabel(key) ?? capital(words),
    share,
    better: key === 'loss' ? 'lower' : (row?.better ?? null),
    format: share
      ? (value) => percent(value)
      : key === 'loss'
        ? loss
        : key === 'samples_per_second'
          ? (value) => rate(value, 'samples')
          : key.startsWith('memory')
            ? bytes
            : (value) => number(value),
  };
}

/** As the terminal writes it, small ones by their digits. */
function loss(value: number): string {
  const size = Math.abs(value);
  return size >= 0.001 && size < 1e4 ? value.toFixed(4).replace('-', '−') : number(value);
}

/** The quantity that a value of the epoch belongs to, and of which part it is: `val_accuracy` is accuracy, validation. */
export function partOf(name: string): { key: string; part: 'train' | 'val' | null } {
  const part = /^(train|val)_(.+)$/.exec(name);
  return part ? { key: part[2] as string, part: part[1] as 'train' | 'val' } : { key: name, part: null };
}

/** `Validation accuracy`, `Training loss`. */
export function nameLabel(name: string): string {
  const { key, part } = partOf(name);
  const { label } = quantity(key);
  if (part === null) return label;
  return `${part === 'val' ? 'Validation' : 'Training'} ${label.toLowerCase()}`;
}

/** Metrics besides the loss, in order of appearance, that any of these names belong to. */
export function metricKeys(names: Iterable<string>): string[] {
  const keys = new Set<string>();
  for (const name of names) {
    const { key, part } = partOf(name);
    if (part !== null && key !== 'loss') keys.add(key);
  }
  return [...keys];
}

/** A value that may be absent, not finite, or no number at all. */
export function figureOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? fromNum(value as Num) : null;
}

/** The last epoch's value; of the validation where it ran. */
export function lastOf({ summary }: RunRow, key: string): { name: string; value: number } | null {
  for (const part of ['val', 'train']) {
    const value = figureOf(summary?.last[`${part}_${key}`]);
    if (value !== null) return { name: `${part}_${key}`, value };
  }
  return null;
}

/** Index of the best of several values; null where the quantity has no better, or only one value is there, or all are the same. */
export function bestIndex(values: readonly (number | null)[], better: Quantity['better']): number | null {
  if (better === null) return null;
  let best: number | null = null;
  let known = 0;
  for (const [index, value] of values.entries()) {
    if (value === null || Number.isNaN(value)) continue;
    known += 1;
    const champion = best === null ? null : (values[best] as number);
    if (champion === null || (better === 'higher' ? value > champion : value < champion)) best = index;
  }
  const tied = best !== null && values.filter((value) => value === values[best as number]).length > 1;
  return known < 2 || tied ? null : best;
}
