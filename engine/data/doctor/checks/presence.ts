/** Labels of which a sample may have several, and classes of masks: which are never met, and which are met only where nothing is learnt. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { integer, plural } from '../../../format.ts';
import { type Check, named, type Row, splitBit } from '../check.ts';

export const presence: Check = {
  title: 'Labels and classes of masks that are never met',
  begin({ pack }) {
    const { target } = pack.facts;
    if (target.kind !== 'multi_label' && target.kind !== 'mask') return null;
    const { classes } = target;
    const [train, others] = [new Float64Array(classes.length), new Float64Array(classes.length)];
    const count = target.kind === 'mask' ? countMask : countLabels;
    return {
      row: (row) => count(row, row.splits & splitBit.train ? train : others),
      done() {
        const what = target.kind === 'mask' ? 'class' : 'label';
        const among = (wanted: (at: number) => boolean) =>
          classes.flatMap((name, at): Offender[] => (wanted(at) ? [{ name: `${what} ${name}` }] : []));
        return [
          ...finding(
            'UNSEEN_CLASS',
            'error',
            among((at) => train[at] === 0 && (others[at] as number) > 0),
            (offenders) => `${words(offenders, what)} to validate or test with ${is(offenders)} never trained on`,
            'The network cannot know them: move some samples to training.',
          ),
          ...finding(
            'EMPTY_CLASS',
            'warning',
            among((at) => train[at] === 0 && others[at] === 0),
            (offenders) =>
              `${words(offenders, what)} ${is(offenders)} never met, in ${integer(pack.facts.parts.train)} samples`,
            'The network has an answer for each, and learns that it is never right.',
          ),
        ];
      },
    };
  },
};

const words = ({ length }: Offender[], what: string) => plural(length, what, what === 'class' ? 'classes' : 'labels');
const is = ({ length }: Offender[]) => (length === 1 ? 'is' : 'are');

function finding(
  code: Finding['code'],
  severity: Finding['severity'],
  offenders: Offender[],
  message: (offenders: Offender[]) => string,
  hint: string,
): Finding[] {
  if (offenders.length === 0) return [];
  return [
    {
      code,
      severity,
      message: message(offenders),
      hint,
      count: offenders.length,
      offenders: named(offenders),
      fixes: [],
    },
  ];
}

function countMask(row: Row, counts: Float64Array): void {
  for (const label of row.targetValues()) {
    if (label >= 0 && label < counts.length) counts[label] = (counts[label] as number) + 1;
  }
}

function countLabels(row: Row, counts: Float64Array): void {
  for (const [at, value] of row.targetValues().entries()) if (value > 0.5) counts[at] = (counts[at] as number) + 1;
}
