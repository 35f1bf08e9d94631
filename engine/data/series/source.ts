/** The `series` source: windows in the order of time, scaled as fitted on the rows of the training part. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer, plural } from '../../contract/format.ts';
import type { SeriesSource } from '../../contract/sources/series.ts';
import { type PartName, partNames, type TargetType } from '../../contract/tensors.ts';
import type { ColumnType, OpenContext, OpenSource } from '../open-source.ts';
import type { Rows } from '../rows.ts';
import { categoryName, sortedNames } from '../table/encoding.ts';
import { unreadRows } from '../table/files.ts';
import { Moments } from '../table/moments.ts';
import type { NumberStyle } from '../table/numbers.ts';
import { loadSeries, openSeriesTable, type SeriesColumn, type SeriesRows, type SeriesTable } from './load.ts';
import { cutSeries, type Stretch, windowStarts } from './windows.ts';

/** A scaled value is (value − shift) / scale. */
export interface Scale {
  name: string;
  shift: number;
  scale: number;
  mean: number;
  /** How its numbers are written, and what means that one is missing; absent in runs of versions that did not keep it. */
  style?: NumberStyle;
  tokens?: string[];
}

interface Series {
  table: SeriesTable;
  rows: SeriesRows;
  /** First rows of the windows of each part. */
  starts: { [Part in PartName]?: Uint32Array };
  inputs: Scale[];
  targets: Scale[];
  /** Of a class target: names, and by row the place among them (-1: none). */
  classes: { names: string[]; of: Int32Array; counts: number[] } | null;
  notes: DataNote[];
}

/** Windows that are written at once hold about so many numbers. */
const mostNumbers = 4 << 20;
/** The rows stay in memory this long after the last look at them: a run's data are opened several times in a row. */
const keepMs = 30_000;
let kept: { key: string; series: Promise<Series>; timer: NodeJS.Timeout } | null = null;

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED, DISK_FULL */
export async function openSeriesSource(
  settings: SeriesSource,
  baseDir: string,
  context: OpenContext,
): Promise<OpenSource> {
  const table = await openSeriesTable(settings, baseDir);
  const identity = [settings, table.store.identity];
  const series = await remembered(JSON.stringify(identity), () => prepare(table, settings));
  const { starts, rows } = series;
  const parts = Object.fromEntries(partNames.flatMap((part) => (starts[part] ? [[part, starts[part].length]] : [])));
  const channels = series.inputs.length;
  const { window, layout } = settings;
  const type = (dtype: 'float32' | 'int64', shape: number[]): ColumnType => ({ dtype, shape, scaled: false });
  const of = (part: string) => starts[part as PartName] as Uint32Array;
  return {
    identity,
    readBytes: 0,
    parts: parts as OpenSource['parts'],
    columns: {
      input: type('float32', layout === 'channels_first' ? [channels, window] : [window, channels]),
      target: series.classes ? type('int64', []) : type('float32', [series.targets.length]),
      // Whole series validate where a fraction of the training part does: their windows overlap.
      ...(settings.group === null ? {} : { group: type('int64', []) }),
    },
    unreadRows: unreadRows([table.store]),
    notes: [...table.notes, ...series.notes, ...overlapNotes(settings, context)],
    nameOf: (part, index) => {
      const first = of(part)[index] as number;
      return `rows ${rows.places[first]}–${rows.places[first + window - 1]}`;
    },
    rows: (part) => windowRows(series, of(part), settings),
    encoding: async () => ({
      kind: 'series',
      version: 1,
      inputs: series.inputs,
      targets: series.targets,
      classes: series.classes?.names ?? null,
      window,
      horizon: settings.horizon,
      layout,
      fill: settings.fill,
    }),
    target: async (): Promise<TargetType> =>
      series.classes
        ? { kind: 'class', classes: series.classes.names, counts: series.classes.counts }
        : { kind: 'vector', dims: [series.targets.length] },
    async write(part, sink, { signal }) {
      const own = of(part);
      await sink('input', (first) =>
        pieces(own, first, channels * window, (at) => windowAt(series, at, settings), signal),
      );
      await sink('target', (first) => targetPieces(series, own, first, settings));
      if (settings.group !== null) await sink('group', (first) => groupPieces(rows.series, own, first));
    },
  };
}

function remembered(key: string, make: () => Promise<Series>): Promise<Series> {
  if (kept) clearTimeout(kept.timer);
  const series = kept?.key === key ? kept.series : make();
  const timer = setTimeout(() => {
    kept = null;
  }, keepMs).unref();
  kept = { key, series, timer };
  series.catch(() => {
    if (kept?.series === series) kept = null;
  });
  return series;
}

