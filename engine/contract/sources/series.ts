/** The `series` source: windows of a table's rows, one after the other in time. */
import { z } from 'zod';
import { choice, field, flag, integer, number } from '../fields.ts';
import type { SourceKind } from './kind.ts';
import { columnScales, readingParams, type TableReading } from './table.ts';

export const seriesTargets = ['value', 'class', 'next'] as const;
export const seriesLayouts = ['channels_first', 'channels_last'] as const;
export const seriesFills = ['skip', 'last', 'mean'] as const;

export interface SeriesSource extends TableReading {
  kind: 'series';
  /** null: every column of numbers that has no other part. */
  inputs: string[] | null;
  /** Not with `next`, whose targets are the inputs. */
  target: string | string[] | null;
  predicts: (typeof seriesTargets)[number];
  order: string | null;
  group: string | null;
  window: number;
  /** Rows from a window's last one to its target's. */
  horizon: number;
  stride: number;
  layout: (typeof seriesLayouts)[number];
  scale: (typeof columnScales)[number];
  scale_target: boolean;
  fill: (typeof seriesFills)[number];
  /** Shares of each series at its end. */
  val_part: number;
  test_part: number;
}

const { path, ...reading } = readingParams;
const columnNames = z.array(z.string().min(1)).min(1);

const seriesParams = {
  inputs: field(columnNames.nullable(), {
    label: 'Inputs',
    help: 'Columns of numbers that the network reads, one channel each. null: every column of numbers but the time, the series and the target.',
    control: 'texts',
    expected: 'a list of column names, or null',
    default: null,
    absent: 'all numbers',
  }),
  target: field(z.union([z.string().min(1), columnNames, z.null()]), {
    label: 'Target',
    help: 'The column that is to be predicted, or several of numbers; it may be an input as well. null: the last column, or with "next" the inputs themselves.',
    control: 'text',
    expected: 'the name of a column, a list of names, or null',
    default: null,
    absent: 'the last column',
  }),
  predicts: choice(seriesTargets, {
    label: 'Predicts',
    help: 'value: the target’s numbers; class: its class; next: the values of all inputs. Each at the row that lies horizon rows behind the window’s last.',
    default: 'value',
  }),
  window: integer({ label: 'Window', help: 'Rows that one sample holds.', max: 1_000_000, default: 32 }),
  horizon: integer({
    label: 'Horizon',
    help: 'How many rows behind the window’s last one the target lies; 0: at that row itself.',
    min: 0,
    max: 1_000_000,
    default: 1,
  }),
  stride: integer({ label: 'Stride', help: 'Rows between the starts of two windows.', max: 1_000_000, default: 1 }),
  order: field(z.string().min(1).nullable(), {
    label: 'Time column',
    help: 'Rows are put in the order of this column (a date or a number). null: as they lie in the file.',
    control: 'text',
    expected: 'the name of a column, or null',
    default: null,
    absent: 'the file’s order',
  }),
  group: field(z.string().min(1).nullable(), {
    label: 'Series column',
    help: 'Rows with the same text here are one series; no window crosses from one into another. null: all rows are one series.',
    control: 'text',
    expected: 'the name of a column, or null',
    default: null,
    absent: 'one series',
  }),
  layout: choice(seriesLayouts, {
    label: 'Layout',
    help: 'channels_first: [channels, window], as Conv1d reads. channels_last: [window, channels], as recurrent layers and attention do.',
    default: 'channels_first',
  }),
  scale: choice(columnScales, {
    label: 'Scale',
    help: 'standard: mean 0 and deviation 1; minmax: 0 to 1; none: as they are. Fitted on the rows of the training part.',
    default: 'standard',
  }),
  scale_target: flag({
    label: 'Scale the target',
    help: 'Numbers to predict are scaled as inputs are; answers then are in those units.',
    default: false,
  }),
  fill: choice(seriesFills, {
    label: 'Missing values',
    help: 'skip: no window holds one; last: the value before it in its series; mean: the mean of the training part.',
    default: 'skip',
  }),
  val_part: number({
    label: 'Validation part',
    help: 'Share of each series’ rows, before its test part, that makes the validation part; no window of it shares a row with one of another part.',
    min: 0,
    below: 1,
    default: 0.1,
  }),
  test_part: number({
    label: 'Test part',
    help: 'Share of each series’ rows, at its end, that makes the test part.',
    min: 0,
    below: 1,
    default: 0.1,
  }),
  ...reading,
};

export const seriesKinds: readonly SourceKind[] = [
  {
    kind: 'series',
    label: 'Time series',
    isTable: true,
    help: 'Windows of a table’s rows in the order of time, each with what comes after it: forecasts and classes of stretches.',
    params: { path, ...seriesParams },
  },
];
