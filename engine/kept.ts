/**
 * What the workspace keeps of projects beside their files, in `recovery/`: `history-<file>.json`, the steps of undo with the text that they start
 * from, and `draft-<file>-<window>.json`, a text that a window could not save yet. `<file>` is a hash of the project file's path.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Draft } from './contract/api-keep.ts';
import { type KeptHistory, keptHistorySchema } from './contract/history.ts';
import { makeFolders, writeWhole } from './files.ts';
import { recoveryDir } from './workspace.ts';

/** Histories of more projects are not kept: the one that was written longest ago goes first. */
const mostHistories = 200;

const storedHistory = z.object({ version: z.literal(1), file: z.string(), history: keptHistorySchema });
const storedDraft = z.object({
  version: z.literal(1),
  file: z.string(),
  window: z.string(),
  revision: z.string(),
  time: z.string(),
  text: z.string(),
});

export class Kept {
  readonly #folder: string;
  /** What is to be written where, the newest only; null: removed. */
  readonly #waiting = new Map<string, object | null>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(home: string) {
    this.#folder = recoveryDir(home);
  }

  /** A file of ours that cannot be read counts as none: nothing that it held is known. */
  async history(file: string): Promise<KeptHistory | null> {
    const stored = storedHistory.safeParse(await this.#read(this.#historyFile(file))).data;
    return stored && stored.file === file ? stored.history : null;
  }

  keepHistory(file: string, history: KeptHistory): Promise<void> {
    return this.#write(this.#historyFile(file), { version: 1, file, history });
  }

  /** Of all windows, the latest first. One that the file holds by now is forgotten. */
  async drafts(file: string): Promise<Draft[]> {
    await this.settled(); // one that is being written has no name yet
    const start = `draft-${keyOf(file)}-`;
    const names = (await readdir(this.#folder).catch(() => [])).filter(
      (name) => name.startsWith(start) && name.endsWith('.json'),
    );
    const text = await readFile(file, 'utf8').catch(() => null);
    const found: Draft[] = [];
    for (const name of names) {
      const place = path.join(this.#folder, name);
      const stored = storedDraft.safeParse(await this.#read(place)).data;
      if (stored?.file !== file) continue;
      if (stored.text === text) {
        if (!this.#writing.has(place)) await this.#write(place, null);
        continue;
      }
      const { window, revision, time } = stored;
      found.push({ window, revision, time, text: stored.text });
    }
    return found.sort((a, b) => (a.time < b.time ? 1 : -1));
  }

  keepDraft(file: string, window: string, draft: { text: string; revision: string } | null): Promise<void> {
    const place = path.join(this.#folder, `draft-${keyOf(file)}-${window}.json`);
    return this.#write(place, draft && { version: 1, file, window, time: new Date().toISOString(), ...draft });
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
  }

  #historyFile(file: string): string {
    return path.join(this.#folder, `history-${keyOf(file)}.json`);
  }

  async #read(place: string): Promise<unknown> {
    try {
      await this.#writing.get(place)?.catch(() => {});
      return JSON.parse(await readFile(place, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** While one is on its way to the disk the next ones take the place of one another. */
  #write(place: string, value: object | null): Promise<void> {
    this.#waiting.set(place, value);
    const under = this.#writing.get(place);
    if (under) return under;
    const done = this.#writeAll(place);
    this.#writing.set(place, done);
    return done;
  }

  /** Nothing comes in between its last look for what waits and its end. */
  async #writeAll(place: string): Promise<void> {
    try {
      for (let value = this.#next(place); value !== undefined; value = this.#next(place)) {
        if (value === null) {
          await rm(place, { force: true });
          continue;
        }
        await makeFolders(this.#folder);
        await writeWhole(place, (handle) => handle.writeFile(`${JSON.stringify(value)}\n`));
        if ('history' in value) await this.#prune();
      }
    } finally {
      // Whoever waits is told of the failure with the one that failed.
      this.#waiting.delete(place);
      this.#writing.delete(place);
    }
  }

  #next(place: string): object | null | undefined {
    const value = this.#waiting.get(place);
    this.#waiting.delete(place);
    return value;
  }

  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith('history-'));
    if (names.length <= mostHistories) return;
    const places = names.map((name) => path.join(this.#folder, name));
    const aged = await Promise.all(
      places.map(async (place) => ({ place, age: (await stat(place).catch(() => null))?.mtimeMs ?? 0 })),
    );
    aged.sort((a, b) => b.age - a.age);
    for (const { place } of aged.slice(mostHistories)) await rm(place, { force: true });
  }
}

function keyOf(file: string): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 24);
}
