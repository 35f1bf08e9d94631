/** The `idx` source: finds the files of a folder by their content. */
import { dirname, relative, resolve } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import { openPairs } from '../arrays/paired-source.ts';
import { type Entry, type Parts, pairAll, pairOf } from '../arrays/pairing.ts';
import { listFolder } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import { pathStatus } from '../path-status.ts';
import { isIdx, openIdx } from './file.ts';
import { namedIdx, readIdxName, storedName } from './names.ts';

export type IdxSettings = Extract<ResolvedSource, { kind: 'idx' }>;

/** A folder with more files than this is not looked through. */
const maxFiles = 2_000;

const naming =
  'Name them like train-images-idx3-ubyte and train-labels-idx1-ubyte (t10k-… or test-… for the test part), gzipped or not.';

/** @throws GradloomError DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openIdxSource(settings: IdxSettings, baseDir: string): Promise<OpenSource> {
  const parts = await findParts(settings, baseDir);
  return openPairs(parts, {
    target: settings.target ?? null,
    identity: settings.target ? [settings.target] : [],
  });
}

async function findParts(settings: IdxSettings, baseDir: string): Promise<Parts> {
  const path = resolve(baseDir, settings.path);
  const status = await pathStatus(path, 'a folder with IDX files');
  const folder = status.isDirectory() ? path : dirname(path);
  const chosen = status.isDirectory() ? null : path;
  const entries = await findEntries(folder, chosen);
  const same = settings.target === 'input' || settings.target === 'next_token';
  const choosing = "Set data.source.path to the inputs' file that is meant.";
  const options = { place: folder, same, naming, choosing };
  return chosen === null ? pairAll(entries, options) : pairOf(chosen, entries, options);
}

/** The IDX files of a folder, by content; where there is none, those of its subfolders. */
async function findEntries(folder: string, chosen: string | null): Promise<Entry[]> {
  for (const depth of [1, 3]) {
    const listing = await listFolder(folder, { depth, most: maxFiles });
    const paths = listing.files.map(({ path }) => path).filter((path) => path !== chosen);
    const found: string[] = chosen === null ? [] : [chosen];
    // A file that calls itself IDX is opened even if it does not look it, so that the error says what is wrong with it.
    for (const path of paths) if (namedIdx(path) || (await isIdx(path))) found.push(path);
    const plain = new Set(found);
    const files = found.filter((path) => path === chosen || storedName(path) === path || !plain.has(storedName(path)));
    if (files.length > 0) {
      return Promise.all(
        files.map(async (path) => ({ ...(await openIdx(path)), name: readIdxName(relative(folder, path)) })),
      );
    }
  }
  const others = (await listFolder(folder, { depth: 1, most: maxFiles })).files.map(({ name }) => name);
  throw new GradloomError('DATA_MISSING', `${folder} holds no IDX files.`, {
    hint:
      (others.length === 0
        ? 'The folder is empty. '
        : `It holds ${others.slice(0, 5).join(', ')}${others.length > 5 ? '…' : ''}. `) +
      (others.some((name) => /\.zip$/i.test(name)) ? 'Unpack the ZIP archive first. ' : '') +
      `Set data.source.path to a folder with IDX files. ${naming}`,
    path: folder,
  });
}
