/** The files of CIFAR's binary version, in a folder or in its archive, gzipped or not, and what they are by their sizes and names. */
import { basename, resolve } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import { integer } from '../../contract/format.ts';
import { type ContentOptions, isGzip, measureContent, readContent, readStart } from '../content.ts';
import { inCodePoints, listFolder } from '../listing.ts';
import { pathStatus } from '../path-status.ts';
import { remember } from '../remember.ts';
import { readTar } from '../tar.ts';

/** Bytes of pixels of one image: red, green and blue planes of 32 × 32. */
export const pixelBytes = 3 * 32 * 32;

export interface CifarFile {
  /** Relative to the source's path. */
  name: string;
  /** The file itself, or the archive that it lies in. */
  path: string;
  /** Of its content. */
  bytes: number;
  /** Its content lies in the file as it is. */
  plain: boolean;
  content(options?: ContentOptions): AsyncIterable<Buffer>;
}

export interface CifarFiles {
  /** Of CIFAR-100 each image has a coarse and a fine label before its pixels. */
  labelBytes: 1 | 2;
  train: CifarFile[];
  test: CifarFile[];
  /** Lines of the files of class names, by name. */
  names: Map<string, string[]>;
  /** Sizes and times of the files that were looked at. */
  identity: unknown[];
}

const binary = /^(data_batch_\d+|test_batch|train|test)\.bin(\.gz)?$/i;
const namesFile = /^(batches\.meta|fine_label_names|coarse_label_names)\.txt$/i;
const pickled = /^(data_batch_\d+|test_batch|train|test|meta|batches\.meta)$/i;

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, DATA_TRUNCATED, NOT_READABLE */
export async function findCifar(given: string, baseDir: string): Promise<CifarFiles> {
  const path = resolve(baseDir, given);
  const status = await pathStatus(path, 'the folder of CIFAR’s binary version, or to its archive');
  const found = status.isDirectory()
    ? await inFolder(path)
    : await remember(['cifar', path, status.size, status.mtimeMs], () => inArchive(path));
  return sorted(path, found, status.isDirectory() ? [] : [[path, status.size, status.mtimeMs]]);
}

interface Found {
  files: CifarFile[];
  names: Map<string, string[]>;
  /** Files of the version for Python. */
  pickles: string[];
  identity: unknown[];
}

async function inFolder(folder: string): Promise<Found> {
  const found: Found = { files: [], names: new Map(), pickles: [], identity: [] };
  const listing = await listFolder(folder, { depth: 3, most: 2_000 });
  for (const { path, name, bytes, modified } of listing.files) {
    const short = basename(name);
    if (namesFile.test(short)) found.names.set(short.toLowerCase(), await readLines(readContent(path)));
    else if (pickled.test(short)) found.pickles.push(name);
    if (binary.test(short)) {
      const packed = await isGzip(path);
      const size = packed ? await remember(['size', path, bytes, modified], () => measureContent(path)) : bytes;
      found.files.push({ name, path, bytes: size, plain: !packed, content: (options) => readContent(path, options) });
    } else if (!namesFile.test(short)) continue;
    found.identity.push([path, bytes, modified]);
  }
  return found;
}

async function inArchive(path: string): Promise<Found> {
  const start = await readStart(path, 512);
  if (start.toString('latin1', 257, 262) !== 'ustar') {
    throw new GradloomError('DATA_FORMAT', `${path} is neither a folder nor a TAR archive.`, {
      hint: 'Choose the folder cifar-10-batches-bin or cifar-100-binary, or the archive cifar-10-binary.tar.gz or cifar-100-binary.tar.gz.',
      path,
    });
  }
  const found: Found = { files: [], names: new Map(), pickles: [], identity: [] };
  for await (const { name, bytes, content } of readTar(path)) {
    const short = basename(name);
    if (namesFile.test(short)) found.names.set(short.toLowerCase(), await readLines(content));
    else if (pickled.test(short)) found.pickles.push(name);
    else if (binary.test(short)) {
      const own = (options: ContentOptions = {}) => contentOf(path, name, options);
      found.files.push({ name, path, bytes, plain: false, content: own });
    }
  }
  return found;
}

async function* contentOf(archive: string, name: string, options: ContentOptions): AsyncGenerator<Buffer, void, void> {
  for await (const file of readTar(archive, options)) {
    if (file.name !== name) continue;
    yield* file.content;
    return;
  }
}

async function readLines(content: AsyncIterable<Buffer>): Promise<string[]> {
  const parts: Buffer[] = [];
  for await (const chunk of content) parts.push(chunk);
  const lines = Buffer.concat(parts).toString('utf8').split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function sorted(path: string, { files, names, pickles, identity }: Found, more: unknown[]): CifarFiles {
  if (files.length === 0) {
    throw pickles.length > 0
      ? new GradloomError('DATA_FORMAT', `${path} is CIFAR's version for Python (${pickles.slice(0, 3).join(', ')}).`, {
          hint: 'Pickled files can run any code when they are read, so they are not. Fetch the binary version: cifar-10-binary.tar.gz or cifar-100-binary.tar.gz.',
          path,
        })
      : new GradloomError('DATA_MISSING', `${path} holds no files of CIFAR's binary version.`, {
          hint: 'They are called data_batch_1.bin to data_batch_5.bin and test_batch.bin (CIFAR-10), train.bin and test.bin (CIFAR-100).',
          path,
        });
  }
  files.sort((a, b) => inCodePoints(a.name, b.name));
  const labelBytes = labelBytesOf(files, names);
  for (const { name, bytes } of files) {
    const rest = bytes % (pixelBytes + labelBytes);
    if (rest === 0 && bytes > 0) continue;
    throw new GradloomError(
      'DATA_TRUNCATED',
      `${name} in ${path} has ${integer(bytes)} bytes, which are not a whole number of images of ${pixelBytes + labelBytes} bytes.`,
      { hint: 'Fetch or copy the file again.', path },
    );
  }
  const isTest = ({ name }: CifarFile) => /^test/i.test(basename(name));
  const train = files.filter((file) => !isTest(file));
  if (train.length === 0) {
    throw new GradloomError('DATA_MISSING', `${path} holds CIFAR's test part but no training part.`, {
      hint: 'Add data_batch_1.bin to data_batch_5.bin (CIFAR-10) or train.bin (CIFAR-100).',
      path,
    });
  }
  return { labelBytes, train, test: files.filter(isTest), names, identity: [...identity, ...more] };
}

/** CIFAR-10's images have one label. Sizes tell; where they fit both, names do. */
function labelBytesOf(files: readonly CifarFile[], names: ReadonlyMap<string, string[]>): 1 | 2 {
  const fits = (labels: number) => files.every(({ bytes }) => bytes % (pixelBytes + labels) === 0);
  if (fits(1) !== fits(2)) return fits(1) ? 1 : 2;
  const hundred =
    names.has('fine_label_names.txt') || files.some(({ name }) => /^(train|test)\.bin/i.test(basename(name)));
  return hundred ? 2 : 1;
}
