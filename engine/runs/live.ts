/** A live run can be reached: `live.json` names the process and an endpoint that takes actions as JSON lines. */
import { lstatSync, mkdtempSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type LiveAnswer, type LiveRequest, liveAnswerSchema, liveRequestSchema } from '../contract/control.ts';
import { errorInfoSchema, GradloomError } from '../contract/errors.ts';
import { type RunAction, type RunState, runActions } from '../contract/events.ts';
import type { RunControl } from './control.ts';
import { replaceJson, writeError } from './durable.ts';
import { findRun } from './folder.ts';

const liveName = 'live.json';
/** `folder` tells the run itself from a copy of it, which must not control the original. */
const liveSchema = z.object({
  pid: z.number(),
  endpoint: z.string(),
  started: z.string(),
  folder: z.string().exactOptional(),
});
const answerSchema = z.union([
  liveAnswerSchema.extend({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: errorInfoSchema }),
]);

/** Unix sockets have room for about 100 bytes of path. */
const longestSocketFolder = 80;
const socketFolderPrefix = 'gradloom-';
const socketName = 'control';

/** The socket lies in a folder only this user may enter; on Windows a pipe's name cannot be guessed. */
function newEndpoint(): { endpoint: string; remove: () => void } {
  if (process.platform === 'win32')
    return { endpoint: `\\\\.\\pipe\\gradloom-${crypto.randomUUID()}`, remove: () => {} };
  const base = os.tmpdir().length > longestSocketFolder ? '/tmp' : os.tmpdir();
  let folder: string;
  try {
    folder = mkdtempSync(path.join(base, socketFolderPrefix));
  } catch (thrown) {
    throw writeError(thrown, base);
  }
  return { endpoint: path.join(folder, socketName), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Removes the socket of a process that was killed, and its folder. `live.json` may have come from anywhere, so only what `newEndpoint` makes
 * goes: a socket of its name, alone in a folder of ours beside the other temporary files, reached by no link.
 */
function removeStale(endpoint: string): void {
  const folder = path.dirname(endpoint);
  const pattern = new RegExp(`^${socketFolderPrefix}[A-Za-z0-9]{6}$`);
  if (process.platform === 'win32' || path.basename(endpoint) !== socketName) return;
  if (!pattern.test(path.basename(folder))) return;
  try {
    const bases = [os.tmpdir(), '/tmp'].map((base) => realpathSync(base));
    if (!bases.includes(realpathSync(path.dirname(folder)))) return;
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return;
    const socket = lstatSync(endpoint, { throwIfNoEntry: false });
    if (socket && !socket.isSocket()) return;
    if (socket) unlinkSync(endpoint);
    rmdirSync(folder);
  } catch {
    // gone already, or not to be removed by us
  }
}

export interface Endpoint {
  /** Removes `live.json`: before the lock is released, for the next holder writes its own. */
  hide(): void;
  /** Takes no more requests, lets the answers out, removes the socket. */
  close(): Promise<void>;
}

/** Opens the run's endpoint and writes `live.json`. The caller holds the run's lock. */
export async function openEndpoint(runFolder: string, control: RunControl): Promise<Endpoint> {
  await isLive(runFolder); // what a killed holder left in the temporary folder goes before its address is lost
  const { endpoint, remove } = newEndpoint();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const lines = createInterface({ input: socket });
    lines.on('error', () => {}); // it passes the socket's on: unheard, a client that was killed would end the training
    lines.on('line', (line) => {
      void answerLine(line, control).then((answer) => socket.writable && socket.write(`${JSON.stringify(answer)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      remove();
      reject(error);
    });
    server.listen(endpoint, resolve);
  });
  const live: z.infer<typeof liveSchema> = {
    pid: process.pid,
    endpoint,
    started: new Date().toISOString(),
    folder: identityOf(runFolder),
  };
  try {
    replaceJson(path.join(runFolder, liveName), live, { sync: false });
  } catch (thrown) {
    server.close();
    remove();
    throw thrown;
  }
  return {
    hide() {
      rmSync(path.join(runFolder, liveName), { force: true });
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await new Promise((resolve) => setImmediate(resolve)); // answers that are due are written first
      for (const socket of sockets) socket.end();
      const impatient = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, 500);
      await closed;
      clearTimeout(impatient);
      remove();
    },
  };
}

async function answerLine(line: string, control: RunControl): Promise<z.infer<typeof answerSchema>> {
  let request: LiveRequest;
  try {
    request = liveRequestSchema.parse(JSON.parse(line));
  } catch {
    const error = new GradloomError('BAD_CALL', `Not an action: ${line.slice(0, 100)}`, {
      hint: `Send {"action": …} with one of ${runActions.join(', ')}, snapshot, set.`,
    });
    return { ok: false, error: error.toInfo() };
  }
  try {
    return { ok: true, ...(await control.request(request)) };
  } catch (thrown) {
    return { ok: false, error: GradloomError.from(thrown).toInfo() };
  }
}

/** Stays the same when a folder is renamed; a copy has another. */
function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

function connect(runFolder: string): Promise<net.Socket | null> {
  let endpoint: string;
  try {
    const live = liveSchema.parse(JSON.parse(readFileSync(path.join(runFolder, liveName), 'utf8')));
    if (live.folder !== undefined && live.folder !== identityOf(runFolder)) return Promise.resolve(null);
    endpoint = live.endpoint;
  } catch {
    return Promise.resolve(null);
  }
  return new Promise((resolve) => {
    const socket = net.connect(endpoint);
    socket.once('connect', () => resolve(socket));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') removeStale(endpoint);
      resolve(null);
    });
  });
}

/** Whether some process holds the run. A killed one leaves `live.json`, but nobody answers at its endpoint. */
export async function isLive(runFolder: string): Promise<boolean> {
  const socket = await connect(runFolder);
  socket?.destroy();
  return socket !== null;
}

/** The process that holds the run; null when none does. Its socket takes connections as long as it lives, even where it is frozen. */
export async function livePid(runFolder: string): Promise<number | null> {
  if (!(await isLive(runFolder))) return null;
  try {
    return liveSchema.parse(JSON.parse(readFileSync(path.join(runFolder, liveName), 'utf8'))).pid;
  } catch {
    return null; // it has just ended
  }
}

/**
 * Asks a live run, given by folder or name; answers with its state once the action has taken effect.
 * @throws GradloomError RUN_NOT_FOUND, RUN_NOT_LIVE
 */
export async function sendAction(run: string, action: RunAction): Promise<RunState> {
  return (await sendRequest(run, { action })).status;
}

/** The same for whatever a live run does. @throws GradloomError also what the run itself refuses, BAD_CALL above all */
export async function sendRequest(run: string, request: LiveRequest): Promise<LiveAnswer> {
  const folder = await findRun(run);
  const { action } = request;
  const socket = await connect(folder);
  if (!socket) {
    const what = action === 'snapshot' ? 'save a snapshot' : action === 'set' ? 'be changed' : action;
    const hints: { [action: string]: string } = {
      continue: 'Resume it.',
      set: 'Resume it, with a new last epoch if wanted.',
    };
    throw new GradloomError('RUN_NOT_LIVE', `No process is training ${path.basename(folder)}, so it cannot ${what}`, {
      hint: hints[action] ?? 'See in the list of runs which are live.',
      path: folder,
    });
  }
  try {
    const line = await new Promise<string>((resolve, reject) => {
      const gone = () =>
        reject(
          new GradloomError('RUN_NOT_LIVE', `The process of ${path.basename(folder)} ended before it answered`, {
            path: folder,
          }),
        );
      createInterface({ input: socket }).once('line', resolve).once('close', gone).on('error', gone);
      socket.on('error', gone);
      socket.write(`${JSON.stringify(request)}\n`);
    });
    const answer = answerSchema.parse(JSON.parse(line));
    if (!answer.ok) throw GradloomError.fromInfo(answer.error);
    const { ok: _, ...rest } = answer;
    return rest;
  } finally {
    socket.destroy();
  }
}
