/** The `image_folder` source: a folder of images for each class, in one part or several; the class map is the training part's, by name. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer, plural } from '../../contract/format.ts';
import type { ImageFolderSource } from '../../contract/sources/images.ts';
import type { PartName, TargetType } from '../../contract/tensors.ts';
import { type FolderListing, inCodePoints } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import { folderAt, identityOf, listImages, readingIdentity } from './folders.ts';
import { type FoundParts, findParts } from './parts.ts';
import { imageSet, noteOf } from './samples.ts';
import { type ScannedFile, scanFiles } from './scan.ts';
import {
  classColumn,
  classTargets,
  type ImagePart,
  type ImageParts,
  imageSource,
  inputColumn,
  inputTargets,
} from './source.ts';

interface Part {
  samples: ScannedFile[];
  /** By sample: index in `classes`. */
  labels: number[];
}

type Parts = Partial<Record<PartName, Part>> & { train: Part };

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, NOT_READABLE */
export async function openImageFolder(settings: ImageFolderSource, baseDir: string): Promise<OpenSource> {
  const folder = await folderAt(settings.path, baseDir, 'data.source.path');
  const listing = await listImages(folder);
  const found = findParts(folder, listing.folders);
  const sorted = sortOut(found, await scanFiles(folder, listing.files));
  const labelled = settings.target === 'class';
  const classes = labelled ? classesOf(folder, found, listing, sorted, settings) : null;
  const labelledParts = partsOf(folder, sorted, classes);
  const set = imageSet(
    Object.values(labelledParts).flatMap(({ samples }) => samples),
    settings,
    folder,
  );
  const target: TargetType = classes
    ? { kind: 'class', classes: classes.names, counts: countsOf(labelledParts.train.labels, classes.names.length) }
    : { kind: 'vector', dims: set.column.shape };
  const withTargets = ({ samples, labels }: Part): ImagePart => ({
    samples,
    targets: classes ? classTargets(labels) : inputTargets(set, samples),
  });
  const { train, ...others } = labelledParts;
  const parts: ImageParts = { train: withTargets(train) };
  for (const [part, own] of Object.entries(others)) parts[part as PartName] = withTargets(own);
  return {
    ...imageSource(parts, set, classes ? classColumn : inputColumn(set)),
    identity: [folder, settings.target, classes?.names ?? null, readingIdentity(settings), identityOf(parts)],
    notes: [...listingNotes(listing, found, sorted, labelled), ...(classes?.notes ?? []), ...set.notes],
    skipsBad: settings.on_bad === 'skip',
    target: async () => target,
  };
}

interface Sorted {
  byPart: { [part in PartName]?: ScannedFile[] };
  /** Files of a part that are no images. */
  strays: ScannedFile[];
}

/** Images by part, named relative to it; what lies beside the parts belongs to none. */
function sortOut({ folders }: FoundParts, files: readonly ScannedFile[]): Sorted {
  const sorted: Sorted = { byPart: {}, strays: [] };
  for (const [part, prefix] of Object.entries(folders) as [PartName, string][]) {
    const own: ScannedFile[] = [];
    for (const file of files) {
      if (!file.name.startsWith(prefix)) continue;
      if (file.header === null && file.fault === null) sorted.strays.push(file);
      else own.push({ ...file, name: file.name.slice(prefix.length) });
    }
    sorted.byPart[part] = inFolderOrder(own);
  }
  return sorted;
}

/** torchvision's order: class by class, folder by folder, by name. */
function inFolderOrder(files: ScannedFile[]): ScannedFile[] {
  const keyed = files.map((file) => {
    const at = file.name.lastIndexOf('/');
    return { file, above: file.name.slice(0, Math.max(0, at)), name: file.name.slice(at + 1) };
  });
  // Of class folders first: "a b" sorts before "a/b" as text, after "a" as a name.
  const classOf = (above: string) => above.split('/', 1)[0] as string;
  keyed.sort(
    (a, b) =>
      inCodePoints(classOf(a.above), classOf(b.above)) ||
      inCodePoints(a.above, b.above) ||
      inCodePoints(a.name, b.name),
  );
  return keyed.map(({ file }) => file);
}

/** The class folder that a sample lies in; null: in none. */
function classOf({ name }: ScannedFile): string | null {
  const at = name.indexOf('/');
  return at < 0 ? null : name.slice(0, at);
}

interface Classes {
  names: string[];
  notes: DataNote[];
}

