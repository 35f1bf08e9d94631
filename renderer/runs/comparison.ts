/** Rows of a comparison: settings that differ, and results with the best marked. Pure. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { bestIndex, figureOf, nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import { compareSettings, type SettingRow, settingRows } from '../run-parts/settings.ts';
import { count, duration, integer, rate } from '../ui/format.ts';

/** Each is followed, drawn and has a column of its own: with many more a window does nothing else, and nobody reads them. */
export const mostCompared = 24;

export interface ComparedRow {
  key: string;
  group: string;
  label: string;
  /** One a run; null where a run does not have it. */
  values: (string | null)[];
  differs: boolean;
  /** Index of the best value, where one is better than all others. */
  best: number | null;
}

export function comparedSettings(details: readonly (RunDetails | null)[]): ComparedRow[] {
  const rows = details.map((each): SettingRow[] => {
    try {
      return each ? settingRows(each.project) : [];
    } catch {
      // A project that was damaged by hand: its column stays empty.
      return [];
    }
  });
  return compareSettings(rows).map(({ path, ...row }) => ({ ...row, key: path, best: null }));
}

interface Figure {
  key: string;
  label: string;
  of: (run: RunRow) => number | null;
  format: (value: number) => string;
  better: 'higher' | 'lower' | null;
}

export function comparedResults(runs: readonly RunRow[]): ComparedRow[] {
  const monitors = [...new Set(runs.flatMap(({ summary }) => summary?.best?.monitor ?? []))];
  const names = [...new Set(runs.flatMap(({ summary }) => Object.keys(summary?.last ?? {})))];
  const figures: Figure[] = [
    ...monitors.map((monitor) => ({
      ...read(monitor),
      key: `best ${monitor}`,
      label: `Best ${nameLabel(monitor).toLowerCase()}`,
      of: ({ summary }: RunRow) => (summary?.best?.monitor === monitor ? summary.best.value : null),
    })),
    ...names.map((name) => ({
      ...read(name),
      key: name,
      label: nameLabel(name),
      of: ({ summary }: RunRow) => figureOf(summary?.last[name]),
    })),
    figure('epoch', 'Epochs', (summary) => summary.epoch, integer),
    figure('step', 'Steps', (summary) => summary.step, integer),
    figure('parameters', 'Parameters', (summary) => summary.parameters, count),
    {
      ...figure(
        'speed',
        'Speed',
        (summary) => summary.samples_per_second,
        (value) => rate(value, 'samples'),
      ),
      better: 'higher',
    },
    figure('seconds', 'Time trained', (summary) => summary.seconds, duration),
  ];
  const texts: ComparedRow[] = (['device', 'precision'] as const).map((key) =>
    textRow(
      key,
      key === 'device' ? 'Device' : 'Precision',
      runs.map(({ summary }) => summary?.[key] ?? null),
    ),
  );
  return [
    textRow(
      'status',
      'State',
      runs.map(({ status }) => status.charAt(0).toUpperCase() + status.slice(1)),
    ),
    ...figures.map((each) => rowOf(each, runs)),
    ...texts,
  ];
}

function read(name: string): Pick<Figure, 'format' | 'better'> {
  const { format, better } = quantity(partOf(name).key);
  return { format, better };
}

function figure(
  key: string,
  label: string,
  of: (summary: NonNullable<RunRow['summary']>) => number | null,
  format: Figure['format'],
): Figure {
  return { key, label, format, better: null, of: ({ summary }) => (summary ? of(summary) : null) };
}

function rowOf({ key, label, of, format, better }: Figure, runs: readonly RunRow[]): ComparedRow {
  const values = runs.map(of);
  return {
    key,
    group: '',
    label,
    values: values.map((value) => (value === null ? null : format(value))),
    differs: new Set(values).size > 1,
    best: bestIndex(values, better),
  };
}

function textRow(key: string, label: string, values: (string | null)[]): ComparedRow {
  return { key, group: '', label, values, differs: new Set(values).size > 1, best: null };
}
