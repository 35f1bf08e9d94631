/**
 * Data packs: a source turned once into plain little-endian files that the engine maps into memory. A pack is a folder of the cache,
 * `packs/<key>/`, where the key follows from the source's identity; it appears whole or not at all and is never changed.
 */
import { createHash } from 'node:crypto';
import { cp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mark } from '../contract/data/marks.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import type { ResolvedSource, ResolvedSplit } from '../contract/project.ts';
import { makeFolders, systemError } from '../files.ts';
import { badSamples } from './bad-samples.ts';
import type { ColumnRole, ColumnRows, ColumnType, OpenContext, OpenSource } from './open-source.ts';
import {
  columnFile,
  type DataPack,
  type PackFile,
  packHash,
  packName,
  packVersion,
  readPack,
  readPackFile,
} from './pack-file.ts';
import { holdPack } from './pack-holds.ts';
import { limitPacks } from './pack-limit.ts';
import { otherMaker, PackPlace, removeLeftovers, settle } from './pack-place.ts';
import { journalName, PackWriter, readSoFar } from './pack-write.ts';
import { Progress } from './progress.ts';
import { defaultContext, openSource } from './source.ts';
import { removeEarlier } from './superseded.ts';

export type { DataPack } from './pack-file.ts';

/** How often somebody else's work on the same pack is looked after. */
const lookMs = 300;

export interface PackProgress {
  /** The source file being read; null for a source without files, or while another process packs the same data. */
  file: string | null;
  /** Bytes of the source's files, all together; rows where those are not known. */
  done: number;
  total: number;
  /** null: cannot be said yet. */
  seconds_left: number | null;
}

export interface PackOptions {
  cacheDir: string;
  /** For sources that libtorch draws or resizes. */
  addon: Pick<Addon, 'writeRandom'>;
  /** A folder for the pack instead of its place in the cache. */
  out?: string;
  /** This process reads the pack until it ends: nobody removes it from the cache meanwhile. */
  hold?: boolean;
  /** The cache's packs together take no more than so many bytes: those that were not used for the longest time go. null: no limit. */
  mostBytes?: number | null;
  /** For sources whose encoding is fitted on the samples that train. Absent: as a project that says nothing of it. */
  split?: ResolvedSplit;
  /** As `OpenContext.marks`. */
  marks?: readonly Mark[] | undefined;
  onProgress?: (progress: PackProgress) => void;
  signal?: AbortSignal;
}

/**
 * The pack of a source, made if it is not there; one that is there and whole is answered at once. A source that changed has another key. An
 * import that was interrupted is gone on with, and one that another process is at is waited for.
 * Throws what `describeSource` throws, DISK_FULL, NOT_WRITABLE, CANCELLED; DATA_FORMAT where samples cannot be read and the source does not
 * leave such out.
 */
export async function packSource(source: ResolvedSource, baseDir: string, options: PackOptions): Promise<DataPack> {
  const { split = defaultContext().split, marks } = options;
  const context: OpenContext = { split, marks };
  const made = { source, base: baseDir, split: context.split };
  return packOpened(() => openSource(source, baseDir, context), made, options);
}

