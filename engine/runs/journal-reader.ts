/** Reads a journal: whole, as effective series, or as it grows. Tolerates lines cut by a crash. */
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import { type RunEvent, runEventSchema } from '../contract/events.ts';
import { checkpointsName, findRun } from './folder.ts';
import { journalName } from './journal.ts';
import { isLive } from './live.ts';

export function parseLine(line: string): RunEvent | null {
  if (line === '') return null;
  try {
    return runEventSchema.safeParse(JSON.parse(line)).data ?? null; // another version may know other events
  } catch {
    return null; // cut by a crash, or left by one as zeros
  }
}

/** The whole events of a journal's text. */
export function parseJournal(text: string): RunEvent[] {
  return text.split('\n').flatMap((line) => parseLine(line) ?? []);
}

/** Events with the folder's present place: a run may have been copied or moved since they were written. */
export function relocate(folder: string): (event: RunEvent) => RunEvent {
  let written = folder;
  return (event) => {
    switch (event.type) {
      case 'start':
      case 'end':
        written = event.run;
        return { ...event, run: folder };
      case 'checkpoint': // path.basename, for the paths of any system
        return { ...event, folder: path.join(folder, checkpointsName, event.folder.split(/[\\/]/).at(-1) ?? '') };
      case 'error':
        return event.path?.startsWith(written) ? { ...event, path: folder + event.path.slice(written.length) } : event;
      default:
        return event;
    }
  };
}

/** All whole lines of a run's journal, also what lies beyond a resume; paths are those of now. */
export async function readJournal(run: string): Promise<RunEvent[]> {
  const folder = await findRun(run);
  try {
    return parseJournal(await readFile(path.join(folder, journalName), 'utf8')).map(relocate(folder));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []; // not begun yet
    throw new GradloomError('NOT_READABLE', `Cannot read the journal of ${folder}`, { path: folder, cause: thrown });
  }
}

/** Reads a journal as it grows: each call of `read` goes on where the last one stopped. */
export class JournalTail {
  readonly #file: string;
  readonly #buffer = Buffer.alloc(1 << 20);
  #position = 0;
  /** A line that is not whole yet. */
  #rest: Buffer = Buffer.alloc(0);
  #identity = '';

  constructor(folder: string) {
    this.#file = path.join(folder, journalName);
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#position;
  }

  /**
   * Hands the lines that are new to `onLines`, a part of the file at a time. Answers whether there were any; `replaced` when another journal
   * lies there now (a run that was deleted and begun anew): then nothing was read, and the next call begins with its first line.
   */
  async read(onLines: (lines: string[]) => void, stopped: () => boolean = () => false): Promise<boolean | 'replaced'> {
    const file = await open(this.#file, 'r').catch(() => null);
    if (!file) return this.#position > 0 && this.#restart('');
    try {
      const { dev, ino, size } = await file.stat();
      const identity = `${dev}-${ino}`;
      if (this.#position > 0 && (identity !== this.#identity || size < this.#position)) return this.#restart(identity);
      this.#identity = identity;
      const before = this.#position;
      while (this.#position < size && !stopped()) {
        const { bytesRead } = await file.read(this.#buffer, 0, this.#buffer.length, this.#position);
        if (bytesRead === 0) break;
        this.#position += bytesRead;
        const text = Buffer.concat([this.#rest, this.#buffer.subarray(0, bytesRead)]);
        const end = text.lastIndexOf(10) + 1;
        this.#rest = Buffer.from(text.subarray(end));
        if (end > 0) onLines(text.subarray(0, end).toString('utf8').split('\n'));
      }
      return this.#position > before;
    } finally {
      await file.close();
    }
  }

  #restart(identity: string): 'replaced' {
    this.#position = 0;
    this.#rest = Buffer.alloc(0);
    this.#identity = identity;
    return 'replaced';
  }
}

/**
 * Hands on the whole events of these types, piece by piece: a journal may be too long to be held, and its other lines are not looked at. None
 * of them tells places.
 */
export async function eachEvent<Type extends 'advice' | 'change' | 'resume' | 'steps'>(
  folder: string,
  types: readonly Type[],
  onEvent: (event: Extract<RunEvent, { type: Type }>) => void,
): Promise<void> {
  const beginnings = types.map((type) => `{"type":"${type}"`);
  await new JournalTail(folder).read((lines) => {
    for (const line of lines) {
      const event = beginnings.some((beginning) => line.startsWith(beginning)) ? parseLine(line) : null;
      if (event) onEvent(event as Extract<RunEvent, { type: Type }>);
    }
  });
}

const pollMs = 150;
const askMs = 1000;

/**
 * Calls `onEvent` for what is there and for what comes. Resolves when the run is no longer live and all is told, or when `signal` aborts.
 * A journal is polled: file watchers do not tell reliably of appended bytes, on network folders least of all.
 */
export async function followJournal(
  run: string,
  onEvent: (event: RunEvent) => void,
  signal?: AbortSignal,
): Promise<void> {
  const folder = await findRun(run);
  const present = relocate(folder);
  const tail = new JournalTail(folder);
  const stopped = () => signal?.aborted ?? false;
  let ended = false;
  /** Tells what is new; answers whether there was anything. */
  const tell = async (): Promise<boolean> => {
    const grew = await tail.read((lines) => {
      for (const event of lines.flatMap((line) => parseLine(line) ?? [])) {
        if (stopped()) return;
        ended = event.type === 'end';
        onEvent(present(event));
      }
    }, stopped);
    return grew === true;
  };
  let asked = 0;
  while (!stopped()) {
    const grew = await tell();
    // Whoever writes is alive. Asking costs the run a connection, so a silent one is asked once a second.
    if (ended || (!grew && performance.now() - asked > askMs)) {
      asked = performance.now();
      if (!(await isLive(folder))) {
        await tell(); // what it wrote before it ended
        return;
      }
    }
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
