/** Values that are missing in the files, column by column. */
import { plural } from '../../../format.ts';
import { type Check, named } from '../check.ts';
import { ignoreColumns } from '../columns.ts';

/** A column that lacks more than this share tells little. */
const mostlyMissing = 0.5;

export const missing: Check = {
  title: 'Missing values',
  begin(patient) {
    const known = patient.columns.filter(({ missing: count }) => count !== undefined);
    if (known.length === 0) return null;
    const rows = patient.parts.find(({ name }) => name === 'train')?.count ?? 0;
    return {
      done() {
        const gaps = known.flatMap(({ name, missing: count = 0 }) => (count > 0 ? [{ name, count }] : []));
        if (gaps.length === 0) return [];
        gaps.sort((a, b) => b.count - a.count);
        const share = (count: number) => count / Math.max(1, rows);
        const poor = gaps.filter(({ count }) => share(count) > mostlyMissing);
        const sum = gaps.reduce((total, { count }) => total + count, 0);
        return [
          {
            code: 'MISSING',
            severity: poor.length > 0 ? 'warning' : 'note',
            message: `${plural(sum, 'value')} of ${plural(gaps.length, 'column')} ${sum === 1 ? 'is' : 'are'} missing`,
            hint: 'They are filled in as the column says. Whether one is missing can itself be an input ("missing": "indicator").',
            count: sum,
            offenders: named(
              gaps.map(({ name, count }) => ({
                name: `column ${name}`,
                detail: `${plural(count, 'value')}, ${(100 * share(count)).toFixed(1)}%`,
              })),
            ),
            fixes: ignoreColumns(
              patient,
              poor.map(({ name }) => name),
            ),
          },
        ];
      },
    };
  },
};
