/** Sources of text: for models that tell the next character or word, and texts with a label each. */
import { z } from 'zod';
import { choice, field, flag, integer, largestSize } from '../fields.ts';
import type { SourceKind } from './kind.ts';

export const textLevels = ['char', 'word'] as const;

/** How text becomes tokens; the vocabulary is that of the training part. */
export interface TextReading {
  path: string;
  level: (typeof textLevels)[number];
  length: number;
  lowercase: boolean;
  vocabulary: number | null;
  min_count: number;
  encoding: string | null;
}

export interface TextSource extends TextReading {
  kind: 'text';
  stride: number | null;
  test: number;
}

export interface LabelledTextSource extends TextReading {
  kind: 'labelled_text';
  text: string | string[] | null;
  label: string | null;
  part_column: string | null;
  delimiter: string | null;
  header: boolean | null;
  on_bad: 'stop' | 'skip';
}

const column = z.string().min(1);

function readingParams({ level, vocabulary }: { level: TextReading['level']; vocabulary: number | null }) {
  return {
    level: choice(textLevels, {
      label: 'Tokens',
      help: 'char: every character (Unicode code point) is a token. word: every word, number and other sign is one, and blanks are none; letters of scripts that set no blanks between words stand alone.',
      words: { char: 'characters', word: 'words' },
      default: level,
    }),
    lowercase: flag({
      label: 'Lower case',
      help: 'Capital letters become small ones, so that there are fewer tokens.',
      default: level === 'word',
    }),
    vocabulary: field(z.number().int().min(3).max(1_000_000).nullable(), {
      label: 'Vocabulary',
      help: 'At most so many tokens, the most frequent of the training part; the others become <unk>. null: all of them.',
      control: 'integer',
      expected: 'an integer from 3 to 1000000, or null',
      min: 3,
      max: 1_000_000,
      default: vocabulary,
      absent: 'all',
    }),
    min_count: integer({
      label: 'Least count',
      help: 'Tokens that the training part has less often become <unk>.',
      rare: true,
      default: 1,
    }),
    encoding: field(z.string().min(1).nullable(), {
      label: 'Encoding',
      help: 'A name as browsers know it, such as utf-8, utf-16le, windows-1252. null: found by the content. A byte-order mark is left out, and every kind of line break becomes a line feed.',
      control: 'text',
      rare: true,
      expected: 'the name of an encoding, or null',
      default: null,
      absent: 'by the content',
    }),
  };
}

const textParams = {
  path: field(column, {
    label: 'File or folder',
    help: 'A text file, or a folder of them (.txt, .text, .md, gzip or not), read one after the other by name. Files that are called train, val or test are those parts.',
    control: 'path',
    expected: 'a path',
  }),
  length: integer({
    label: 'Length',
    help: 'Tokens of one sample: so many are read, and for each the one that follows is to be told.',
    max: 1_000_000,
    default: 128,
  }),
  stride: field(z.number().int().min(1).max(largestSize).nullable(), {
    label: 'Stride',
    help: 'Tokens from the beginning of one sample to that of the next. null: the length, so that no two samples overlap.',
    control: 'integer',
    expected: 'an integer ≥ 1, or null',
    min: 1,
    default: null,
    absent: 'the length',
  }),
  ...readingParams({ level: 'char', vocabulary: null }),
  test: field(z.number().min(0).max(0.9), {
    label: 'Test part',
    help: 'This share at the end of the text is the test part, so that no window of it overlaps one that trains; validate on it with data.split.val "test". 0: there is none. Not used where files are called train and test.',
    control: 'number',
    expected: 'a number from 0 to 0.9',
    min: 0,
    max: 0.9,
    default: 0.1,
  }),
};

const labelledParams = {
  path: field(column, {
    label: 'File or folder',
    help: 'A folder with a folder of text files for each class (perhaps in folders called train, val, test), or a table with a column of texts and one of labels (CSV, TSV, Parquet, JSON lines).',
    control: 'path',
    expected: 'a path',
  }),
  length: integer({
    label: 'Length',
    help: 'Tokens of one sample: longer texts are cut, shorter ones filled up with token 0 (Embedding with padding_idx 0).',
    max: 1_000_000,
    default: 256,
  }),
  ...readingParams({ level: 'word', vocabulary: 20_000 }),
  text: field(z.union([column, z.array(column).min(1)]).nullable(), {
    label: 'Column of texts',
    help: 'Of a table: one column, or several that are joined by a line feed. null: the one with the longest texts.',
    control: 'text',
    expected: 'the name of a column, a list of such, or null',
    default: null,
    absent: 'the longest texts',
  }),
  label: field(column.nullable(), {
    label: 'Column of labels',
    help: 'Of a table. null: the one that is called label, class, category or the like, else the one with the fewest different values.',
    control: 'text',
    expected: 'the name of a column, or null',
    default: null,
    absent: 'by names and values',
  }),
  part_column: field(column.nullable(), {
    label: 'Column of parts',
    help: 'Of a table: a column that says train, val or test of each row. null: all rows train.',
    control: 'text',
    expected: 'the name of a column, or null',
    default: null,
    absent: 'all rows train',
  }),
  delimiter: field(z.string().length(1).nullable(), {
    label: 'Delimiter',
    help: 'Of a table. null: found by the content.',
    control: 'text',
    expected: 'one character, or null',
    default: null,
    absent: 'by the content',
  }),
  header: field(z.boolean().nullable(), {
    label: 'Header',
    help: 'Whether the first row of a table holds names. null: found by the content.',
    control: 'switch',
    expected: 'true, false or null',
    default: null,
    absent: 'by the content',
  }),
  on_bad: choice(['stop', 'skip'], {
    label: 'Texts without a class',
    help: 'Those without a label, or with one that no text of the training part has: stop the import and list them all, or leave them out.',
    default: 'stop',
  }),
};

export const textKinds: readonly SourceKind[] = [
  {
    kind: 'text',
    label: 'Text',
    help: 'Text files in windows of tokens, for models that tell the next character or word.',
    params: textParams,
  },
  {
    kind: 'labelled_text',
    label: 'Labelled texts',
    help: 'Texts with one class each: a folder a class, or a table.',
    params: labelledParams,
  },
];
