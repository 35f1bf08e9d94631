/**
 * Writes a pack's columns row by row, and notes as it goes which rows are finished: whoever continues after an interruption checks them and
 * begins behind.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gathered } from './gather.ts';
import type { BadSample, ColumnRole, ColumnRows, OpenSource } from './open-source.ts';
import { columnFile, digestFile, rowBytes } from './pack-file.ts';

export const journalName = 'journal.json';
/** How often the journal is brought up to date. */
const noteMs = 1_000;

interface Noted {
  bytes: number;
  /** Of so many bytes from the start. */
  sha256: string;
  done: boolean;
}

interface Journal {
  key: string;
  /** Whether the source was read to its end. */
  ended: boolean;
  /** Bytes of the source's files read so far. */
  read: number;
  columns: Record<string, Noted>;
  bad: BadSample[];
}

type Packed = Pick<OpenSource, 'columns' | 'parts'>;

export class PackWriter {
  /** Bytes of the source's files read so far, by whoever began this as well. */
  read: number;
  readonly #folder: string;
  readonly #opened: Packed;
  readonly #journal: Journal;
  /** Of columns that can be gone on with: the digest so far. */
  readonly #hashes: Map<string, Hash>;
  readonly #bad = new Map<string, BadSample>();
  #noted = Number.NEGATIVE_INFINITY;

  private constructor(folder: string, opened: Packed, journal: Journal, hashes: Map<string, Hash>) {
    this.#folder = folder;
    this.#opened = opened;
    this.#journal = journal;
    this.#hashes = hashes;
    this.read = journal.read;
    for (const bad of journal.bad) this.onBad(bad);
  }

  /** Goes on with what lies in `folder`, if it was made from the same data and is as it was noted. */
  static async open(folder: string, key: string, opened: Packed): Promise<PackWriter> {
    const journal = await readJournal(folder, key);
    const hashes = new Map<string, Hash>();
    for (const [name, { bytes, sha256 }] of Object.entries(journal.columns)) {
      const hash = await digestStart(join(folder, `${name}.bin`), bytes);
      if (hash?.copy().digest('hex') === sha256) hashes.set(name, hash);
      else delete journal.columns[name];
    }
    if (hashes.size === 0) journal.read = 0;
    return new PackWriter(folder, opened, journal, hashes);
  }

  /** Whether there is anything to go on with. */
  get begun(): boolean {
    return Object.keys(this.#journal.columns).length > 0;
  }

  /** By part and position. */
  get bad(): BadSample[] {
    return [...this.#bad.values()].sort((a, b) => a.part.localeCompare(b.part) || a.index - b.index);
  }

  onBad(bad: BadSample): void {
    this.#bad.set(`${bad.index} ${bad.part}`, bad);
  }

  /** Of a finished column; of one that the source wrote itself it is read. */
  async digest(part: string, role: ColumnRole): Promise<string> {
    return this.#journal.columns[`${part}.${role}`]?.sha256 ?? digestFile(columnFile(this.#folder, part, role));
  }

  /**
   * After an import that was whole but for its bad samples: goes over everything again from the first of them, since somebody may have mended
   * what kept it from being read without a trace in the file's time.
   */
  async retryBad(): Promise<void> {
    if (!this.#journal.ended) return;
    for (const part of Object.keys(this.#opened.parts)) {
      const first = this.bad.find((bad) => bad.part === part)?.index;
      if (first === undefined) continue;
      for (const [role, column] of Object.entries(this.#opened.columns)) {
        const name = `${part}.${role}`;
        const bytes = first * rowBytes(column);
        const hash = await digestStart(join(this.#folder, `${name}.bin`), bytes);
        if (!hash) continue;
        this.#hashes.set(name, hash);
        this.#journal.columns[name] = { bytes, sha256: hash.copy().digest('hex'), done: false };
      }
    }
    this.#bad.clear();
    this.#journal.ended = false;
    await this.note();
  }

  /** Writes a column, or what is missing of it. `onRows`: how many of its rows are written. */
  async write(part: string, role: ColumnRole, rows: ColumnRows, onRows: (rows: number) => void): Promise<void> {
    const name = `${part}.${role}`;
    const column = this.#opened.columns[role];
    if (!column || this.#journal.columns[name]?.done) return;
    const wide = Math.max(1, rowBytes(column));
    const before = typeof rows === 'function' ? this.#journal.columns[name] : undefined;
    const hash = (before && this.#hashes.get(name)) ?? createHash('sha256');
    let at = before?.bytes ?? 0;
    const noted = (done: boolean): Noted => ({ bytes: at, sha256: hash.copy().digest('hex'), done });
    const file = await open(columnFile(this.#folder, part, role), before ? 'r+' : 'w');
    try {
      await file.truncate(at);
      for await (const piece of gathered(typeof rows === 'function' ? rows(at / wide) : rows)) {
        await writeAt(file, piece, at);
        hash.update(piece);
        at += piece.length;
        onRows(Math.floor(at / wide));
        if (typeof rows !== 'function' || at % wide !== 0) continue;
        this.#journal.columns[name] = noted(false);
        if (performance.now() - this.#noted > noteMs) await this.note();
      }
      await file.sync();
    } finally {
      await file.close();
    }
    this.#journal.columns[name] = noted(true);
    await this.note();
  }

  /** Everything that the source has is written. */
  async end(): Promise<void> {
    this.#journal.ended = true;
    await this.note();
  }

  /** Brings the journal up to date. */
  async note(): Promise<void> {
    this.#noted = performance.now();
    const path = join(this.#folder, journalName);
    await writeFile(`${path}.new`, JSON.stringify({ ...this.#journal, read: this.read, bad: this.bad }));
    await rename(`${path}.new`, path);
  }
}

/** Bytes of the source's files that somebody who is at work has read so far. */
export async function readSoFar(folder: string, key: string): Promise<number> {
  return (await readJournal(folder, key)).read;
}

async function readJournal(folder: string, key: string): Promise<Journal> {
  const none: Journal = { key, ended: false, read: 0, columns: {}, bad: [] };
  try {
    const found = JSON.parse(await readFile(join(folder, journalName), 'utf8')) as Journal;
    return found.key === key ? found : none;
  } catch {
    return none; // nothing of it is needed
  }
}

/** The digest of a file's first bytes, to be gone on with; null where it has not as many. */
async function digestStart(path: string, bytes: number): Promise<Hash | null> {
  const hash = createHash('sha256');
  let found = 0;
  try {
    if (bytes > 0) {
      for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 })) {
        hash.update(chunk);
        found += (chunk as Buffer).length;
      }
    }
  } catch {
    return null;
  }
  return found === bytes ? hash : null;
}

async function writeAt(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    done += (await file.write(piece, done, piece.length - done, at + done)).bytesWritten;
  }
}
