/** The `table` source: CSV and kin, Parquet and JSON, one row a sample. */
import { z } from 'zod';
import { columnRoles, type TableRole } from '../data/table.ts';
import { choice, field } from '../fields.ts';
import type { SourceKind } from './kind.ts';

export const tableFormats = ['auto', 'csv', 'parquet', 'json'] as const;
export const columnScales = ['standard', 'minmax', 'none'] as const;
export const missingFills = ['mean', 'median', 'zero', 'indicator'] as const;

/** What a person says of one column; what is not said follows from its values. */
export interface TableColumnSettings {
  role?: TableRole;
  /** Of numbers: z-scores, 0 to 1, or as they are; fitted on the rows that train. */
  scale?: (typeof columnScales)[number];
  /** What stands in for a missing number; `indicator`: the mean, and one more input that says 1 (of categories: a category of its own). */
  missing?: (typeof missingFills)[number];
  /** Texts that mean "missing" in this column, in place of the table's. */
  missing_tokens?: string[];
}

/** How the file is read: the same for a table and for windows of one. */
export interface TableReading {
  path: string;
  format: (typeof tableFormats)[number];
  /** null: by the content. A blank stands for any number of blanks and tabs. */
  delimiter: string | null;
  /** A label of the WHATWG (`windows-1252`, `utf-16le`); null: by the content. */
  encoding: string | null;
  header: boolean | null;
  decimal: '.' | ',' | null;
  /** null: `standardMissing` among numbers, empty cells alone among texts. A list counts in every column. */
  missing: string[] | null;
  on_bad: 'stop' | 'skip';
}

export interface TableSource extends TableReading {
  kind: 'table';
  /** One class, or one or more numbers; null: guessed by names. */
  target: string | string[] | null;
  /** A column that says train, val or test. */
  part_column: string | null;
  columns: { [name: string]: TableColumnSettings };
}

/** What stands for a missing number unless the source lists its own texts. In a column of texts these are categories, all but the empty one. */
export const standardMissing: readonly string[] = [
  '',
  'NA',
  'N/A',
  'n/a',
  'n.a.',
  'N.A.',
  'N.a.',
  '#N/A',
  '<NA>',
  'NaN',
  'nan',
  'NAN',
  'null',
  'NULL',
  'None',
  'none',
  '?',
  '-',
];

const columnSchema = z.strictObject({
  role: z.enum(columnRoles).exactOptional(),
  scale: z.enum(columnScales).exactOptional(),
  missing: z.enum(missingFills).exactOptional(),
  missing_tokens: z.array(z.string()).exactOptional(),
});

const oneOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

export const readingParams = {
  path: field(z.string().min(1), {
    label: 'File',
    help: 'A table: CSV, TSV and kin (gzip or not), Parquet, JSON lines or a JSON list of objects; or a folder with such files named train, test and perhaps val.',
    control: 'path',
    expected: 'a path',
  }),
  format: choice(tableFormats, {
    label: 'Format',
    help: 'What the file holds. auto: recognised by its content.',
    words: { auto: 'by the content', csv: 'CSV', parquet: 'Parquet', json: 'JSON' },
    rare: true,
    default: 'auto',
  }),
  delimiter: field(z.string().length(1).nullable(), {
    label: 'Delimiter',
    help: 'What stands between the cells of a CSV file; a blank stands for any number of blanks and tabs. null: found by the content, outside of quotes.',
    control: 'text',
    rare: true,
    expected: 'one character, or null',
    default: null,
    absent: 'by the content',
  }),
  encoding: field(z.string().min(1).nullable(), {
    label: 'Encoding',
    help: 'How characters are stored: utf-8, utf-16le, windows-1252, shift_jis, … null: found by the content.',
    control: 'text',
    rare: true,
    expected: 'the name of an encoding, or null',
    default: null,
    absent: 'by the content',
  }),
  header: field(z.boolean().nullable(), {
    label: 'Header',
    help: 'Whether the first row holds the names of the columns. null: found by the content.',
    control: 'choice',
    rare: true,
    expected: 'true, false or null',
    default: null,
    absent: 'by the content',
  }),
  decimal: field(z.enum(['.', ',']).nullable(), {
    label: 'Decimal mark',
    help: 'What stands before the fraction of a number. null: found by the content.',
    control: 'choice',
    words: { '.': 'point', ',': 'comma' },
    rare: true,
    expected: '".", "," or null',
    choices: ['.', ','],
    default: null,
    absent: 'by the content',
  }),
  missing: field(z.array(z.string()).nullable(), {
    label: 'Missing values',
    help: `Texts that mean that a value is missing, in every column. null: ${standardMissing.map((token) => (token === '' ? 'an empty cell' : token)).join(', ')} in columns of numbers; in columns of texts an empty cell only, so that no category is lost.`,
    control: 'texts',
    rare: true,
    expected: 'a list of texts, or null',
    default: null,
    absent: 'the standard ones',
  }),
  on_bad: choice(['stop', 'skip'], {
    label: 'Bad rows',
    help: 'Rows that cannot be read (too many cells, a text where a number is needed, no target): stop the import and list them, or leave them out.',
    words: { stop: 'Stop and list', skip: 'Leave out' },
    default: 'stop',
  }),
};

const { path, on_bad, ...reading } = readingParams;
const tableParams = {
  path,
  target: field(z.union([z.string().min(1), z.array(z.string().min(1)).min(1), z.null()]), {
    label: 'Target',
    help: 'The column that is to be predicted, or a list of columns of numbers. null: guessed by the names, else the last column.',
    control: 'text',
    expected: 'the name of a column, a list of names, or null',
    default: null,
    absent: 'guessed',
  }),
  columns: field(z.record(z.string(), columnSchema), {
    label: 'Columns',
    help: `By name: { "role": ${oneOf(columnRoles)}; "scale": ${oneOf(columnScales)}; "missing": ${oneOf(missingFills)}; "missing_tokens": [texts] }. What is not said follows from the whole column.`,
    control: 'columns',
    expected: 'an object of columns by name, each with role, scale, missing or missing_tokens',
    default: {},
  }),
  part_column: field(z.string().min(1).nullable(), {
    label: 'Part column',
    help: 'A column that says of each row whether it is for training, validation or test (train, val, test). null: all rows are for training.',
    control: 'text',
    rare: true,
    expected: 'the name of a column, or null',
    default: null,
    absent: 'none',
  }),
  ...reading,
  on_bad,
};

export const tableKinds: readonly SourceKind[] = [
  {
    kind: 'table',
    label: 'Table',
    isTable: true,
    help: 'Rows of numbers and categories with a column to predict: CSV, TSV, Parquet, JSON lines.',
    params: tableParams,
    fitted: true,
  },
];
