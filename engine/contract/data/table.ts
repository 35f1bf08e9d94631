/** A table as a person looks at it before it is trained on: columns with their roles and statistics, and a page of rows. */

import type { DataNote } from './inspect.ts';

/** How a column takes part. */
export const columnRoles = ['numeric', 'categorical', 'target_class', 'target_value', 'group', 'ignore'] as const;
export type TableRole = (typeof columnRoles)[number];

export interface TableColumn {
  name: string;
  /** As found in the file: `BIGINT`, `VARCHAR`, … */
  type: string;
  role: TableRole;
  /** Why that role and type: `every value is a whole number, 2 different ones`. */
  reason: string;
  count: number;
  missing: number;
  /** Different values, missing ones aside. */
  distinct: number;
  /** `std`: of the population, divided by n. */
  numbers: { min: number; max: number; mean: number; std: number; median: number } | null;
  /** Of numbers: 20 equal steps from min to max; each counts its lower bound, the last its upper one too. */
  histogram: number[] | null;
  /** Of texts and few values: the most frequent first, at most 50. */
  frequent: { value: string; count: number }[] | null;
}

export interface TablePage {
  columns: TableColumn[];
  /** Rows in all, after the search. */
  total: number;
  start: number;
  /** As texts; null: missing. */
  rows: { row: number; cells: (string | null)[] }[];
  /** What was noticed on the way: rules applied, rows left out; why the roles as the project has them do not go together. */
  notes: DataNote[];
}