/** The same of whatever `open` opens: anew to see whether the data changed meanwhile. */
export async function packOpened(
  open: () => Promise<OpenSource>,
  made: Omit<NonNullable<PackFile['made']>, 'key'>,
  options: PackOptions,
): Promise<DataPack> {
  const { signal } = options;
  const packs = join(options.cacheDir, 'packs');
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw cancelled();
    const opened = await open();
    if (opened.pack !== undefined) return readyPack(opened.pack, opened, options);
    const key = packKey(made.source, opened);
    const folder = options.out ?? join(packs, key);
    const ready = await packAt(folder, key, opened, options);
    if (ready) return allowed(ready, opened);
    if (options.out !== undefined) await refuseTaken(folder);
    try {
      await waitForOther(folder, key, opened, options);
      const others = await packAt(folder, key, opened, options);
      if (others) return allowed(others, opened);
      await makeFolders(dirname(folder));
      if (options.out === undefined) await removeLeftovers(packs);
      const place = await PackPlace.take(folder);
      try {
        if (options.out === undefined || !(await copied(join(packs, key), place.folder, opened))) {
          await writePack(place.folder, opened, { key, ...made }, options);
        }
        if (packKey(made.source, await open()) !== key) {
          await place.remove();
          if (attempt < 3) continue;
          throw changedMeanwhile();
        }
        await settle(place.folder, folder, () => samePack(place.folder, folder));
        await place.remove();
      } finally {
        place.leave();
      }
    } catch (thrown) {
      if (signal?.aborted) throw cancelled(thrown);
      throw systemError(thrown, folder, 'write');
    }
    const packed = await packAt(folder, key, opened, options);
    if (packed) {
      // With a run's own marks it is an older one: the pack of the data as they are now stays.
      if (options.out === undefined && options.marks === undefined) await removeEarlier(packs, made, key);
      if (options.mostBytes != null) await limitPacks(packs, options.mostBytes, key);
      return packed;
    }
    if (attempt === 3) throw new GradloomError('INTERNAL', `The data pack ${folder} was removed while it was made.`);
  }
}

/** Names the pack of a source in the cache. */
export function packKey(source: ResolvedSource, opened: Pick<OpenSource, 'identity'>): string {
  const identity = JSON.stringify([packVersion, source.kind, opened.identity]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

const cancelled = (cause?: unknown) => new GradloomError('CANCELLED', 'Packing the data was cancelled.', { cause });

function changedMeanwhile(): GradloomError {
  return new GradloomError('DATA_FORMAT', 'The data changed while it was being packed.', {
    hint: 'Wait until its files are complete, then try again.',
    path: 'data.source',
  });
}

/** A pack that is somebody's own: read where it lies, or copied. */
async function readyPack(folder: string, opened: OpenSource, { out }: PackOptions): Promise<DataPack> {
  const pack = await readPack(folder, opened.tokens);
  if (!pack) {
    throw new GradloomError('DATA_TRUNCATED', `The pack ${folder} is not whole.`, {
      hint: 'Make it again from its data, or copy it again.',
      path: folder,
    });
  }
  if (out === undefined) return pack;
  await refuseTaken(out);
  const place = await PackPlace.take(out);
  try {
    await copied(folder, place.folder, opened);
    await settle(place.folder, out, async () => false);
    await place.remove();
  } finally {
    place.leave();
  }
  return (await readPack(out, opened.tokens)) ?? pack;
}

/** The pack that was made at a place, if it is whole and of this key; the time of its `pack.json` says when it was used last. */
async function packAt(
  folder: string,
  key: string,
  { tokens }: OpenSource,
  { out, hold }: PackOptions,
): Promise<DataPack | null> {
  if (out !== undefined && (await readPackFile(folder))?.made?.key !== key) return null;
  const pack = await readPack(folder, tokens);
  if (!pack) return null;
  await utimes(join(folder, packName), new Date(), new Date()).catch(() => {}); // a cache that may only be read
  if (hold) await holdPack(folder);
  return pack;
}

async function refuseTaken(out: string): Promise<void> {
  const names = await readdir(out).catch((thrown: { code?: string }) => {
    if (thrown.code === 'ENOENT') return [];
    throw systemError(thrown, out, 'write');
  });
  if (names.length === 0) return;
  throw new GradloomError('NOT_WRITABLE', `${out} is not empty.`, {
    hint: 'Choose a folder that does not exist yet.',
    path: out,
  });
}

/** Whether there was a pack to be copied. */
async function copied(from: string, to: string, { skipsBad }: OpenSource): Promise<boolean> {
  const pack = await readPack(from);
  if (!pack || (pack.skipped.length > 0 && !skipsBad)) return false;
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true });
  return true;
}

