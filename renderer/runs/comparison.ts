/** Rows of a comparison: settings that differ, and results with the best marked. Pure. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { bestIndex, figureOf, nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import { compareSettings, type SettingRow, settingRows, showValue } from '../run-parts/settings.ts';
import { capital, count, duration, integer, rate } from '../ui/format.ts';

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

/** `runs`: the same ones, which know what was changed while they went on. */
export function comparedSettings(details: readonly (RunDetails | null)[], runs: readonly RunRow[] = []): ComparedRow[] {
  const rows = details.map((each, index): SettingRow[] => {
    try {
      return each ? changedRows(settingRows(each.project), runs[index]?.summary?.changes ?? []) : [];
    } catch {
      // A project that was damaged by hand: its column stays empty.
      return [];
    }
  });
  return compareSettings(rows).map(({ path, ...row }) => ({ ...row, key: path, best: null }));
}

const changeable = { epochs: 'training.epochs', lr: 'training.optimizer.lr' } as const;

/** "20, changed to 12 at step 300": what a person changed on the way stands beside what the run began with. */
function changedRows(
  rows: SettingRow[],
  changes: NonNullable<NonNullable<RunRow['summary']>['changes']>,
): SettingRow[] {
  return rows.map((row) => {
    const key = (['epochs', 'lr'] as const).find((each) => changeable[each] === row.path);
    const told = changes.flatMap((change) => {
      const value = key && change[key];
      return value === undefined ? [] : [`changed to ${showValue(value)} at step ${integer(change.step)}`];
    });
    return told.length === 0 ? row : { ...row, value: [row.value, ...told].join(', '), isDefault: false };
  });
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
      runs.map(({ status }) => capital(status)),
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
