/** Columns of a table: how a fix leaves them out. */
import type { DataFix } from '../../contract/data/doctor.ts';
import { setEdit } from '../../contract/report.ts';
import { plural } from '../../format.ts';
import type { Patient } from './check.ts';

/** None where the source does not know its columns by name. */
export function ignoreColumns({ project }: Patient, names: readonly string[]): DataFix[] {
  const { source } = project.data;
  if (!source || !('columns' in source) || names.length === 0) return [];
  return [
    {
      label: names.length === 1 ? `Ignore column ${names[0]}` : `Ignore ${plural(names.length, 'column')}`,
      edits: names.map((name) => setEdit(['data', 'source', 'columns', name, 'role'], 'ignore')),
    },
  ];
}
