/** The table of an `image_csv` source: which columns name images, labels, parts and groups. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { ImageCsvSource } from '../../contract/sources/images.ts';
import { cacheDir } from '../../workspace.ts';
import { remember } from '../remember.ts';
import { withDatabase } from '../table/duckdb.ts';
import { refuseRagged } from '../table/files.ts';
import { openStore, storeParameters, storeRows } from '../table/store.ts';

export interface CsvTable {
  /** Names of the columns of labels. */
  labels: string[];
  rows: CsvRow[];
  notes: DataNote[];
  identity: unknown;
}

export interface CsvRow {
  image: string;
  labels: (string | null)[];
  split: string | null;
  group: string | null;
}

export const imageName = /\.(jpe?g|jpe|jfif|png|webp|gif|bmp|dib|tiff?)$/i;
const imageColumn =
  /^(image|img|file|filename|filepath|path|id|image_?(id|name|path|file)|file_?(name|path)|id_code)$/i;
const labelColumn =
  /^(label|labels|class|classes|class_?name|target|targets|category|y|tag|tags|breed|species|diagnosis|level|label_?(id|name)|category_?(id|name))$/i;
/** Of so many rows the columns' meanings are guessed. */
const lookedAt = 500;

type Row = (string | null)[];

/** @throws GradloomError DATA_*, NOT_READABLE */
export async function readCsvTable(path: string, settings: ImageCsvSource): Promise<CsvTable> {
  const store = await openStore(path, { ...settings, format: 'auto' }, { cacheDir: cacheDir() });
  const { names, identity } = store;
  const ragged: DataNote[] = [];
  if (store.raggedCount > 0) refuseRagged(store, settings.on_bad, ragged);
  const rows = await remember(['image table', identity], () =>
    withDatabase(cacheDir(), (database) => {
      const columns = names.map((_, i) => `c${i}`).join(', ');
      return database.rows(`SELECT ${columns} FROM ${storeRows} ORDER BY file_row_number`, storeParameters(store));
    }),
  );
  const texts = rows as Row[];
  const image = settings.image === null ? guessImage(path, names, texts) : place(path, names, settings.image, 'image');
  const split = settings.split === null ? null : place(path, names, settings.split, 'split');
  const group = settings.group === null ? null : place(path, names, settings.group, 'group');
  const taken = new Set([image, split, group]);
  const labels =
    settings.target === 'input'
      ? []
      : settings.label === null
        ? guessLabels(path, names, texts, taken)
        : [settings.label].flat().map((name) => place(path, names, name, 'label'));
  const guessed = [
    ...(settings.image === null ? [`${JSON.stringify(names[image])} names the images`] : []),
    ...(settings.label === null && labels.length > 0
      ? [
          `${labels.map((at) => JSON.stringify(names[at])).join(', ')} ${labels.length === 1 ? 'holds' : 'hold'} the labels`,
        ]
      : []),
  ];
  return {
    labels: labels.map((at) => names[at] as string),
    rows: texts.map((row) => ({
      image: row[image]?.trim() ?? '',
      labels: labels.map((at) => row[at]?.trim() || null),
      split: split === null ? null : (row[split]?.trim() ?? null),
      group: group === null ? null : (row[group]?.trim() ?? null),
    })),
    notes: [
      ...(guessed.length > 0 ? [{ message: `By their names and values: column ${guessed.join('; ')}` }] : []),
      ...store.notes,
      ...ragged,
    ],
    identity,
  };
}

function place(path: string, names: readonly string[], name: string, key: string): number {
  const exact = names.indexOf(name);
  const at = exact >= 0 ? exact : names.findIndex((each) => each.toLowerCase() === name.toLowerCase());
  if (at >= 0) return at;
  throw new GradloomError('DATA_FORMAT', `${path} has no column ${JSON.stringify(name)}.`, {
    hint: `It has ${names
      .slice(0, 12)
      .map((each) => JSON.stringify(each))
      .join(', ')}${names.length > 12 ? ', …' : ''}.`,
    path: `data.source.${key}`,
  });
}

/** The column with most names of image files; where names have no endings, one that is called so. */
function guessImage(path: string, names: readonly string[], rows: readonly Row[]): number {
  const seen = rows.slice(0, lookedAt);
  const shares = names.map(
    (_, at) => seen.filter((row) => imageName.test(row[at] ?? '')).length / Math.max(1, seen.length),
  );
  const best = Math.max(...shares);
  if (best > 0.5) return shares.indexOf(best);
  const named = names.findIndex((name) => imageColumn.test(name.trim()));
  if (named >= 0) return named;
  throw new GradloomError('DATA_FORMAT', `No column of ${path} holds names of image files.`, {
    hint: `Set data.source.image to one of its columns: ${names.slice(0, 12).join(', ')}.`,
    path: 'data.source.image',
  });
}

function guessLabels(
  path: string,
  names: readonly string[],
  rows: readonly Row[],
  taken: ReadonlySet<number | null>,
): number[] {
  const left = names.map((_, at) => at).filter((at) => !taken.has(at));
  if (left.length === 1) return left;
  const named = left.filter((at) => labelColumn.test((names[at] as string).trim()));
  if (named.length === 1) return named;
  const seen = rows.slice(0, lookedAt);
  const flags = left.filter((at) => seen.every((row) => /^[01](\.0+)?$/.test(row[at]?.trim() ?? '')));
  if (flags.length > 1) return flags;
  throw new GradloomError('DATA_FORMAT', `Which column of ${path} holds the labels is not clear.`, {
    hint: `Set data.source.label to one or several of ${left
      .slice(0, 12)
      .map((at) => names[at])
      .join(', ')}; target "input" needs none.`,
    path: 'data.source.label',
  });
}