function overlapNotes({ group, window, stride, horizon }: SeriesSource, { split }: OpenContext): DataNote[] {
  if (typeof split.val === 'string' || split.val === 0 || group !== null || stride >= window + horizon) return [];
  return [
    {
      message:
        'data.split.val is a fraction, so that windows that validate share rows with windows that train: the score will be too good. Set it to "val", the part that lies behind the training part in time',
    },
  ];
}

async function prepare(table: SeriesTable, settings: SeriesSource): Promise<Series> {
  const rows = await loadSeries(table, settings);
  const parts = cutSeries(rows.series, settings);
  const inputs = table.inputs.map((column, i) =>
    fitScale(column, rows.inputs[i] as Float64Array, parts.train, settings.scale),
  );
  const targetScale = settings.scale_target ? settings.scale : 'none';
  const targets = rows.names
    ? []
    : table.targets.map((column, i) => fitScale(column, rows.values[i] as Float64Array, parts.train, targetScale));
  const notes: DataNote[] = scaledNotes(targets);
  // Targets are looked at before values are filled in: an invented one is nothing to learn.
  const untargeted = targetFaults(rows);
  notes.push(...fillMissing(rows, inputs, settings.fill));
  const unusable = (row: number) => rows.inputs.some((values) => Number.isNaN(values[row]));
  const starts: Series['starts'] = {};
  const known = rows.names ? classNames(rows, parts.train, table) : null;
  for (const part of partNames) {
    const found = windowStarts(
      parts[part],
      settings,
      unusable,
      (row) => untargeted[row] === 1 || known?.of[row] === -1,
    );
    if (found.skipped > 0) {
      notes.push({
        message: `Windows of the ${part} part with a missing value or target were left out`,
        count: found.skipped,
      });
    }
    if (found.starts.length > 0) starts[part] = found.starts;
    else if (parts[part].some(({ start, end }) => end > start)) notes.push(tooShort(part, settings));
  }
  if (!starts.train) {
    throw new GradloomError(
      'DATA_FORMAT',
      `${table.store.path} gives no window of ${settings.window} rows to train on.`,
      {
        hint: `It has ${plural(rows.count, 'row')} in ${integer(rows.series.length)} series: choose a smaller window or horizon, or fill missing values (fill).`,
        path: 'data.source.window',
      },
    );
  }
  const classes = known && { ...known, counts: countClasses(known, starts.train, settings) };
  return { table, rows, starts, inputs, targets, classes, notes };
}

const tooShort = (part: PartName, { window, horizon }: SeriesSource): DataNote => ({
  message: `The ${part} part is too short for a window of ${window} rows and its target ${horizon} behind, and was left out`,
});

function scaledNotes(targets: readonly Scale[]): DataNote[] {
  return targets
    .filter(({ shift, scale }) => shift !== 0 || scale !== 1)
    .map(({ name, shift, scale }) => ({
      message: `Target ${name} is scaled: an answer a of the network stands for a × ${scale} + ${shift}`,
    }));
}

function fitScale(
  { name, style, tokens }: SeriesColumn,
  values: Float64Array,
  stretches: readonly Stretch[],
  scale: SeriesSource['scale'],
): Scale {
  const moments = new Moments(false);
  for (const { start, end } of stretches) {
    for (let row = start; row < end; row++) {
      const value = values[row] as number;
      if (!Number.isNaN(value)) moments.add(value);
    }
  }
  const { mean, count } = moments;
  return { name, style, tokens, mean: count > 0 ? mean : 0, ...moments.scaling(scale) };
}

function targetFaults({ count, values, names }: SeriesRows): Uint8Array {
  return Uint8Array.from({ length: count }, (_, row) =>
    (names && names[row] === null) || values.some((column) => Number.isNaN(column[row])) ? 1 : 0,
  );
}

