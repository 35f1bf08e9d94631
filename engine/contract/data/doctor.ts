/** What the Data Doctor finds in a data set: each fault with its offenders and what would mend it. */
import type { Edit } from '../problems.ts';
import type { PartName } from '../tensors.ts';
import type { MarkChange } from './marks.ts';

export const findingCodes = [
  'SPLIT', // the data cannot be divided as the project says
  'UNREADABLE', // files that cannot be decoded
  'EXACT_DUPLICATE',
  'NEAR_DUPLICATE',
  'ACROSS_SPLITS', // the same sample trains and validates or tests
  'CONFLICTING_LABELS', // equal samples with different labels
  'IMBALANCE',
  'ONE_CLASS', // there is nothing to tell apart
  'EMPTY_CLASS',
  'SINGLE_SAMPLE', // a class with one sample: it cannot be in training and in validation
  'LABEL_RANGE',
  'UNSEEN_CLASS', // in validation or test, never in training
  'CONSTANT', // a column or all pixels of a sample
  'MISSING', // values
  'NEARLY_NUMBERS', // a column of mostly numbers that is read as something else
  'LEAKING', // a column that gives the target away
  'ODD_SIZE',
  'ODD_VALUES', // NaN, infinities, far outliers
  'TEST_CHOOSES', // the test part also picks the best checkpoint
  'GROUP_SPLIT', // a group lies in training and in validation
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** A sample, a column or a class. */
export interface Offender {
  /** `cats/007.jpg`, `row 18`, `column age`, `class 3`. */
  name: string;
  part?: PartName;
  /** Position in the part, where it is a sample: the window can show it. */
  index?: number;
  detail?: string;
}

export interface DataFix {
  /** A verb phrase for a button: `Leave out 12 duplicates`. */
  label: string;
  /** Of the project. */
  edits?: Edit[];
  /** Of the marks beside the data. */
  marks?: MarkChange[];
}

export interface Finding {
  code: FindingCode;
  severity: 'error' | 'warning' | 'note';
  /** One sentence: `14 images lie in training and in test`. */
  message: string;
  /** What comes of it, and what to do. */
  hint: string;
  count: number;
  /** At most `mostNamed`. */
  offenders: Offender[];
  fixes: DataFix[];
}

export interface SplitShare {
  name: 'train' | 'val' | 'test';
  count: number;
  /** By class, in the class map's order; null: the targets are no classes. */
  classes: number[] | null;
}

/** Of the values that train, as a run stores them: a byte b as b / 255. */
export interface ChannelStatistics {
  mean: number;
  /** Of all values, not an estimate from a sample of them. */
  std: number;
  min: number;
  max: number;
}

export interface DoctorReport {
  /** The gravest first. */
  findings: Finding[];
  /** What was looked at, and what was not and why. */
  checked: string[];
  splits: SplitShare[];
  /** Hash of the index lists; null where they cannot be drawn. */
  split_hash: string | null;
  data_hash: string;
  /** Of images, by channel; null: the samples are none. */
  channels: ChannelStatistics[] | null;
}
