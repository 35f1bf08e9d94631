/** The `image_mask` source: images with a class for every pixel. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { ImageMaskSource } from '../../contract/sources/images.ts';
import type { LabelSeen, PartName, TargetType } from '../../contract/tensors.ts';
import { inOrder } from '../in-order.ts';
import type { ColumnType, OpenSource } from '../open-source.ts';
import { BadImage } from './bad-image.ts';
import { folderAt, identityOf, listImages, readingIdentity } from './folders.ts';
import { type Geometry, shaped } from './geometry.ts';
import { type MaskPair, pairMasks } from './mask-pairs.ts';
import { decodeMask } from './mask-values.ts';
import { findParts } from './parts.ts';
import { headerOf, imageSet, noteOf } from './samples.ts';
import { keptAnswer, type ScannedFile, scanFiles } from './scan.ts';
import { type ImageParts, imageSource } from './source.ts';

type Pairs = Partial<Record<PartName, MaskPair[]>>;

/** Of all masks of a part: how often each value occurs, and the sample that it is first met in. */
interface Survey {
  counts: number[];
  firsts: number[];
}

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openImageMask(settings: ImageMaskSource, baseDir: string): Promise<OpenSource> {
  const folder = await folderAt(settings.images, baseDir, 'data.source.images');
  const masksFolder = await folderAt(settings.masks, baseDir, 'data.source.masks');
  const { pairs, notes } = await findPairs(folder, masksFolder);
  const all = Object.values(pairs).flat();
  const set = imageSet(
    all.map(({ image }) => image),
    settings,
    folder,
  );
  const size = set.column.shape.slice(1) as [number, number];
  const column: ColumnType = { dtype: 'uint8', shape: size, scaled: false };
  const geometry: Geometry = { size, mode: settings.resize, fill: [settings.ignore ?? 0], nearest: true };
  const identity = Object.entries(pairs).map(
    ([part, own]) => [part, { samples: own.map(({ mask }) => mask) }] as const,
  );
  const masksIdentity = identityOf(Object.fromEntries(identity));
  // Binary masks as image programs write them: black and white.
  const surveys = () => keptAnswer(['masks', masksFolder, masksIdentity], () => survey(pairs));
  const binary = async () => settings.ignore === 255 && isBinary(await surveys());

  const decode = async ({ image, mask }: MaskPair): Promise<Uint8Array> => {
    headerOf(image);
    const header = headerOf(mask);
    const stored = await decodeMask(mask.path, header);
    // Before anything is padded: what fills up is no foreground.
    const pixels = (await binary())
      ? { ...stored, values: Uint8Array.from(stored.values, (value) => (value === 255 ? 1 : value)) }
      : stored;
    return shaped(pixels, header.orientation, geometry);
  };
  const parts = Object.fromEntries(
    Object.entries(pairs).map(([part, own]) => [
      part,
      {
        samples: own.map(({ image }) => image),
        targets: { decode: (index: number) => decode(own[index] as MaskPair) },
      },
    ]),
  ) as unknown as ImageParts;
  return {
    ...imageSource(parts, set, column),
    identity: [
      folder,
      masksFolder,
      { ignored: settings.ignore },
      settings.classes,
      readingIdentity(settings),
      identityOf(parts),
      masksIdentity,
    ],
    notes: [...notes, ...set.notes],
    skipsBad: settings.on_bad === 'skip',
    target: async () => targetOf(await surveys(), await binary(), size, settings, pairs),
  };
}

