/** The part that judges at the end also picks the best checkpoint. */
import { setEdit } from '../../../contract/report.ts';
import type { Check } from '../check.ts';

export const testChooses: Check = {
  title: 'Whether the test part picks the best checkpoint',
  begin: ({ project, pack }) => ({
    done() {
      const { monitor } = project.training.checkpoint;
      if (project.data.split.val !== 'test' || !monitor.startsWith('val_')) return [];
      const own = pack.facts.parts.val;
      return [
        {
          code: 'TEST_CHOOSES',
          severity: 'note',
          message: `The test part validates, so it also picks the best checkpoint (by ${monitor})`,
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
