/** Columns of numbers that a few odd cells have made something else. */
import { setEdit } from '../../../contract/report.ts';
import { plural } from '../../../format.ts';
import { type Check, named } from '../check.ts';

export const nearlyNumbers: Check = {
  title: 'Columns of numbers with a few other cells',
  begin({ nearlyNumbers: columns, project }) {
    const { source } = project.data;
    if (!source || !('columns' in source)) return null;
    return {
      done() {
        if (columns.length === 0) return [];
        const one = columns.length === 1;
        return [
          {
            code: 'NEARLY_NUMBERS',
            severity: 'warning',
            message: `${plural(columns.length, 'column')} of mostly numbers ${one ? 'is' : 'are'} not read as ${one ? 'one' : 'such'}`,
            hint: 'Each text becomes a category, or the column is ignored. As numeric, rows with such cells stop the import or are left out; or list the texts that mean that a value is missing.',
            count: columns.length,
            offenders: named(columns.map(({ name, reason }) => ({ name: `column ${name}`, detail: reason }))),
            fixes: [
              {
                label: one
                  ? `Read column ${columns[0]?.name} as numbers`
                  : `Read ${plural(columns.length, 'column')} as numbers`,
                edits: columns.map(({ name }) => setEdit(['data', 'source', 'columns', name, 'role'], 'numeric')),
              },
            ],
          },
        ];
      },
    };
  },
};
