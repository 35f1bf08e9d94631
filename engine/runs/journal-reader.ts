/** Reads a journal: whole, as effective series, or as it grows. Tolerates lines cut by a crash. */
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import { type RunEvent, runEventSchema } from '../contract/events.ts';
import { checkpointsName, findRun } from './folder.ts';
import { journalName } from './journal.ts';
import { isLive } from './live.ts';

function parseLine(line: string): RunEvent | null {
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
function relocate(folder: string): (event: RunEvent) => RunEvent {
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
  let position = 0;
  let rest = Buffer.alloc(0);
  let ended = false;
  const buffer = Buffer.alloc(1 << 20);
  /** Tells what is new; answers whether there was anything. */
  const tell = async (): Promise<boolean> => {
    const before = position;
    const file = await open(path.join(folder, journalName), 'r').catch(() => null);
    if (!file) return false;
    try {
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) return position > before;
        position += bytesRead;
        const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        const end = text.lastIndexOf(10) + 1;
        rest = Buffer.from(text.subarray(end));
        for (const event of parseJournal(text.subarray(0, end).toString('utf8'))) {
          if (signal?.aborted) return false;
          ended = event.type === 'end';
          onEvent(present(event));
        }
      }
    } finally {
      await file.close();
    }
  };
  let asked = 0;
  while (!signal?.aborted) {
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