async function findPairs(
  folder: string,
  masksFolder: string,
): Promise<{ pairs: Pairs & { train: MaskPair[] }; notes: DataNote[] }> {
  const [images, masks] = await Promise.all([listImages(folder), listImages(masksFolder)]);
  const isImage = ({ header, fault }: ScannedFile) => header !== null || fault !== null;
  const scannedImages = (await scanFiles(folder, images.files)).filter(isImage);
  const scannedMasks = (await scanFiles(masksFolder, masks.files)).filter(isImage);
  const within = (files: readonly ScannedFile[], prefix: string) =>
    files.flatMap((file) => (file.name.startsWith(prefix) ? [{ ...file, name: file.name.slice(prefix.length) }] : []));
  const imageParts = findParts(folder, images.folders).folders;
  const maskParts = findParts(masksFolder, masks.folders).folders;
  const pairs: Pairs = {};
  const lone: { images: ScannedFile[]; masks: ScannedFile[] } = { images: [], masks: [] };
  for (const [part, prefix] of Object.entries(imageParts) as [PartName, string][]) {
    const other = maskParts[part] ?? (part === 'train' ? maskParts.train : null);
    if (other === null) {
      lone.images.push(...within(scannedImages, prefix));
      continue;
    }
    const found = pairMasks(masksFolder, within(scannedImages, prefix), within(scannedMasks, other));
    if (found.pairs.length > 0) pairs[part] = found.pairs;
    lone.images.push(...found.images);
    lone.masks.push(...found.masks);
  }
  const { train, ...others } = pairs;
  if (!train) {
    throw new GradloomError('DATA_MISSING', `${folder} holds no images with masks to train with.`, {
      hint: 'Choose the folder of the images, and the folder of masks with the same names.',
      path: folder,
    });
  }
  return {
    pairs: { train, ...others },
    notes: [
      ...noteOf(lone.images, (n, was) => `${plural(n, 'image')} without a mask ${was} left out`),
      ...noteOf(lone.masks, (n, was) => `${plural(n, 'mask')} without an image ${was} left out`),
    ],
  };
}

/** Values of all masks; those that cannot be read are told by the import. */
async function survey(pairs: Pairs): Promise<{ [part: string]: Survey }> {
  const found: { [part: string]: Survey } = {};
  for (const [part, own] of Object.entries(pairs)) {
    const [counts, firsts] = [new Array<number>(256).fill(0), new Array<number>(256).fill(-1)];
    const values = inOrder(own, async ({ image, mask }) =>
      image.header && mask.header ? (await decodeMask(mask.path, mask.header).catch(forgiven))?.values : undefined,
    );
    let index = 0;
    for await (const mask of values) {
      for (const value of mask ?? []) {
        if (counts[value] === 0) firsts[value] = index;
        counts[value] = (counts[value] as number) + 1;
      }
      index += 1;
    }
    found[part] = { counts, firsts };
  }
  return found;
}

function forgiven(thrown: unknown): null {
  if (thrown instanceof BadImage || typeof (thrown as { code?: unknown }).code === 'string') return null;
  throw thrown;
}

function isBinary(surveys: { [part: string]: Survey }): boolean {
  const there = (value: number) => Object.values(surveys).some(({ counts }) => (counts[value] as number) > 0);
  return there(0) && there(255) && !Array.from({ length: 254 }, (_, i) => i + 1).some(there);
}

function targetOf(
  surveys: { [part: string]: Survey },
  binary: boolean,
  dims: number[],
  { classes, ignore, size, resize }: ImageMaskSource,
  pairs: Pairs,
): TargetType {
  const seen = new Map<number, LabelSeen>();
  const train = new Array<number>(256).fill(0);
  for (const [part, { counts, firsts }] of Object.entries(surveys)) {
    for (let value = 0; value < 256; value += 1) {
      const label = binary && value === 255 ? 1 : value;
      if (part === 'train') train[label] = (train[label] as number) + (counts[value] as number);
      const sample = firsts[value] as number;
      if (sample < 0 || seen.has(label)) continue;
      seen.set(label, { label, sample, file: pairs[part as PartName]?.[sample]?.mask.path ?? '' });
    }
  }
  const [highest, second] = [...seen.values()].sort((a, b) => b.label - a.label);
  if (!highest) {
    throw new GradloomError('DATA_FORMAT', 'None of the masks can be read.', {
      hint: 'A mask is grey, or has a palette whose index is the class.',
      path: 'data.source.masks',
    });
  }
  const isVoid = second !== undefined && highest.label === ignore && isApart(ignore, second.label);
  const last = isVoid ? second : highest;
  const count = Math.max(last.label + 1, highest.label === ignore && !isVoid ? 0 : (classes?.length ?? 0));
  // What fills images up to their size stands for no class either.
  const padded = resize === 'pad' && size !== null && ignore !== null && ignore >= count;
  const names = binary && !classes ? ['background', 'foreground'] : (classes ?? []);
  return {
    kind: 'mask',
    dims,
    classes: Array.from(
      { length: count },
      (_, label) => names[label] ?? (label === ignore ? 'ignored' : String(label)),
    ),
    counts: train.slice(0, count),
    highest: { sample: last.sample, file: last.file },
    ...(isVoid || padded ? { ignored: ignore as number } : {}),
    ...(second && !isVoid ? { second } : {}),
  };
}

/** 255 is what masks mark borders with unless it only goes on where the classes end; another value was chosen by a person. */
const isApart = (ignore: number, below: number) => ignore !== 255 || below < 254;
