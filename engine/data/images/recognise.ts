/** Recognises images by their first bytes: in folders of classes, named by a table, or with masks beside them. */
import { basename, dirname, join, relative } from 'node:path';
import type { DataNote, Guess, Recognised } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer, plural } from '../../contract/format.ts';
import { type ResolvedSource, resolveProject } from '../../contract/project.ts';
import type { JsonObject } from '../../contract/report.ts';
import type { DataFacts } from '../../contract/tensors.ts';
import { cacheDir } from '../../workspace.ts';
import { factsOf } from '../describe.ts';
import { type ListedFile, listFolder } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import type { Found } from '../recognise/recogniser.ts';
import { guessPartColumn } from '../table/part-column.ts';
import { openStore } from '../table/store.ts';
import { openImageCsv } from './csv-source.ts';
import { openImageFolder } from './folder-source.ts';
import { formatOf } from './header.ts';
import { openImageMask } from './mask-source.ts';
import { sizesOf, suitedSize } from './samples.ts';
import { imageNames, scanFiles } from './scan.ts';

/** Files, spread over the listing, whose first bytes are looked at. */
const lookedAt = 60;
const mostTables = 5;
/** Larger tables must name images in so many words: names without endings are looked up in small ones only. */
const mostTableBytes = 64 << 20;
const tableName = /\.(csv|tsv|parquet|jsonl|ndjson)(\.gz)?$/i;
const imageFolders = /^(images?|imgs?|jpegimages|inputs?|x|frames|leftimg8bit|photos?)$/i;
const maskFolders =
  /^(masks?|labels?|annotations?|trimaps?|segmentations?|segmentation_?class|gt|ground_?truth|targets?|y|gtfine)$/i;

export async function recogniseImages(found: Found): Promise<Recognised[]> {
  const { kind, files, path } = found;
  if (kind === 'file') return (await namesImages(found, path)) ? withTable(found, path, dirname(path)) : [];
  const share = await imageShare(found);
  if (share === 0) return [];
  const answers: Recognised[] = [];
  const tables = files.filter(({ name }) => tableName.test(name)).slice(0, mostTables);
  for (const table of tables) {
    if (table.bytes > mostTableBytes && !(await namesImages(found, table.path))) continue;
    answers.push(...(await withTable(found, table.path, path)));
  }
  answers.push(...(await withMasks(found)));
  if (share >= 0.5) answers.push(...(await inFolders(found, answers.length > 0)));
  return answers;
}

/** Cheap enough for tables of a million rows, which are about something else. */
async function namesImages({ head }: Found, table: string): Promise<boolean> {
  const start = await head(table, 64 << 10);
  return /\.(jpe?g|png|webp|gif|bmp|tiff?)\b/i.test(start.toString('latin1'));
}

async function imageShare({ files, head }: Found): Promise<number> {
  const step = Math.max(1, Math.floor(files.length / lookedAt));
  let [seen, images] = [0, 0];
  for (let at = 0; at < files.length; at += step) {
    seen += 1;
    if (formatOf(await head((files[at] as ListedFile).path, 16)) !== null) images += 1;
  }
  return seen === 0 ? 0 : images / seen;
}

/** A source with every setting that is not given by default. */
function settled<Kind extends ResolvedSource['kind']>(source: { kind: Kind; [key: string]: unknown }) {
  return resolveProject({ data: { source } }).data.source as Extract<ResolvedSource, { kind: Kind }>;
}

interface Opened {
  opened: OpenSource;
  size: Guess[];
}

/** Opens it as the images are, and where their sizes differ with one that suits them. */
async function withSize(
  open: (size: number | null) => Promise<OpenSource>,
  suggest: () => Promise<Guess>,
): Promise<Opened> {
  try {
    return { opened: await open(null), size: [] };
  } catch (thrown) {
    if (!(thrown instanceof GradloomError) || thrown.path !== 'data.source.size') throw thrown;
  }
  const guess = await suggest();
  return { opened: await open(guess.value as number), size: [guess] };
}

async function suggestedSize(folder: string, files: readonly ListedFile[]): Promise<Guess> {
  const sizes = sizesOf(await scanFiles(folder, files));
  const { size: value, middle } = suitedSize(sizes);
  const spread = `${integer(sizes.length)} different sizes, half of them with a shorter side of ${middle} or less`;
  return { key: 'size', value, reason: `The images have ${spread}; the samples of a data set have one` };
}

async function answerOf(
  source: JsonObject & { kind: string },
  { opened, size }: Opened,
  title: (facts: DataFacts) => string,
  reason: string,
  sure: Recognised['sure'],
): Promise<Recognised> {
  const facts = factsOf(opened, await opened.target());
  const given = size[0] ? { ...source, size: size[0].value } : source;
  return {
    source: given as JsonObject & { kind: string },
    title: title(facts),
    reason,
    sure,
    guesses: size,
    notes: [...(opened.notes ?? []), ...voidNotes(facts)],
    facts,
  };
}

function voidNotes({ target }: DataFacts): DataNote[] {
  if (target.kind !== 'mask' || target.ignored === undefined) return [];
  const { ignored } = target;
  return [
    {
      message: `Positions of value ${ignored} belong to no class: the loss is to ignore them (ignore_index ${ignored})`,
    },
  ];
}

