/**
 * Where a pack is while it is made: a folder beside its place whose name says who makes it, `<key>.<host>-<pid>-<random>.tmp`. An import that
 * ends before its time leaves it behind, and the next one of the same data takes it over by renaming it.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from '../files.ts';
import { packBytes } from './pack-limit.ts';
import { host, isAlive } from './process-names.ts';

/** What nobody has taken over is removed after this time. */
const leftoverMs = 3 * 24 * 3600 * 1000;
/** A maker shows by its folder's time that it is at work. */
const beatMs = 2_000;
const silentMs = 30_000;

/** Folders that this very process works in. */
const own = new Set<string>();

interface Maker {
  path: string;
  /** `silent`: nobody knows. It is not waited for, and not taken over either: it may wake up and go on. */
  state: 'works' | 'ended' | 'silent';
}

export class PackPlace {
  readonly folder: string;
  readonly #beat: NodeJS.Timeout;

  private constructor(folder: string) {
    this.folder = folder;
    own.add(folder);
    this.#beat = setInterval(() => void utimes(folder, new Date(), new Date()).catch(() => {}), beatMs).unref();
  }

  /** For the pack that will be `place`: what an earlier maker left behind, else a new folder. */
  static async take(place: string): Promise<PackPlace> {
    const mine = `${place}.${host}-${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    for (const { path, state } of await makersOf(place)) {
      if (state !== 'ended') continue;
      const taken = await rename(path, mine).then(
        () => true,
        () => false, // somebody was quicker
      );
      if (taken) return new PackPlace(mine);
    }
    await makeFolders(mine);
    return new PackPlace(mine);
  }

  /** Leaves the folder for whoever goes on. */
  leave(): void {
    clearInterval(this.#beat);
    own.delete(this.folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    this.leave();
  }
}

/** The folder of somebody who makes this pack now. */
export async function otherMaker(place: string): Promise<string | null> {
  return (await makersOf(place)).find(({ state }) => state === 'works')?.path ?? null;
}

function makersOf(place: string): Promise<Maker[]> {
  return makersIn(dirname(place), basename(place));
}

/** `of`: the name of a pack; absent: of all. */
async function makersIn(folder: string, of?: string): Promise<Maker[]> {
  const names = await readdir(folder).catch(() => []);
  const made = names.filter((name) => name.endsWith('.tmp') && (of === undefined || name.startsWith(`${of}.`)));
  return Promise.all(
    made.map(async (name): Promise<Maker> => {
      const path = join(folder, name);
      const [on, pid] = name.slice(0, -'.tmp'.length).split('.').slice(-1)[0]?.split('-') ?? [];
      const ended = on === host && !(Number(pid) === process.pid ? own.has(path) : isAlive(Number(pid)));
      if (ended) return { path, state: 'ended' };
      const { mtimeMs } = (await stat(path).catch(() => null)) ?? { mtimeMs: 0 };
      return { path, state: Date.now() - mtimeMs < silentMs ? 'works' : 'silent' };
    }),
  );
}

/** Removes what makers left behind that are gone; answers the bytes. `of`: the name of a pack; absent: of all. */
export async function removeEnded(packs: string, of?: string): Promise<number> {
  let bytes = 0;
  for (const { path, state } of await makersIn(packs, of)) {
    if (state !== 'ended') continue;
    bytes += await packBytes(path);
    await rm(path, { recursive: true, force: true });
  }
  return bytes;
}

/** Of all packs what was left behind long ago. */
export async function removeLeftovers(packs: string): Promise<void> {
  for (const name of await readdir(packs)) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(packs, name);
    const status = await stat(path).catch(() => null);
    if (status && Date.now() - status.mtimeMs > leftoverMs) await rm(path, { recursive: true, force: true });
  }
}

/** Gives the finished pack its name. If somebody else was faster, theirs stays; a damaged one is moved out of the way. */
export async function settle(made: string, place: string, same: () => Promise<boolean>): Promise<void> {
  try {
    await rename(made, place);
  } catch (thrown) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((thrown as { code?: string }).code ?? '')) throw thrown;
    if (await same()) return;
    const aside = `${place}.${randomBytes(4).toString('hex')}.old.tmp`;
    await rename(place, aside);
    await rename(made, place);
    await rm(aside, { recursive: true, force: true });
  }
}