function classesOf(
  folder: string,
  { folders }: FoundParts,
  listing: FolderListing,
  { byPart }: Sorted,
  { empty_classes }: ImageFolderSource,
): Classes {
  const train = byPart.train ?? [];
  const there = new Set(train.map(classOf));
  const prefix = folders.train;
  const all = listing.folders
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/'))
    .map((name) => name.slice(prefix.length))
    .filter((name) => name !== '');
  const empty = all.filter((name) => !there.has(name));
  const names = empty_classes === 'keep' ? all : all.filter((name) => there.has(name));
  names.sort(inCodePoints);
  if (names.length === 0) {
    throw new GradloomError(
      'DATA_FORMAT',
      train.length === 0
        ? `${folder} holds no images${prefix === '' ? '' : ` in ${prefix}`}.`
        : `The ${integer(train.length)} images in ${folder} lie in no class folders.`,
      {
        hint: 'Put the images of each class into a folder of its name; a table that says their labels is the source image_csv; target "input" needs none.',
        path: folder,
      },
    );
  }
  refuseUnseen(byPart, names, empty_classes);
  const fate = empty_classes === 'keep' ? 'counts as a class all the same' : 'is no class';
  const notes = noteOf(
    empty.map((name) => ({ name })),
    (n) =>
      `${n === 1 ? '1 class folder' : `Each of ${n} class folders`} without training images ${fate} (empty_classes "${empty_classes}")`,
  );
  return { names, notes };
}

/** A class that is never trained: indices would shift, or the answer could not be right. */
function refuseUnseen(
  byPart: Sorted['byPart'],
  names: readonly string[],
  empty: ImageFolderSource['empty_classes'],
): void {
  const known = new Set<string | null>([...names, null]);
  for (const part of ['val', 'test'] as const) {
    const unseen = new Map<string, number>();
    for (const file of byPart[part] ?? []) {
      const own = classOf(file);
      if (own !== null && !known.has(own)) unseen.set(own, (unseen.get(own) ?? 0) + 1);
    }
    if (unseen.size === 0) continue;
    const list = [...unseen].slice(0, 5).map(([name, count]) => `${JSON.stringify(name)} (${integer(count)})`);
    const more = unseen.size > 5 ? ` and ${unseen.size - 5} more` : '';
    throw new GradloomError(
      'LABEL_RANGE',
      `The ${part} part has images of classes that the training part lacks: ${list.join(', ')}${more}.`,
      {
        hint: `Add training images of these classes, or move them out of the ${part} part.${empty === 'drop' ? ' A folder without images is no class while empty_classes is "drop".' : ''}`,
        path: 'data.source.path',
      },
    );
  }
}

function partsOf(folder: string, { byPart }: Sorted, classes: Classes | null): Parts {
  const index = new Map(classes?.names.map((name, at) => [name, at]));
  const made: Partial<Record<PartName, Part>> = {};
  for (const [part, files] of Object.entries(byPart) as [PartName, ScannedFile[]][]) {
    const samples = classes ? files.filter((file) => classOf(file) !== null) : files;
    if (samples.length === 0 && part !== 'train') continue;
    made[part] = {
      samples,
      labels: classes ? samples.map((file) => index.get(classOf(file) as string) as number) : [],
    };
  }
  const { train } = made;
  if (!train || train.samples.length === 0) {
    throw new GradloomError('DATA_MISSING', `The training part in ${folder} holds no images.`, {
      hint: 'PNG, JPEG, WebP, GIF, BMP and TIFF are read, whatever the names end in.',
      path: folder,
    });
  }
  return { ...made, train };
}

export function countsOf(labels: readonly number[], classes: number): number[] {
  const counts = new Array<number>(classes).fill(0);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** Files that belong to no sample, by why. */
function listingNotes(
  listing: FolderListing,
  { folders, beside }: FoundParts,
  { byPart, strays }: Sorted,
  labelled: boolean,
): DataNote[] {
  const files = (count: number) => plural(count, 'file');
  const named = (name: string) => ({ name });
  const prefixes = Object.values(folders);
  const loose = listing.files.filter(({ name }) => !prefixes.some((prefix) => name.startsWith(prefix)));
  const homeless = labelled
    ? Object.values(byPart).flatMap((found) => found.filter((file) => classOf(file) === null))
    : [];
  return [
    ...noteOf(listing.ignored.map(named), (n, was) => `${plural(n, 'stray file')} or folders ${was} left out`),
    ...noteOf(strays, (n, was, is) => `${files(n)} ${is} no images and ${was} left out`),
    ...noteOf(homeless, (n, was) => `${plural(n, 'image')} in no class folder ${was} left out`),
    ...noteOf(loose, (n, was) => `${files(n)} beside the parts ${was} left out`),
    ...noteOf(beside.map(named), (n, was) => `${plural(n, 'folder')} beside the parts ${was} left out`),
  ];
}
