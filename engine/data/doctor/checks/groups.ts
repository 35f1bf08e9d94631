/** Groups whose samples are on both sides of a split. */

import { setEdit } from '../../../contract/report.ts';
import { plural } from '../../../format.ts';
import { type Check, named, splitBit, splitWords } from '../check.ts';

export const groupSplit: Check = {
  title: 'Groups across splits',
  begin({ parts, project, groupName }) {
    if (parts.every(({ groups }) => groups === null)) return null;
    return {
      done() {
        const splits = new Map<number, number>();
        for (const { groups, splits: bits, count } of parts) {
          if (!groups) continue;
          for (let index = 0; index < count; index++) {
            const group = groups[index] as number;
            splits.set(group, (splits.get(group) ?? 0) | (bits[index] as number));
          }
        }
        const torn = [...splits].filter(([, bits]) => bits & splitBit.train && bits & ~splitBit.train);
        if (torn.length === 0) return [];
        const sides = torn.reduce((all, [, bits]) => all | bits, 0) & ~splitBit.train;
        torn.sort(([a], [b]) => a - b);
        return [
          {
            code: 'GROUP_SPLIT',
            severity: 'warning',
            message: `${plural(torn.length, 'group')} ${torn.length === 1 ? 'is' : 'are'} in training and in ${splitWords(sides)}`,
            hint: 'Samples of one group are alike, so the score promises too much. Draw the validation from the training part: whole groups are kept together then.',
            count: torn.length,
            offenders: named(torn.map(([group, bits]) => ({ name: groupName(group), detail: splitWords(bits) }))),
            fixes:
              typeof project.data.split.val === 'string'
                ? [{ label: 'Draw the validation from training', edits: [setEdit(['data', 'split', 'val'], 0.1)] }]
                : [],
          },
        ];
      },
    };
  },
};
