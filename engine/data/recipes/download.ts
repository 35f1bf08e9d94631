/** One file from the first of its mirrors that has it whole: goes on where it stopped, is checked, and appears under its name only then. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, interceptors } from 'undici';
import { GradloomError } from '../../contract/errors.ts';
import { systemError } from '../../files.ts';
import type { RecipeFile } from './recipes.ts';

export interface DownloadOptions {
  signal?: AbortSignal | undefined;
  /** Bytes so far, and of which server. */
  onProgress?: ((bytes: number, host: string) => void) | undefined;
  /** Between two tries, in milliseconds; doubled each time that brings nothing. */
  pause?: number;
}

/** Tries in a row at one mirror that brought nothing. */
const fruitlessTries = 4;
const redirections = 8;
const waitMs = 30_000;
/** A server that sends much more than was published sends something else. */
const spareBytes = 16 << 20;

/** What a mirror did that asking it again does not change. */
class Refused extends Error {}

/**
 * Fetches `file` from one of the addresses into `target`; a `target` that is there and right is left alone. `<target>.part` stays where it was
 * broken off. Throws NETWORK, CANCELLED, DISK_FULL, NOT_WRITABLE.
 */
export async function download(
  addresses: readonly string[],
  file: RecipeFile,
  target: string,
  options: DownloadOptions = {},
): Promise<void> {
  const { signal } = options;
  const part = `${target}.part`;
  const agent = new EnvHttpProxyAgent({ headersTimeout: waitMs, bodyTimeout: waitMs, connect: { timeout: waitMs } });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: redirections }));
  const told: string[] = [];
  try {
    if (await isRight(target, file)) return;
    await rm(target, { force: true });
    for (const address of addresses) {
      const { host } = new URL(address);
      try {
        await fromMirror(dispatcher, address, file, part, options);
        await rename(part, target);
        return;
      } catch (thrown) {
        if (signal?.aborted || isOfDisk(thrown)) throw thrown;
        told.push(`${host}: ${reasonOf(thrown)}`);
      }
    }
  } catch (thrown) {
    if (signal?.aborted)
      throw new GradloomError('CANCELLED', `Fetching ${file.name} was cancelled.`, { cause: thrown });
    throw systemError(thrown, target, 'write');
  } finally {
    await agent.destroy();
  }
  throw new GradloomError('NETWORK', `${file.name} could not be fetched (${told.join('; ')}).`, {
    hint: 'Check the connection, and HTTPS_PROXY if there is a proxy, and fetch again: what has arrived is kept.',
  });
}

async function fromMirror(
  dispatcher: Dispatcher,
  address: string,
  file: RecipeFile,
  part: string,
  options: DownloadOptions,
): Promise<void> {
  const { signal, pause = 500 } = options;
  let fruitless = 0;
  for (let again = false; ; ) {
    const before = await sizeOf(part);
    try {
      await append(dispatcher, address, file, part, options);
      if (await isRight(part, file)) return;
      // What another mirror, or another day, had begun may be of another file.
      await rm(part, { force: true });
      if (again || before === 0) throw new Refused('it sends another file than was published: the checksum differs');
      again = true;
    } catch (thrown) {
      if (thrown instanceof Refused || signal?.aborted || isOfDisk(thrown)) throw thrown;
      fruitless = (await sizeOf(part)) > before ? 0 : fruitless + 1;
      if (fruitless >= fruitlessTries) throw thrown;
      await sleep(pause * 2 ** fruitless, undefined, signal ? { signal } : {});
    }
  }
}

/** Fetches what is missing of the `.part` file. Throws where the connection ends before the file does. */
async function append(
  dispatcher: Dispatcher,
  address: string,
  file: RecipeFile,
  part: string,
  { signal, onProgress }: DownloadOptions,
): Promise<void> {
  let have = await sizeOf(part);
  const { origin, pathname, search, host } = new URL(address);
  const answer = await dispatcher.request({
    origin,
    path: `${pathname}${search}`,
    method: 'GET',
    // As the server has it: what it would pack for the way could not be gone on with.
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'gradloom',
      ...(have > 0 ? { range: `bytes=${have}-` } : {}),
    },
    ...(signal ? { signal } : {}),
  });
  const { statusCode, headers, body } = answer;
  if (statusCode !== 200 && statusCode !== 206) {
    await body.dump();
    if (statusCode === 416) return void (await dropUnlessWhole(part, file));
    if (statusCode >= 500 || statusCode === 429) throw new Error(`it answers ${statusCode}`);
    throw new Refused(`it answers ${statusCode}`);
  }
  if (statusCode === 200 || rangeBegin(headers['content-range']) !== have) have = 0;
  const length = Number(headers['content-length'] ?? Number.NaN);
  const total = Number.isNaN(length) ? null : have + length;
  const most = 2 * file.bytes + spareBytes;
  const out = await open(part, have > 0 ? 'a' : 'w');
  try {
    for await (const chunk of body) {
      signal?.throwIfAborted();
      const bytes = chunk as Buffer;
      for (let at = 0; at < bytes.length; ) at += (await out.write(bytes, at)).bytesWritten;
      have += bytes.length;
      onProgress?.(have, host);
      if (have > most) throw new Refused(`it sends more than the ${file.bytes} bytes that were published`);
    }
    await out.sync();
  } finally {
    await out.close();
  }
  if (total !== null && have < total) throw new Error('the connection ended early');
}

/** The server has no more: all of it is there, or what is there is not of this file. */
async function dropUnlessWhole(part: string, file: RecipeFile): Promise<void> {
  if (!(await isRight(part, file))) await rm(part, { force: true });
}

function rangeBegin(header: string | string[] | undefined): number | null {
  const found = /^bytes (\d+)-/.exec(String(header ?? ''))?.[1];
  return found === undefined ? null : Number(found);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

/** Whether the file is the published one, by every checksum that there is. */
async function isRight(path: string, { md5, sha256 }: RecipeFile): Promise<boolean> {
  if ((await sizeOf(path)) === 0) return false;
  const sums = [
    { sum: createHash('md5'), wanted: md5 },
    { sum: createHash('sha256'), wanted: sha256 },
  ].filter(({ wanted }) => wanted !== undefined);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    for (const { sum } of sums) sum.update(chunk as Buffer);
  }
  return sums.every(({ sum, wanted }) => sum.digest('hex') === wanted);
}

const ofDisk = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOENT', 'ENOTDIR'];

/** Another mirror does not help. */
function isOfDisk(thrown: unknown): boolean {
  const { code, syscall } = thrown as { code?: string; syscall?: string };
  return ofDisk.includes(code ?? '') && !['connect', 'getaddrinfo'].includes(syscall ?? '');
}

function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as { code?: string; message: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'it is not known';
  if (code === 'ECONNREFUSED') return 'it takes no connections';
  if (code?.startsWith('UND_ERR') && code.endsWith('TIMEOUT')) return 'it does not answer';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection ended early';
  return message;
}