/** Packed while bad samples were left out, it is still no answer to who wants them to stop the import. */
function allowed(pack: DataPack, { skipsBad }: Pick<OpenSource, 'skipsBad'>): DataPack {
  if (pack.skipped.length > 0 && !skipsBad) throw badSamples(pack.skipped);
  return pack;
}

async function waitForOther(
  folder: string,
  key: string,
  { readBytes }: OpenSource,
  { signal, onProgress }: PackOptions,
): Promise<void> {
  for (let maker = await otherMaker(folder); maker !== null; maker = await otherMaker(folder)) {
    const done = Math.min(readBytes, await readSoFar(maker, key));
    onProgress?.({ file: null, done, total: readBytes, seconds_left: null });
    await sleep(lookMs, undefined, signal ? { signal } : {});
  }
}

async function writePack(
  folder: string,
  opened: OpenSource,
  made: NonNullable<PackFile['made']>,
  { addon, signal, onProgress }: PackOptions,
): Promise<void> {
  const target = await opened.target();
  const writer = await PackWriter.open(folder, made.key, opened);
  if (!opened.skipsBad) await writer.retryBad();
  const progress = new Progress(opened, writer, onProgress);
  const roles = Object.keys(opened.columns) as ColumnRole[];
  try {
    for (const part of Object.keys(opened.parts)) {
      const path = (role: ColumnRole) => columnFile(folder, part, role);
      const paths = { input: path('input'), target: path('target'), group: path('group') };
      const sink = (role: ColumnRole, rows: ColumnRows) =>
        writer.write(part, role, rows, (count) => progress.rows(part, role, count));
      const onRead = (file: string, bytes: number) => progress.read(file, bytes);
      await opened.write(part, sink, { addon, signal, paths, onRead, onBad: (bad) => writer.onBad(bad) });
    }
    await writer.end();
  } catch (thrown) {
    if (writer.begun)
      await writer.note().catch(() => {}); // what went wrong first is told
    else await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw thrown;
  }
  if (writer.bad.length > 0 && !opened.skipsBad) throw badSamples(writer.bad);
  await writePackFile(folder, { opened, target, writer, roles, made });
  progress.end();
}

async function writePackFile(
  folder: string,
  {
    opened,
    target,
    writer,
    roles,
    made,
  }: {
    opened: OpenSource;
    target: PackFile['target'];
    writer: PackWriter;
    roles: ColumnRole[];
    made: NonNullable<PackFile['made']>;
  },
): Promise<void> {
  const columns = roles.map((role) => ({ name: role, role, ...(opened.columns[role] as ColumnType) }));
  const parts = Object.fromEntries(Object.entries(opened.parts).map(([part, count]) => [part, { count }]));
  const excluded: Record<string, number[]> = {};
  for (const part of new Set(writer.bad.map((bad) => bad.part))) {
    excluded[part] = writer.bad.filter((bad) => bad.part === part).map(({ index }) => index);
  }
  const classes = target.kind === 'class' ? target.classes : null;
  const digests = new Map<string, string>();
  for (const part of Object.keys(parts)) {
    for (const role of roles) digests.set(`${part}.${role}`, await writer.digest(part, role));
  }
  const content = { classes, parts, columns, ...(writer.bad.length > 0 ? { excluded } : {}) };
  const file: PackFile = {
    version: packVersion,
    hash: packHash(content, (part, role) => digests.get(`${part}.${role}`) as string),
    ...content,
    target,
    ...(opened.tokens === undefined ? {} : { tokens: opened.tokens }),
    ...(opened.padding === undefined ? {} : { padding: opened.padding }),
    ...(writer.bad.length > 0 ? { skipped: writer.bad } : {}),
    ...(opened.encoding ? { encoding: await opened.encoding() } : {}),
    made,
  };
  await writeFile(join(folder, packName), `${JSON.stringify(file, null, 2)}\n`, { flush: true });
  await rm(join(folder, journalName), { force: true });
}

async function samePack(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([readPack(a), readPack(b).catch(() => null)]);
  return one !== null && one.hash === other?.hash;
}
