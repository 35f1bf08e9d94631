/** Files that could not be read: their rows in the pack are zeros. */

import { setEdit } from '../../../contract/report.ts';
import type { PartName } from '../../../contract/tensors.ts';
import { plural } from '../../../format.ts';
import { type Check, named } from '../check.ts';

export const unreadable: Check = {
  title: 'Samples that cannot be read',
  begin: ({ pack, project }) => ({
    done() {
      const { skipped } = pack;
      if (skipped.length === 0) return [];
      const { source } = project.data;
      const skips = source !== null && 'on_bad' in source && source.on_bad === 'skip';
      const offenders = skipped.map(({ part, index, name, reason }) => {
        return { name, part: part as PartName, index, detail: reason };
      });
      return [
        {
          code: 'UNREADABLE',
          severity: skips ? 'warning' : 'error',
          message: `${plural(skipped.length, 'sample')} cannot be read`,
          hint: skips
            ? 'They are left out. Mend or remove the files so that nobody wonders.'
            : 'No run begins while they are there: mend or remove the files, or leave them out.',
          count: skipped.length,
          offenders: named(offenders),
          fixes: skips
            ? []
            : [{ label: 'Leave out what cannot be read', edits: [setEdit(['data', 'source', 'on_bad'], 'skip')] }],
        },
      ];
    },
  }),
};
