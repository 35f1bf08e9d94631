/** Sources of image files: folders of classes, a table that names images, images with masks. */
import { z } from 'zod';
import { choice, field, spanSchema } from '../fields.ts';
import type { SourceKind } from './kind.ts';
import { type TableReading, readingParams as tableParams } from './table.ts';

export const imageChannels = ['auto', 'L', 'RGB', 'RGBA'] as const;
export const resizeModes = ['crop', 'stretch', 'pad'] as const;

/** How image files become samples of one shape. */
export interface ImageReading {
  /** null: all have one size. One number: height and width. */
  size: number | number[] | null;
  resize: (typeof resizeModes)[number];
  /** Of padding, 0 to 255; one value, or one a channel. */
  fill: number[];
  channels: (typeof imageChannels)[number];
  on_bad: 'stop' | 'skip';
}

export interface ImageFolderSource extends ImageReading {
  kind: 'image_folder';
  path: string;
  /** `input`: what an autoencoder has to give. */
  target: 'class' | 'input';
  empty_classes: 'keep' | 'drop';
}

export const imageCsvTargets = ['class', 'multi_label', 'vector', 'input'] as const;

export interface ImageCsvSource extends ImageReading, Pick<TableReading, 'delimiter' | 'encoding' | 'header'> {
  kind: 'image_csv';
  path: string;
  /** What the names of images are relative to; null: the table's folder. */
  root: string | null;
  image: string | null;
  label: string | string[] | null;
  target: (typeof imageCsvTargets)[number] | null;
  separator: string | null;
  split: string | null;
  group: string | null;
}

export interface ImageMaskSource extends ImageReading {
  kind: 'image_mask';
  images: string;
  masks: string;
  /** The value of pixels that belong to no class; null: there is none. */
  ignore: number | null;
  /** Names of the classes, in the order of their values; null: their numbers. */
  classes: string[] | null;
}

/** JPEG's own limit; no network takes more. */
const largestSide = 65_535;
const side = z.number().int().min(1).max(largestSide);

const readingParams = {
  size: field(spanSchema(2, side, side).nullable(), {
    label: 'Size',
    help: 'Height and width of every sample; one number is both. null: as the images are, which must then all have one size.',
    control: 'pair',
    rank: 2,
    min: 1,
    max: largestSide,
    expected: 'an integer ≥ 1, [height, width], or null',
    default: null,
    absent: 'as they are',
  }),
  resize: choice(resizeModes, {
    label: 'Resize',
    help: 'How images come to the size, always antialiased: crop: the shorter side is resized and the middle kept (Resize and CenterCrop of torchvision); stretch: both sides; pad: the longer side, the rest is filled.',
    words: { crop: 'Crop the middle', stretch: 'Stretch', pad: 'Pad' },
    default: 'crop',
    idle: ({ size }) => (size === null ? 'nothing is resized without a size' : null),
  }),
  fill: field(z.array(z.number().int().min(0).max(255)).min(1).max(4), {
    label: 'Fill',
    help: 'What padding holds: one value from 0 to 255, or one for each channel.',
    control: 'numbers',
    expected: 'a list of 1 to 4 integers from 0 to 255',
    default: [0],
    idle: ({ size, resize }) => (size === null || resize !== 'pad' ? 'nothing is padded' : null),
  }),
  channels: choice(imageChannels, {
    label: 'Channels',
    help: 'L: grey, RGB, or RGBA, as Pillow converts. auto: grey where all images are grey, else RGB; alpha is left out then and colours stay as they are stored.',
    words: { auto: 'as the images are', L: 'grey (L)', RGB: 'colour (RGB)', RGBA: 'colour and alpha (RGBA)' },
    default: 'auto',
  }),
  on_bad: choice(['stop', 'skip'], {
    label: 'Unreadable images',
    help: 'Stop the import and list them all, or leave them out.',
    words: { stop: 'Stop and list', skip: 'Leave out' },
    default: 'stop',
  }),
};

