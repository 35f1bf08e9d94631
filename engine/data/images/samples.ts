/** Image files as samples of one shape: which shape, by which rules, and each sample's values. The same for every source of images. */
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer, plural } from '../../contract/format.ts';
import { setEdit } from '../../contract/report.ts';
import type { ImageReading } from '../../contract/sources/images.ts';
import { atWork } from '../at-work.ts';
import { inOrder } from '../in-order.ts';
import { namedNote } from '../named-notes.ts';
import type { BadSample, ColumnRows, ColumnType, WriteOptions } from '../open-source.ts';
import { BadImage } from './bad-image.ts';
import { decodeImage, type Wanted } from './decode.ts';
import { type Geometry, type Size, shaped, uprightSize } from './geometry.ts';
import type { ImageHeader } from './header.ts';
import { type ChannelName, channelCount } from './pixels.ts';
import { reasonOf, type ScannedFile, unlessOfFile } from './scan.ts';

export interface ImageSet {
  column: ColumnType;
  notes: DataNote[];
  /** Channels × height × width, little-endian. @throws BadImage, and what the system says */
  decode(file: ScannedFile): Promise<Uint8Array>;
}

type WithHeader = ScannedFile & { header: ImageHeader };

/** `files`: of all parts; those without a header take no part in what is decided here. @throws GradloomError DATA_FORMAT */
export function imageSet(files: readonly ScannedFile[], reading: ImageReading, folder: string): ImageSet {
  const readable = files.filter((file): file is WithHeader => file.header !== null);
  if (readable.length === 0) throw noneReadable(files, folder);
  const wanted = wantedOf(readable, reading);
  const size = sizeOf(readable, reading, folder);
  const channels = channelCount[wanted.channels];
  if (reading.fill.length !== 1 && reading.fill.length !== channels && reading.resize === 'pad') {
    throw new GradloomError('DATA_FORMAT', `${reading.fill.length} fill values are given for ${channels} channels.`, {
      hint: 'Give one value, or one for each channel.',
      path: 'data.source.fill',
    });
  }
  const geometry: Geometry = { size, mode: reading.resize, fill: reading.fill, nearest: false };
  return {
    column: { dtype: wanted.bits === 16 ? 'uint16' : 'uint8', shape: [channels, ...size], scaled: true },
    notes: notesOf(readable, wanted),
    async decode(file) {
      const header = headerOf(file);
      return shaped(await decodeImage(file.path, header, wanted), header.orientation, geometry);
    },
  };
}

/** @throws Error whose message is why there is none */
export function headerOf(file: ScannedFile): ImageHeader {
  if (file.header) return file.header;
  throw new BadImage(file.fault ?? 'it is no image');
}

function noneReadable(files: readonly ScannedFile[], folder: string): GradloomError {
  const [first] = files;
  return first === undefined
    ? new GradloomError('DATA_MISSING', `${folder} holds no images.`, {
        hint: 'PNG, JPEG, WebP, GIF, BMP and TIFF are read, whatever the names end in.',
        path: folder,
      })
    : new GradloomError(
        'DATA_FORMAT',
        `None of the ${files.length} images in ${folder} can be read: of ${first.name}, ${first.fault}.`,
        {
          hint: 'Copy or fetch the files again.',
          path: folder,
        },
      );
}

function wantedOf(files: readonly WithHeader[], { channels }: ImageReading): Wanted {
  const grey = files.every(({ header }) => header.colour === 'grey');
  const name: ChannelName = channels === 'auto' ? (grey ? 'L' : 'RGB') : channels;
  return { channels: name, bits: files.some(({ header }) => header.depth !== 8) ? 16 : 8 };
}

/** As a person says a size: width first. */
const inWords = ([height, width]: Size) => `${width} × ${height}`;

function sizeOf(files: readonly WithHeader[], { size }: ImageReading, folder: string): Size {
  if (size !== null) return typeof size === 'number' ? [size, size] : (size as unknown as Size);
  const counts = sizesOf(files);
  const [first, second] = counts;
  if (first && !second) return first.size;
  const named = counts.slice(0, 4).map((each) => `${inWords(each.size)} (${integer(each.count)})`);
  const more = counts.length > 4 ? ', …' : '';
  const suited = suitedSize(counts);
  throw new GradloomError(
    'DATA_FORMAT',
    `The images in ${folder} have ${integer(counts.length)} different sizes, but the samples of a data set have one: ${named.join(', ')}${more}.`,
    {
      hint: `Set data.source.size, for example to ${suited.size}, and data.source.resize to crop, stretch or pad.`,
      path: 'data.source.size',
      fixes: [
        {
          label: `Resize all to ${suited.size} × ${suited.size}`,
          edits: [setEdit(['data', 'source', 'size'], suited.size)],
        },
      ],
    },
  );
}

/** What networks for photographs take, or less where the images are smaller. */
const usualSize = 224;

