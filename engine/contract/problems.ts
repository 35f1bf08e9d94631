/** A problem in a user's project is a value, not an exception: where, why, and what would fix it. */
import { z } from 'zod';

export const problemCodes = [
  'UNKNOWN_KEY', // warning: kept, reported with the nearest known name
  'UNKNOWN_KIND',
  'DUPLICATE_KEY', // twice in one object: readers disagree on which counts
  'BAD_VALUE', // wrong type or outside its bounds
  'MISSING_VALUE',
  'WRONG_RANK', // the layer wants another number of dimensions
  'WRONG_DTYPE',
  'WRONG_MASK', // padding would be mixed into the answer
  'EMPTY_OUTPUT', // a window larger than its input
  'NOT_DIVISIBLE', // groups, num_heads and the like
  'JOIN_MISMATCH', // branches or a shortcut that cannot be joined
  'EMPTY_MODEL',
  'OUTPUT_MISMATCH', // the last layer does not answer what the loss wants
  'SPARE_SCORES', // warning: more scores than the data has classes
  'ONE_CLASS', // warning: nothing to tell apart
  'TARGET_MISMATCH', // loss or metric and kind of target do not go together
  'NO_TEST_PART', // or no validation part
  'UNUSED_PART', // warning: the data's own validation part takes no part
  'EMPTY_SPLIT',
  'TOO_LARGE', // warning: more than any device holds, most often a digit too many
  'SMALL_BATCH', // BatchNorm on a single value per channel, in training
  'SLOW_PRECISION', // runs, but would run faster with another number format
  'NOT_SUPPORTED', // known to the project file, not yet to this version
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/**
 * One edit of the project: set `value` at `path` (parents that are missing are made), remove what is at `path` (`value` absent), or insert
 * `value` into a list: the path's last step is the position that it shall have.
 */
export interface Edit {
  /** `rename`: the key that `path` names is called `value` from then on, a name that is free. */
  op: 'set' | 'remove' | 'insert' | 'rename';
  path: (string | number)[];
  value?: unknown;
}

export const editSchema = z.object({
  op: z.enum(['set', 'remove', 'insert', 'rename']),
  path: z.array(z.union([z.string(), z.number()])),
  value: z.unknown().exactOptional(),
});

export interface Fix {
  /** A verb phrase for a button: "Insert Flatten before layer 3". */
  label: string;
  edits: Edit[];
}

export const fixSchema = z.object({ label: z.string(), edits: z.array(editSchema) });

export interface Problem {
  code: ProblemCode;
  severity: 'error' | 'warning';
  /** Dotted place in the project file: `model.layers.3.out_features`. */
  path: string;
  /** Of a named block's layer, where it arises in another use than the first: the layer that uses the block there. */
  use?: string;
  message: string;
  hint: string;
  fixes: Fix[];
}
