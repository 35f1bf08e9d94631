/** Labels that name no class: of samples, and of the positions of masks. */
import { plural } from '../../../format.ts';
import { type Check, leaveOut, named, type Sample, sampleOffender } from '../check.ts';

export const labelRange: Check = {
  title: 'Labels that name no class',
  begin(patient) {
    const { target } = patient.pack.facts;
    if (target.kind !== 'class' && target.kind !== 'mask') return null;
    const classes = target.classes.length;
    const ignored = patient.project.training.loss.args.ignore_index;
    const wrong: (Sample & { label: number })[] = [];
    return {
      row({ part, index, targetValues }) {
        for (const label of targetValues()) {
          if ((label >= 0 && label < classes) || label === ignored) continue;
          wrong.push({ part, index, label });
          return;
        }
      },
      done() {
        if (wrong.length === 0) return [];
        return [
          {
            code: 'LABEL_RANGE',
            severity: 'error',
            message: `${plural(wrong.length, 'sample')} ${wrong.length === 1 ? 'has a label' : 'have labels'} outside of 0 to ${classes - 1}`,
            hint: 'The loss has no answer for them and a run would fail: correct the labels, or leave the samples out.',
            count: wrong.length,
            offenders: named(wrong.map((each) => sampleOffender(patient, each, `label ${each.label}`))),
            fixes: leaveOut(patient, wrong),
          },
        ];
      },
    };
  },
};