export function fillMissing(rows: SeriesRows, inputs: readonly Scale[], fill: SeriesSource['fill']): DataNote[] {
  if (fill === 'skip') return [];
  const notes: DataNote[] = [];
  for (const [i, values] of rows.inputs.entries()) {
    let filled = 0;
    // Targets share their columns with inputs.
    const own = rows.values.includes(values) ? values.slice() : values;
    for (const { start, end } of rows.series) {
      for (let row = start; row < end; row++) {
        if (!Number.isNaN(own[row])) continue;
        const value = fill === 'mean' ? (inputs[i] as Scale).mean : row > start ? (own[row - 1] as number) : Number.NaN;
        own[row] = value;
        if (!Number.isNaN(value)) filled++;
      }
    }
    rows.inputs[i] = own;
    if (filled > 0) {
      const by = fill === 'mean' ? 'the mean of the training part' : 'the value before';
      notes.push({ message: `Missing values of ${inputs[i]?.name} were filled with ${by}`, count: filled });
    }
  }
  return notes;
}

/** By the training part: what comes later has no say in which classes there are. */
function classNames({ names, count }: SeriesRows, train: readonly Stretch[], { targets }: SeriesTable) {
  const [target] = targets;
  const numbers = target?.type === 'whole' || target?.type === 'number';
  const own = (row: number) => {
    const name = names?.[row];
    return name === null || name === undefined ? null : categoryName(name, numbers);
  };
  const met = new Set<string>();
  for (const { start, end } of train) {
    for (let row = start; row < end; row++) {
      const name = own(row);
      if (name !== null) met.add(name);
    }
  }
  const sorted = sortedNames(met);
  const place = new Map(sorted.map((name, at) => [name, at]));
  const of = Int32Array.from({ length: count }, (_, row) => place.get(own(row) ?? '\0') ?? -1);
  return { names: sorted, of };
}

function countClasses(
  { names, of }: { names: string[]; of: Int32Array },
  starts: Uint32Array,
  shape: SeriesSource,
): number[] {
  const counts = names.map(() => 0);
  for (const start of starts) {
    const at = of[targetRow(start, shape)] as number;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

const targetRow = (start: number, { window, horizon }: SeriesSource) => start + window - 1 + horizon;

export function windowAt(
  { rows, inputs }: Pick<Series, 'rows' | 'inputs'>,
  start: number,
  { window, layout }: Pick<SeriesSource, 'window' | 'layout'>,
): Float32Array {
  const channels = inputs.length;
  const values = new Float32Array(channels * window);
  for (const [channel, { shift, scale }] of inputs.entries()) {
    const column = rows.inputs[channel] as Float64Array;
    for (let step = 0; step < window; step++) {
      const at = layout === 'channels_first' ? channel * window + step : step * channels + channel;
      values[at] = ((column[start + step] as number) - shift) / scale;
    }
  }
  return values;
}

async function* pieces(
  starts: Uint32Array,
  first: number,
  width: number,
  make: (start: number) => Float32Array,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const most = Math.max(1, Math.floor(mostNumbers / width));
  for (let from = first; from < starts.length; from += most) {
    signal?.throwIfAborted();
    const count = Math.min(most, starts.length - from);
    const values = new Float32Array(count * width);
    for (let i = 0; i < count; i++) values.set(make(starts[from + i] as number), i * width);
    yield new Uint8Array(values.buffer);
  }
}

function targetPieces(
  series: Series,
  starts: Uint32Array,
  first: number,
  settings: SeriesSource,
): AsyncIterable<Uint8Array> {
  const { classes, targets, rows } = series;
  if (classes) return numbers(starts, first, (start) => classes.of[targetRow(start, settings)] as number);
  return pieces(starts, first, targets.length, (start) =>
    Float32Array.from(targets, ({ shift, scale }, i) => {
      const value = (rows.values[i] as Float64Array)[targetRow(start, settings)] as number;
      return (value - shift) / scale;
    }),
  );
}

/** The number of the series that each window lies in. */
function groupPieces(series: readonly Stretch[], starts: Uint32Array, first: number): AsyncIterable<Uint8Array> {
  let at = 0;
  return numbers(starts, first, (start) => {
    while (start >= (series[at] as Stretch).end) at++;
    return at;
  });
}

async function* numbers(starts: Uint32Array, first: number, of: (start: number) => number): AsyncGenerator<Uint8Array> {
  const most = 1 << 16;
  for (let from = first; from < starts.length; from += most) {
    const some = starts.subarray(from, from + most);
    yield new Uint8Array(BigInt64Array.from(some, (start) => BigInt(of(start))).buffer);
  }
}

function windowRows(series: Series, starts: Uint32Array, settings: SeriesSource): Rows {
  const { classes } = series;
  return {
    inputs: async (positions) => positions.map((position) => windowAt(series, starts[position] as number, settings)),
    labels: async () =>
      classes && Uint32Array.from(starts, (start) => classes.of[targetRow(start, settings)] as number),
  };
}
