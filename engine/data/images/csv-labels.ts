/** What the labels of an `image_csv` source are: one class a row, several labels, or numbers. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { ImageCsvSource } from '../../contract/sources/images.ts';
import type { TargetType } from '../../contract/tensors.ts';
import { inCodePoints } from '../listing.ts';
import type { ColumnType } from '../open-source.ts';
import type { CsvRow, CsvTable } from './csv-table.ts';
import { classColumn, classTargets, type PartTargets } from './source.ts';

export interface CsvLabels {
  column: ColumnType;
  target: TargetType;
  notes: DataNote[];
  /** Of rows that have labels. @throws GradloomError LABEL_RANGE */
  targets(rows: readonly CsvRow[], part: string): PartTargets;
}

const numeric = (text: string) => text !== '' && Number.isFinite(Number(text));
const whole = (text: string) => /^[+-]?\d+(\.0+)?$/.test(text);
const flag = (text: string) => /^[01](\.0+)?$/.test(text);

/** Why a row's labels cannot be used; null: they can. */
export function labelFault(row: CsvRow): string | null {
  return row.labels.includes(null) ? 'it has no label' : null;
}

/** `train`: the rows of the training part that have labels; they decide. @throws GradloomError DATA_FORMAT */
export function csvLabels(table: CsvTable, train: readonly CsvRow[], settings: ImageCsvSource): CsvLabels {
  const { labels: names } = table;
  const cells = train.map(({ labels }) => labels as string[]);
  const every = (test: (text: string) => boolean) => cells.every((row) => row.every(test));
  const several = names.length > 1;
  const kind = settings.target ?? kindOf(several, every, settings);
  if (kind === 'vector') {
    if (!every(numeric)) throw refused(names, 'numbers', cells, numeric);
    return vectors(names);
  }
  if (kind === 'multi_label') {
    if (!several) return separated(cells.flat(), settings.separator ?? ' ');
    if (!every(flag)) throw refused(names, '0 and 1', cells, flag);
    return flags(names);
  }
  if (!several) return classes(cells.map(([text]) => text as string));
  if (every(flag) && cells.every((row) => row.filter((text) => Number(text) === 1).length === 1)) return oneHot(names);
  throw new GradloomError('DATA_FORMAT', `${names.length} columns of labels make no single class.`, {
    hint: 'Choose one column; or several of 0 and 1, of which one in each row is 1.',
    path: 'data.source.label',
  });
}

function kindOf(several: boolean, every: (test: (text: string) => boolean) => boolean, { separator }: ImageCsvSource) {
  if (separator !== null && !several) return 'multi_label';
  if (several) return every(flag) ? 'multi_label' : 'vector';
  return every(numeric) && !every(whole) ? 'vector' : 'class';
}

function refused(
  names: readonly string[],
  wanted: string,
  cells: readonly string[][],
  test: (text: string) => boolean,
): GradloomError {
  const wrong = cells.flat().find((text) => !test(text));
  return new GradloomError(
    'DATA_FORMAT',
    `The labels in ${names.join(', ')} are to be ${wanted}, but one is ${JSON.stringify(wrong)}.`,
    {
      hint: 'Choose other targets or another column.',
      path: 'data.source.label',
    },
  );
}

function vectors(names: readonly string[]): CsvLabels {
  return {
    column: { dtype: 'float32', shape: [names.length], scaled: false },
    target: { kind: 'vector', dims: [names.length] },
    notes: [],
    targets: numbersOf(names, 'numbers', numeric),
  };
}

/** The training part's have been looked at; those of the others are no better for it. */
function numbersOf(names: readonly string[], wanted: string, test: (text: string) => boolean): CsvLabels['targets'] {
  return (rows) => {
    const cells = rows.map(({ labels }) => labels as string[]);
    if (!cells.every((row) => row.every(test))) throw refused(names, wanted, cells, test);
    return { values: Float32Array.from(cells.flat(), Number), labels: null };
  };
}

function flags(names: readonly string[]): CsvLabels {
  return {
    column: { dtype: 'float32', shape: [names.length], scaled: false },
    target: { kind: 'multi_label', classes: [...names] },
    notes: [],
    targets: numbersOf(names, '0 and 1', flag),
  };
}

function separated(cells: readonly string[], separator: string): CsvLabels {
  const parts = (cell: string | null | undefined) =>
    (cell ?? '')
      .split(separator)
      .map((text) => text.trim())
      .filter((text) => text !== '');
  const names = inOrder([...new Set(cells.flatMap(parts))]);
  const index = new Map(names.map((name, at) => [name, at]));
  return {
    column: { dtype: 'float32', shape: [names.length], scaled: false },
    target: { kind: 'multi_label', classes: names },
    notes: [],
    targets(rows, part) {
      const values = new Float32Array(rows.length * names.length);
      rows.forEach((row, at) => {
        for (const name of parts(row.labels[0])) values[at * names.length + known(index, name, part)] = 1;
      });
      return { values, labels: null };
    },
  };
}

function classes(cells: readonly string[]): CsvLabels {
  return classLabels(inOrder([...new Set(cells)]), cells, ({ labels }) => labels[0] as string);
}

function oneHot(names: readonly string[]): CsvLabels {
  const own = ({ labels }: CsvRow) => {
    const [first, ...more] = names.filter((_, at) => Number(labels[at]) === 1);
    return more.length > 0 ? [first, ...more].join(' + ') : (first ?? '');
  };
  const made = classLabels([...names], null, own);
  return {
    ...made,
    notes: [{ message: `Each of the ${names.length} columns of labels is a class: every row holds a single 1` }],
  };
}

function classLabels(names: string[], cells: readonly string[] | null, own: (row: CsvRow) => string): CsvLabels {
  const index = new Map(names.map((name, at) => [name, at]));
  const counts = new Array<number>(names.length).fill(0);
  for (const cell of cells ?? []) counts[index.get(cell) as number] = (counts[index.get(cell) as number] as number) + 1;
  return {
    column: classColumn,
    target: { kind: 'class', classes: names, ...(cells ? { counts } : {}) },
    notes: [],
    targets: (rows, part) => classTargets(rows.map((row) => known(index, own(row), part))),
  };
}

/** Whole numbers by size, other texts by code points. */
function inOrder(names: string[]): string[] {
  return names.sort(names.every(whole) ? (a, b) => Number(a) - Number(b) : inCodePoints);
}

function known(index: ReadonlyMap<string, number>, name: string, part: string): number {
  const at = index.get(name);
  if (at !== undefined) return at;
  throw new GradloomError(
    'LABEL_RANGE',
    `The ${part} part has the label ${JSON.stringify(name)}, which the training part lacks.`,
    {
      hint: 'Add training images of it, or leave those rows out.',
      path: 'data.source.label',
    },
  );
}
