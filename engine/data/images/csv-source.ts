/** The `image_csv` source: a table that names image files and their labels, and perhaps the part and the group of each. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { ImageCsvSource } from '../../contract/sources/images.ts';
import type { PartName } from '../../contract/tensors.ts';
import { type ListedFile, listFolder } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import { partInName } from '../part-names.ts';
import { mayRead } from '../reach.ts';
import { csvLabels, labelFault } from './csv-labels.ts';
import { type CsvRow, imageName, readCsvTable } from './csv-table.ts';
import { folderAt, identityOf, readingIdentity } from './folders.ts';
import { imageSet } from './samples.ts';
import { type ScannedFile, scanFiles } from './scan.ts';
import { type ImageParts, imageSource, inputColumn, inputTargets, type PartTargets } from './source.ts';

interface Sample {
  row: CsvRow;
  file: ScannedFile;
}

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, LABEL_RANGE, NOT_READABLE */
export async function openImageCsv(settings: ImageCsvSource, baseDir: string): Promise<OpenSource> {
  const file = path.resolve(baseDir, settings.path);
  const table = await readCsvTable(file, settings);
  const root = settings.root === null ? path.dirname(file) : await folderAt(settings.root, baseDir, 'data.source.root');
  const byPart = await samplesOf(file, table.rows, root, settings.target === 'input');
  const train = byPart.train ?? [];
  if (train.length === 0) {
    throw new GradloomError('DATA_MISSING', `${file} names no images to train with.`, {
      hint: 'Each row names an image; of the part column the value train, or an empty cell, is the training part.',
      path: file,
    });
  }
  const set = imageSet(
    Object.values(byPart).flatMap((own) => own.map(({ file: each }) => each)),
    settings,
    root,
  );
  const labelled = settings.target === 'input' ? null : csvLabels(table, usable(train), settings);
  const targetsOf = (own: readonly Sample[], part: string): PartTargets =>
    labelled ? spread(own, labelled.targets(usable(own), part)) : inputTargets(set, filesOf(own));
  const parts = Object.fromEntries(
    Object.entries(byPart).map(([part, own]) => [part, { samples: filesOf(own), targets: targetsOf(own, part) }]),
  ) as unknown as ImageParts;
  const groups = settings.group === null ? undefined : groupsOf(byPart);
  return {
    ...imageSource(parts, set, labelled?.column ?? inputColumn(set), groups),
    identity: [table.identity, root, { ...settings, on_bad: null }, readingIdentity(settings), identityOf(parts)],
    notes: [...table.notes, ...(labelled?.notes ?? []), ...set.notes],
    skipsBad: settings.on_bad === 'skip',
    target: async () => labelled?.target ?? { kind: 'vector', dims: set.column.shape },
  };
}

const filesOf = (own: readonly Sample[]) => own.map(({ file }) => file);
const usable = (own: readonly Sample[]) => own.flatMap(({ row }) => (labelFault(row) === null ? [row] : []));

/** Targets of the rows that have labels, at the places of all; the others are told as bad and hold zeros. */
function spread(own: readonly Sample[], targets: PartTargets): PartTargets {
  if ('decode' in targets) return targets;
  const { values, labels } = targets;
  const good = own.flatMap(({ row }, at) => (labelFault(row) === null ? [at] : []));
  if (good.length === own.length) return targets;
  const width = good.length === 0 ? 1 : values.length / good.length;
  const all =
    values instanceof Float32Array ? new Float32Array(own.length * width) : new BigInt64Array(own.length * width);
  const allLabels = labels && new Uint32Array(own.length);
  good.forEach((at, i) => {
    all.set(values.subarray(i * width, (i + 1) * width) as never, at * width);
    if (allLabels && labels) allLabels[at] = labels[i] as number;
  });
  return { values: all, labels: allLabels };
}

function groupsOf(byPart: { [part: string]: Sample[] }): { [part: string]: BigInt64Array } {
  const numbers = new Map<string, bigint>();
  const numberOf = ({ row }: Sample): bigint => {
    const name = row.group ?? '';
    const known = numbers.get(name) ?? BigInt(numbers.size);
    numbers.set(name, known);
    return known;
  };
  return Object.fromEntries(Object.entries(byPart).map(([part, own]) => [part, BigInt64Array.from(own, numberOf)]));
}

/** Rows with their files, by part, in the table's order. */
async function samplesOf(
  table: string,
  rows: readonly CsvRow[],
  root: string,
  unlabelled: boolean,
): Promise<{ [part in PartName]?: Sample[] }> {
  const find = await finder(root);
  const listed = await Promise.all(rows.map(({ image }) => find(image)));
  const unique = new Map(listed.flatMap((file) => (file ? [[file.name, file] as const] : [])));
  const scanned = new Map((await scanFiles(root, [...unique.values()])).map((file) => [file.name, file]));
  const byPart: { [part in PartName]?: Sample[] } = {};
  for (const [at, row] of rows.entries()) {
    const part = row.split === null || row.split === '' ? 'train' : partInName(row.split);
    if (part === null) {
      throw new GradloomError('DATA_FORMAT', `Row ${at + 1} of ${table} is of the part ${JSON.stringify(row.split)}.`, {
        hint: 'Parts are train, val and test.',
        path: 'data.source.split',
      });
    }
    const file = scanned.get(listed[at]?.name ?? '');
    const fault = file ? (unlabelled ? null : labelFault(row)) : missing(row.image);
    const own = byPart[part] ?? [];
    byPart[part] = own;
    const header = fault === null ? (file?.header ?? null) : null;
    own.push({
      row,
      file: {
        ...(file ?? { path: path.resolve(root, row.image), bytes: 0, modified: 0 }),
        // As the table names it: what a person looks for.
        name: row.image === '' ? `row ${at + 1}` : row.image,
        header,
        fault: fault ?? file?.fault ?? (header ? null : 'it is no image'),
      },
    });
  }
  return byPart;
}

function missing(image: string): string {
  if (image === '') return 'it names no image';
  return /^[a-z]+:\/\//i.test(image) ? 'it is an address; images are read from the disk' : 'it does not exist';
}

/** Finds a named file below `root`: as it is named, with the ending that the name lacks, or as the only one of its name in a folder below. */
async function finder(root: string): Promise<(image: string) => Promise<ListedFile | null>> {
  const { files } = await listFolder(root, { depth: 32 });
  const byName = new Map(files.map((file) => [file.name, file]));
  const loose = new Map<string, ListedFile | null>();
  for (const file of files) {
    if (!imageName.test(file.name)) continue;
    const stem = file.name.replace(imageName, '');
    // A name that several files answer to is none.
    for (const key of new Set([stem, path.posix.basename(file.name), path.posix.basename(stem)])) {
      loose.set(key, loose.has(key) ? null : file);
    }
  }
  return async (image) => {
    if (image === '') return null;
    const name = path.posix.normalize(image.replaceAll('\\', '/'));
    const found = byName.get(name) ?? loose.get(name);
    if (found) return found;
    const outside = name.startsWith('../') || path.isAbsolute(image);
    if (!outside) return null;
    const full = path.resolve(root, image);
    const status = (await mayRead(full)) ? await stat(full).catch(() => null) : null;
    return status?.isFile() ? { path: full, name: image, bytes: status.size, modified: status.mtimeMs } : null;
  };
}