/** A size for images of several: no larger than half of them. `middle`: the shorter side of that half. */
export function suitedSize(counts: readonly { size: Size; count: number }[]): { size: number; middle: number } {
  const sides = counts
    .flatMap(({ size, count }) => new Array<number>(count).fill(Math.min(...size)))
    .sort((a, b) => a - b);
  const middle = sides[Math.floor(sides.length / 2)] ?? usualSize;
  return { size: Math.min(usualSize, middle), middle };
}

/** The sizes of images that stand upright, the most frequent first. */
export function sizesOf(files: readonly ScannedFile[]): { size: Size; count: number }[] {
  const counts = new Map<string, { size: Size; count: number }>();
  for (const { header } of files) {
    if (!header) continue;
    const size = uprightSize(header);
    const known = counts.get(String(size));
    if (known) known.count += 1;
    else counts.set(String(size), { size, count: 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

/** A note about some files; none where there are none. `was`: `was` or `were`, `is`: `is` or `are`. */
export function noteOf(
  files: readonly { name: string }[],
  message: (count: number, was: string, is: string) => string,
): DataNote[] {
  const count = files.length;
  const [was, is] = count === 1 ? (['was', 'is'] as const) : (['were', 'are'] as const);
  return namedNote(
    message(count, was, is),
    files.map(({ name }) => name),
  );
}

/** Each rule that was applied, and how often. */
function notesOf(files: readonly WithHeader[], wanted: Wanted): DataNote[] {
  const where = (test: (header: ImageHeader) => boolean) => files.filter(({ header }) => test(header));
  const grey = where(({ colour }) => colour === 'grey');
  const coloured = where(({ colour }) => colour !== 'grey');
  const alpha = where((header) => header.alpha);
  const opaque = where((header) => !header.alpha);
  const several = where((header) => header.animated && header.format !== 'gif');
  const images = (count: number) => plural(count, 'image');
  return [
    ...noteOf(
      where(({ orientation }) => orientation > 1),
      (n, was) => `${images(n)} ${was} turned by EXIF orientation`,
    ),
    ...noteOf(
      where(({ colour }) => colour === 'cmyk'),
      (n, was) => `${images(n)} in CMYK ${was} converted to RGB`,
    ),
    ...(wanted.channels === 'L'
      ? noteOf(coloured, (n, was) => `${images(n)} ${was} converted to grey`)
      : noteOf(grey, (n, was) => `${images(n)} in grey ${was} given equal channels`)),
    ...(wanted.channels === 'RGBA'
      ? noteOf(opaque, (n, _was, is) => `${images(n)} without alpha ${is} opaque`)
      : noteOf(alpha, (n, was) => `The alpha of ${images(n)} ${was} left out; colours are as they are stored`)),
    ...noteOf(
      where(({ depth }) => depth === 16),
      (n) => `The 16 bits of ${images(n)} are kept`,
    ),
    ...noteOf(
      where(({ depth }) => depth === 'float'),
      (n, was) => `${images(n)} of floats ${was} stored with 16 bits`,
    ),
    ...noteOf(wanted.bits === 16 ? where(({ depth }) => depth === 8) : [], (n) => {
      return `The 8-bit values of ${images(n)} count 257 times among those of 16 bits`;
    }),
    ...noteOf(several, (n) => `Of ${images(n)} with several frames or pages the first is used`),
    ...noteOf(
      where(({ format }) => format === 'gif'),
      (n) => `Of ${images(n)} in GIF the first frame is used`,
    ),
  ];
}

/** Little-endian rows of a column, decoded on all cores; a sample that cannot be read has zeros and is told. */
export function decodedRows(
  samples: readonly ScannedFile[],
  decode: (index: number) => Promise<Uint8Array>,
  rowBytes: number,
  part: string,
  { signal, onRead, onBad }: Pick<WriteOptions, 'signal' | 'onRead' | 'onBad'>,
): ColumnRows {
  return (first) =>
    inOrder(
      samples.slice(first),
      async (file, at) => {
        const index = first + at;
        try {
          return await atWork(file.path, () => decode(index));
        } catch (thrown) {
          unlessOfFile(thrown);
          onBad(badSample(part, index, file, thrown));
          return new Uint8Array(rowBytes);
        } finally {
          onRead?.(file.path, file.bytes);
        }
      },
      { signal },
    );
}

function badSample(part: string, index: number, file: ScannedFile, thrown: unknown): BadSample {
  return { part, index, name: file.name, reason: reasonOf(thrown, file.path) };
}

/** Values as the network gets them: a 32-bit float divided by a 32-bit float. */
export function asFloats(bytes: Uint8Array, { dtype }: Pick<ColumnType, 'dtype'>): Float32Array {
  const values = dtype === 'uint16' ? new Uint16Array(Uint8Array.from(bytes).buffer) : bytes;
  const most = Math.fround(dtype === 'uint16' ? 65_535 : 255);
  return Float32Array.from(values, (value) => Math.fround(value) / most);
}
