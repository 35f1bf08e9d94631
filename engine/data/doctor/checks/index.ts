/** The table of checks, in the order in which findings of equal weight are told. */
import type { Check } from '../check.ts';
import { classBalance } from './classes.ts';
import { constants } from './constant.ts';
import { duplicates } from './duplicates.ts';
import { groupSplit } from './groups.ts';
import { labelRange } from './label-range.ts';
import { leaking } from './leaking.ts';
import { missing } from './missing.ts';
import { nearDuplicates } from './near-duplicates.ts';
import { nearlyNumbers } from './nearly-numbers.ts';
import { oddSize } from './odd-size.ts';
import { oddValues } from './odd-values.ts';
import { presence } from './presence.ts';
import { testChooses } from './test-chooses.ts';
import { unreadable } from './unreadable.ts';

export const checks: readonly Check[] = [
  unreadable,
  labelRange,
  oddValues,
  duplicates,
  nearDuplicates,
  groupSplit,
  leaking,
  classBalance,
  presence,
  missing,
  nearlyNumbers,
  constants,
  oddSize,
  testChooses,
];