function partsIn({ parts }: DataFacts): string {
  const others = [parts.val && `${integer(parts.val)} to validate`, parts.test && `${integer(parts.test)} to test`];
  return [plural(parts.train, 'image'), ...others.filter((text) => text)].join(', ');
}

async function withTable({ kind }: Found, table: string, folder: string): Promise<Recognised[]> {
  const source = { kind: 'image_csv' as const, path: table };
  const below = kind === 'file' ? dirname(table) : folder;
  // Beside many images a table may be about something else: then it names none of them.
  const split = await partColumn(table);
  const divided = split ? { split: String(split.value) } : {};
  const lenient = {
    ...settled(source),
    ...divided,
    root: below === dirname(table) ? null : below,
    on_bad: 'skip' as const,
  };
  const open = (size: number | null) => openImageCsv({ ...lenient, size }, folder);
  try {
    const { opened, size } = await withSize(open, async () =>
      suggestedSize(below, (await listFolder(below, { depth: 32 })).files),
    );
    const given = { ...source, ...divided, ...(below === dirname(table) ? {} : { root: below }) };
    const title = (facts: DataFacts) => `Table of images, ${partsIn(facts)}`;
    const answer = await answerOf(
      given,
      { opened, size },
      title,
      `A column of ${basename(table)} names image files that are there.`,
      'certain',
    );
    return [{ ...answer, guesses: [...answer.guesses, ...(split ? [split] : [])] }];
  } catch (thrown) {
    if (thrown instanceof GradloomError && thrown.code !== 'CANCELLED') return [];
    throw thrown;
  }
}

/** null: none, or no table that can be read. */
async function partColumn(table: string): Promise<Guess | null> {
  const reading = { format: 'auto', delimiter: null, encoding: null, header: null } as const;
  const options = { cacheDir: cacheDir() };
  try {
    return await guessPartColumn(await openStore(table, reading, options), 'split', options);
  } catch (thrown) {
    if (thrown instanceof GradloomError && thrown.code !== 'CANCELLED') return null;
    throw thrown;
  }
}

/** Sibling folders, one of images and one of masks. */
async function withMasks({ folders, path, files }: Found): Promise<Recognised[]> {
  const answers: Recognised[] = [];
  for (const images of folders.filter((name) => imageFolders.test(basename(name)))) {
    for (const masks of folders.filter(
      (name) => dirname(name) === dirname(images) && maskFolders.test(basename(name)),
    )) {
      const source = { kind: 'image_mask' as const, images: join(path, images), masks: join(path, masks) };
      const open = (size: number | null) => openImageMask({ ...settled(source), size }, path);
      const own = files.filter(({ name }) => name.startsWith(`${images}/`));
      const renamed = own.map((file) => ({
        ...file,
        name: relative(join(path, images), file.path).replaceAll('\\', '/'),
      }));
      try {
        const found = await withSize(open, () => suggestedSize(source.images, renamed));
        const reason = `The folders ${images} and ${masks} hold files of the same names.`;
        answers.push(
          await answerOf(source, found, (facts) => `Images and masks, ${partsIn(facts)}`, reason, 'certain'),
        );
      } catch (thrown) {
        // Labels of another kind, such as texts with boxes.
        if (!(thrown instanceof GradloomError) || thrown.code === 'CANCELLED') throw thrown;
      }
    }
  }
  return answers;
}

/** Part, class and a folder of its own at most stand above the images of a data set. */
const usualSteps = 4;

/** Whether most images lie deep below, beside files of other kinds: the folders are then hardly classes. */
function isScattered(files: readonly ListedFile[]): boolean {
  const images = files.filter(({ name }) => imageNames.test(name));
  const deep = images.filter(({ name }) => name.split('/').length >= usualSteps);
  const places = new Set(deep.map(({ name }) => dirname(name)));
  const isMixed = files.some(({ name }) => !imageNames.test(name) && places.has(dirname(name)));
  return isMixed && deep.length * 2 > images.length;
}

async function inFolders({ path, files }: Found, another: boolean): Promise<Recognised[]> {
  const source = { kind: 'image_folder' as const, path };
  const settings = settled(source);
  try {
    const found = await withSize(
      (size) => openImageFolder({ ...settings, size }, path),
      () => suggestedSize(path, files),
    );
    const target = await found.opened.target();
    const classes = target.kind === 'class' ? target.classes.length : 0;
    const title = (facts: DataFacts) => `Image folder, ${plural(classes, 'class', 'classes')}, ${partsIn(facts)}`;
    const reason = `${classes === 1 ? 'A folder holds' : `${classes} folders hold`} images; the name of a folder is the class of what lies in it.`;
    const sure = another || isScattered(files) ? 'possible' : classes > 1 ? 'certain' : 'likely';
    return [await answerOf(source, found, title, reason, sure)];
  } catch (thrown) {
    if (!(thrown instanceof GradloomError) || thrown.code === 'CANCELLED') throw thrown;
    if (another) return []; // the table or the masks that were found say more
    if (!/class folders/.test(thrown.message)) throw thrown;
  }
  const open = (size: number | null) => openImageFolder({ ...settings, target: 'input', size }, path);
  const found = await withSize(open, () => suggestedSize(path, files));
  const reason =
    'Images without class folders: a network can learn to give them again (autoencoder). Labels may come from a table.';
  return [
    await answerOf(
      { ...source, target: 'input' },
      found,
      (facts) => `Images without labels, ${partsIn(facts)}`,
      reason,
      'possible',
    ),
  ];
}
