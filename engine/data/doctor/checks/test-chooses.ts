/** The part that judges at the end also picks the best checkpoint. */
import { setEdit } from '../../../contract/report.ts';
import { chosenByTest } from '../../../contract/splits.ts';
import type { Check } from '../check.ts';

export const testChooses: Check = {
  title: 'Whether the test part picks the best checkpoint',
  begin: ({ project, pack }) => ({
    done() {
      const message = chosenByTest(project);
      if (message === null) return [];
      const own = pack.facts.parts.val;
      return [
        {
          code: 'TEST_CHOOSES',
          severity: 'note',
          message,
          hint: 'The best score is then a little too good. For a fair last score, validate on a part of the training samples and test once.',
          count: 1,
          offenders: [],
          fixes: [
            own
              ? { label: 'Validate on the validation part', edits: [setEdit(['data', 'split', 'val'], 'val')] }
              : { label: 'Validate on a tenth of training', edits: [setEdit(['data', 'split', 'val'], 0.1)] },
          ],
        },
      ];
    },
  }),
};
