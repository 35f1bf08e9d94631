/** Folders of images: found, listed, and what of them an import depends on. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { ImageReading } from '../../contract/sources/images.ts';
import { type FolderListing, listFolder } from '../listing.ts';
import { pathStatus } from '../path-status.ts';
import type { ScannedFile } from './scan.ts';

/** What the rules of decoding give; another number makes packs anew. */
const decodingVersion = 1;

/** The folder that a source names. @throws GradloomError DATA_MISSING, DATA_FORMAT, NOT_READABLE */
export async function folderAt(given: string, baseDir: string, place: string): Promise<string> {
  const folder = resolve(baseDir, given);
  const status = await pathStatus(folder, 'a folder', place);
  if (status.isDirectory()) return folder;
  throw new GradloomError('DATA_FORMAT', `${folder} is a file; a folder of images is expected.`, {
    hint: `Set ${place} to the folder that the images lie in. An archive must be unpacked first.`,
    path: folder,
  });
}

/** Everything below a folder, however deep. */
export async function listImages(folder: string): Promise<FolderListing> {
  return listFolder(folder, { depth: 32 });
}

/** What of the reading changes values; bad files are told, not stored. */
export function readingIdentity({ size, resize, fill, channels }: ImageReading): unknown {
  return [decodingVersion, size, resize, fill, channels];
}

/** Changes with every name, size and time. */
export function identityOf(parts: { [part: string]: { samples: readonly ScannedFile[] } | undefined }): string {
  const hash = createHash('sha256');
  for (const [part, found] of Object.entries(parts)) {
    for (const { name, bytes, modified } of found?.samples ?? [])
      hash.update(`${part}\0${name}\0${bytes}\0${modified}\n`);
  }
  return hash.digest('hex');
}
