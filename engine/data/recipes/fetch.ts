/** Fetches a data set into the workspace: `data/<name>` appears when every file is there and right, and is fetched once. */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { GradloomError } from '../../contract/errors.ts';
import type { TaskProgress } from '../../contract/finders.ts';
import type { JsonObject } from '../../contract/report.ts';
import { makeFolders, systemError } from '../../files.ts';
import { readTar } from '../tar.ts';
import { isWhole, type Marker, markerName, type RecipeEntry, recipeFolder, recipeNamed } from './recipes.ts';

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: TaskProgress) => void) | undefined;
  /** Between two tries, in milliseconds. */
  pause?: number;
}

export interface Fetched {
  /** As a project names it. */
  source: JsonObject;
  folder: string;
}

/** No archive of a data set unpacks to more than so many times its size. */
const mostUnpacked = 50;

/** Who asks while it is being fetched waits for the same. */
const underWay = new Map<string, Promise<unknown>>();

/** @throws GradloomError BAD_CALL, NETWORK, CANCELLED, DISK_FULL, NOT_WRITABLE, DATA_FORMAT */
export async function fetchRecipe(name: string, home: string, options: FetchOptions = {}): Promise<Fetched> {
  const recipe = await recipeNamed(name);
  const folder = recipeFolder(home, name);
  const answer: Fetched = { folder, source: { ...recipe.source, path: folder } };
  for (let before = underWay.get(folder); before; before = underWay.get(folder)) await before.catch(() => {});
  if (await isWhole(folder)) return answer;
  const work = fetchInto(folder, recipe, options);
  underWay.set(folder, work);
  try {
    await work;
    return answer;
  } catch (thrown) {
    throw systemError(thrown, folder, 'write');
  } finally {
    underWay.delete(folder);
  }
}

async function fetchInto(folder: string, recipe: RecipeEntry, options: FetchOptions): Promise<void> {
  const { signal } = options;
  if (await stat(folder).catch(() => null)) {
    throw new GradloomError('NOT_WRITABLE', `${folder} is in the way: it is not what was fetched, or not all of it.`, {
      hint: 'Move or rename that folder, then fetch again.',
      path: folder,
    });
  }
  // Hidden, so that nobody takes it for data; it stays where fetching was broken off, and the next time goes on with it.
  const begun = join(dirname(folder), `.${recipe.name}.fetching`);
  await makeFolders(begun);
  const { download } = await import('./download.ts');
  const tell = teller(recipe, options.onProgress);
  const marker: Marker = { name: recipe.name, files: [] };
  for (const [i, file] of recipe.files.entries()) {
    const target = join(begun, file.name);
    const addresses = recipe.mirrors.map((mirror) => new URL(file.name, mirror).href);
    const { pause } = options;
    await download(addresses, file, target, {
      signal,
      onProgress: (bytes, host) => tell(i, bytes, `fetching ${file.name} from ${host}`),
      ...(pause === undefined ? {} : { pause }),
    });
    tell(i, file.bytes, `fetched ${file.name}`);
    marker.files.push(
      ...(file.unpack
        ? await unpack(target, begun, mostUnpacked * file.bytes, signal)
        : [{ name: file.name, bytes: (await stat(target)).size }]),
    );
  }
  for (const { unpack: packed, name } of recipe.files) if (packed) await rm(join(begun, name));
  await writeFile(join(begun, markerName), `${JSON.stringify(marker, null, 2)}\n`, { flush: true });
  await rename(begun, folder);
}

async function unpack(archive: string, folder: string, most: number, signal: AbortSignal | undefined) {
  const files: Marker['files'] = [];
  let all = 0;
  for await (const { name, bytes, content } of readTar(archive, { signal })) {
    all += bytes;
    if (all > most) {
      throw new GradloomError('DATA_FORMAT', `${archive} would unpack to more than ${most} bytes.`, {
        hint: 'Such an archive is not to be trusted.',
        path: archive,
      });
    }
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(content, createWriteStream(target));
    files.push({ name, bytes });
  }
  return files;
}

/** Bytes of all files together, and how long the rest may take. */
function teller({ files }: RecipeEntry, report: FetchOptions['onProgress']) {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const began = performance.now();
  let first: number | null = null;
  return (index: number, bytes: number, stage: string): void => {
    const before = files.slice(0, index).reduce((sum, file) => sum + file.bytes, 0);
    const done = Math.min(total, before + bytes);
    first ??= done;
    const seconds = (performance.now() - began) / 1000;
    const left = seconds > 1 && done > first ? ((total - done) / (done - first)) * seconds : null;
    report?.({ stage, done, total, ...(left === null ? {} : { seconds_left: left }) });
  };
}
