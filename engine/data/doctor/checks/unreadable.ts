/** Files that could not be read: their rows in the pack are zeros. */

import { setEdit } from '../../../contract/report.ts';
import type { PartName } from '../../../contract/tensors.ts';
import { plural } from '../../../format.ts';
import { type Check, named } from '../check.ts';

export const unreadable: Check = {
  title: 'Samples that cannot be read',
  begin: ({ pack, project, unreadRows }) => ({
    done() {
      const { skipped } = pack;
      const count = skipped.length + unreadRows.count;
      if (count === 0) return [];
      const { source } = project.data;
      const skips = source !== null && 'on_bad' in source && source.on_bad === 'skip';
      const rows = unreadRows.rows.map(({ name, reason }) => ({ name, detail: reason }));
      const samples = skipped.map(({ part, index, name, reason }) => {
        return { name, part: part as PartName, index, detail: reason };
      });
      return [
        {
          code: 'UNREADABLE',
          severity: skips ? 'warning' : 'error',
          message: `${plural(count, 'sample')} cannot be read`,
          hint: skips
            ? 'They take part in nothing. Mend the files to have them, or remove them.'
            : 'No run begins while they are there: mend or remove the files, or leave them out.',
          count,
          offenders: named([...rows, ...samples]),
          fixes: skips
            ? []
            : [{ label: 'Leave out what cannot be read', edits: [setEdit(['data', 'source', 'on_bad'], 'skip')] }],
        },
      ];
    },
  }),
};
