/** New image files for a network that was trained on images: decoded, turned and resized as those were. */
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { ImageReading } from '../../contract/sources/images.ts';
import { sources } from '../../contract/sources.ts';
import { systemError } from '../../files.ts';
import { inOrder } from '../in-order.ts';
import type { ListedFile } from '../listing.ts';
import type { ColumnType } from '../open-source.ts';
import type { FileSamples, FilesRequest } from '../predict/files.ts';
import { cannotPredict } from '../predict/unread.ts';
import { BadImage } from './bad-image.ts';
import { decodeImage, type Wanted } from './decode.ts';
import { listImages } from './folders.ts';
import { type Geometry, type Size, shaped, uprightSize } from './geometry.ts';
import type { ChannelName } from './pixels.ts';
import { headerOf } from './samples.ts';
import { reasonOf, type ScannedFile, scanFiles, unlessOfFile } from './scan.ts';

const channelNames: Readonly<Record<number, ChannelName>> = { 1: 'L', 3: 'RGB', 4: 'RGBA' };

/** Of sources of images, and of others whose samples are images. @throws GradloomError NOT_SUPPORTED, DATA_FORMAT, DATA_MISSING, NOT_READABLE */
export async function imageSamples({
  source,
  encoding,
  facts,
  stored,
  files,
  folder,
  signal,
}: FilesRequest): Promise<FileSamples> {
  const { dims } = facts.input;
  const channels = channelNames[dims[0] ?? 0];
  if (dims.length !== 3 || channels === undefined) {
    throw new GradloomError('NOT_SUPPORTED', `The network reads samples of ${dims.join(' × ')}, which are no images.`, {
      hint: "Predict samples of the run's data: --split val --limit 10.",
    });
  }
  // What a picture's values stand for is known of bytes only: they are shares of full brightness.
  if (stored?.scaled === false) {
    throw new GradloomError(
      'NOT_SUPPORTED',
      `The run was trained on values of its own scale (${stored.dtype}), not on the bytes of pictures: what a picture's values are on that scale is not known.`,
      { hint: "Predict samples of the run's data: --split val --limit 10." },
    );
  }
  const size = dims.slice(1) as unknown as Size;
  const reading: Partial<ImageReading> = sources.get(source.kind)?.images === 'files' ? (source as ImageReading) : {};
  const wanted: Wanted = { channels, bits: (stored ? stored.dtype === 'uint16' : encoding?.bits === 16) ? 16 : 8 };
  const geometry: Geometry = {
    size: reading.size === undefined || reading.size === null ? null : size,
    mode: reading.resize ?? 'crop',
    fill: reading.fill ?? [0],
    nearest: false,
  };
  const { images, notes, bad } = await imagesOf(files, signal);
  const names: string[] = [];
  const column: ColumnType = { dtype: wanted.bits === 16 ? 'uint16' : 'uint8', shape: dims, scaled: true };
  const input = { path: path.join(folder, 'files.input.bin'), ...column };
  const rows = inOrder(
    images,
    async (file) => {
      try {
        return await row(file, wanted, geometry, size);
      } catch (thrown) {
        unlessOfFile(thrown);
        bad.push(`${file.name}: ${reasonOf(thrown, file.path)}`);
        return null;
      }
    },
    { signal },
  );
  const out = await open(input.path, 'w');
  try {
    let at = 0;
    for await (const values of rows) {
      const { name } = images[at++] as ScannedFile;
      if (!values) continue;
      await out.write(values);
      names.push(name);
    }
  } finally {
    await out.close();
  }
  if (names.length === 0) {
    throw cannotPredict(bad);
  }
  return { count: names.length, input, names, notes, bad };
}

async function row(file: ScannedFile, wanted: Wanted, geometry: Geometry, size: Size): Promise<Uint8Array> {
  const header = headerOf(file);
  const [height, width] = uprightSize(header);
  if (geometry.size === null && (height !== size[0] || width !== size[1])) {
    throw new BadImage(
      `it has ${width} × ${height} pixels, but the run was trained on ${size[1]} × ${size[0]} and its data names no size to resize to`,
    );
  }
  return shaped(await decodeImage(file.path, header, wanted), header.orientation, geometry);
}

/** The files as they are given; of a folder the images in it. */
async function imagesOf(
  given: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ images: ScannedFile[]; notes: DataNote[]; bad: string[] }> {
  const images: ScannedFile[] = [];
  const notes: DataNote[] = [];
  const bad: string[] = [];
  for (const each of given) {
    const status = await stat(each).catch((thrown: unknown) => {
      const error = systemError(thrown, each, 'read');
      if (given.length === 1) throw error;
      bad.push(error.message);
      return null;
    });
    if (status === null) continue;
    if (!status.isDirectory()) {
      const file: ListedFile = { path: each, name: path.basename(each), bytes: status.size, modified: status.mtimeMs };
      images.push(...(await scanFiles(path.dirname(each), [file], signal)));
      continue;
    }
    const scanned = await scanFiles(each, (await listImages(each)).files, signal);
    const found = scanned.filter(({ header, fault }) => header !== null || fault !== null);
    if (found.length < scanned.length) {
      notes.push({
        message: `${plural(scanned.length - found.length, 'file')} in ${each} are no images and were left out`,
      });
    }
    images.push(...found);
  }
  if (images.length > 0) return { images: toldApart(images), notes, bad };
  throw new GradloomError('DATA_MISSING', `${given.join(', ')} holds no images.`, {
    hint: 'PNG, JPEG, WebP, GIF, BMP and TIFF are read, whatever the names end in.',
  });
}

/** Files of one name by as much of the ends of their paths as tells them apart. */
function toldApart(images: ScannedFile[]): ScannedFile[] {
  const alike = new Map<string, ScannedFile[]>();
  for (const image of images) alike.set(image.name, [...(alike.get(image.name) ?? []), image]);
  return images.map((image) => {
    const others = alike.get(image.name) as ScannedFile[];
    const places = new Set(others.map((each) => each.path));
    const steps = (place: string, count: number) => place.split(path.sep).slice(-count).join('/');
    for (let count = image.name.split('/').length; places.size > 1; count += 1) {
      const name = steps(image.path, count);
      if (new Set([...places].map((place) => steps(place, count))).size === places.size) return { ...image, name };
    }
    return image;
  });
}