const folderParams = {
  path: field(z.string().min(1), {
    label: 'Folder',
    help: 'A folder with a folder of images for each class, or with folders train, val and test of that kind.',
    control: 'path',
    expected: 'a path',
  }),
  target: choice(['class', 'input'], {
    label: 'Targets',
    help: 'class: the name of the folder that an image lies in. input: none, the network has to give its input again (autoencoder).',
    words: { class: 'the folder', input: 'the image itself' },
    rare: true,
    default: 'class',
  }),
  ...readingParams,
  empty_classes: choice(['keep', 'drop'], {
    label: 'Empty class folders',
    help: 'keep: a class without a training image counts as a class all the same; drop: it does not.',
    words: { keep: 'Keep', drop: 'Drop' },
    rare: true,
    default: 'keep',
    idle: ({ target }) => (target === 'input' ? 'there are no classes' : null),
  }),
};

const column = (label: string, help: string, absent: string) =>
  field(z.string().min(1).nullable(), {
    label,
    help,
    control: 'text',
    expected: 'the name of a column, or null',
    default: null,
    absent,
  });

const csvParams = {
  path: field(z.string().min(1), {
    label: 'Table',
    help: 'A CSV, TSV, Parquet or JSON lines file with a row for each image.',
    control: 'path',
    expected: 'a path',
  }),
  root: field(z.string().min(1).nullable(), {
    label: 'Image folder',
    help: "What the names of the images are relative to. null: the table's own folder.",
    control: 'path',
    expected: 'a path, or null',
    default: null,
    absent: "the table's folder",
  }),
  image: column('Image column', 'Names of the image files. null: the column whose values are names of files.', 'found'),
  label: field(z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).nullable(), {
    label: 'Label column',
    help: 'The column of labels, or a list of several. null: the one that is left.',
    control: 'text',
    expected: 'the name of a column, a list of names, or null',
    default: null,
    absent: 'found',
  }),
  target: field(z.enum(imageCsvTargets).nullable(), {
    label: 'Targets',
    help: 'class: one class, by name; multi_label: several labels, as columns of 0 and 1 or separated in one column; vector: numbers; input: none (autoencoder). null: by the values.',
    control: 'choice',
    expected: `null or one of ${imageCsvTargets.map((kind) => `"${kind}"`).join(', ')}`,
    choices: imageCsvTargets,
    default: null,
    absent: 'by the values',
  }),
  separator: field(z.string().min(1).nullable(), {
    label: 'Label separator',
    help: 'What stands between several labels in one column, such as | or a blank. null: each cell is one label.',
    control: 'text',
    expected: 'a text, or null',
    default: null,
    absent: 'one label a cell',
  }),
  split: column('Part column', 'Says train, val or test of each row. null: all rows are of the training part.', 'none'),
  group: column(
    'Group column',
    'Samples of one group stay together when a split is drawn: a patient, a scene.',
    'none',
  ),
  delimiter: tableParams.delimiter,
  encoding: tableParams.encoding,
  header: tableParams.header,
  ...readingParams,
};

const maskParams = {
  images: field(z.string().min(1), {
    label: 'Images',
    help: 'A folder of images, perhaps with folders train, val and test.',
    control: 'path',
    expected: 'a path',
  }),
  masks: field(z.string().min(1), {
    label: 'Masks',
    help: 'A folder of masks with the same names as the images, whatever the ending: each value (of a palette: its index) is a class.',
    control: 'path',
    expected: 'a path',
  }),
  ignore: field(z.number().int().min(0).max(255).nullable(), {
    label: 'Ignored value',
    help: 'The value of pixels that belong to no class; give the loss the same ignore_index. Where masks hold only 0 and 255, 255 is class 1. null: every value is a class.',
    control: 'integer',
    expected: 'an integer from 0 to 255, or null',
    default: 255,
    absent: 'none',
  }),
  classes: field(z.array(z.string()).min(1).nullable(), {
    label: 'Class names',
    help: 'Of the values 0, 1, 2 and so on. null: their numbers.',
    control: 'texts',
    expected: 'a list of texts, or null',
    default: null,
    absent: 'numbers',
  }),
  ...readingParams,
};

export const imageKinds: readonly SourceKind[] = [
  {
    kind: 'image_folder',
    label: 'Image folder',
    help: 'Images in a folder for each class: PNG, JPEG, WebP, GIF, BMP, TIFF.',
    params: folderParams,
    images: 'files',
  },
  {
    kind: 'image_csv',
    label: 'Table of images',
    help: 'A table that names image files and their labels.',
    params: csvParams,
    images: 'files',
  },
  {
    kind: 'image_mask',
    label: 'Images and masks',
    help: 'A class for every pixel: images, and masks of the same names.',
    params: maskParams,
    images: 'files',
  },
];
