/** Files that a browser brings part by part: written beside their place under a temporary name, and whole or not at all. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { mostUploadBytes, uploadPartBytes, weightsExtensions } from './contract/api-upload.ts';
import { GradloomError } from './contract/errors.ts';
import { bytes } from './contract/format.ts';
import { makeFolders, reservedName, systemError } from './files.ts';
import { weightsDir } from './workspace.ts';

/** One whose window is gone is given up after this long; where others want its place, already when it brings nothing for `waitsMs`. */
const idleMs = 5 * 60_000;
const waitsMs = 30_000;
/** Each holds a file open; a window brings one after the other. */
const mostOpen = 8;
/** In UTF-8, so that a number and an ending have room in what file systems allow. */
const mostNameBytes = 200;
const temporary = /^\.[0-9a-f]{16}\.part$/;

interface Upload {
  file: FileHandle;
  place: string;
  name: string;
  size: number;
  written: number;
  idle: NodeJS.Timeout;
  /** When it began or last brought something, as `performance.now` tells. */
  active: number;
  /** A part is being written. */
  busy: boolean;
}

interface UploadRules {
  idle?: number;
  waits?: number;
  check?: (file: string) => Promise<unknown>;
}

export class Uploads {
  readonly #folder: string;
  readonly #idleMs: number;
  readonly #waitsMs: number;
  readonly #check: (file: string) => Promise<unknown>;
  readonly #open = new Map<string, Upload>();
  /** Those whose files are just being made. */
  #beginning = 0;

  /** `check` is shown each file that is whole; what it throws, the last part throws, and nothing of the file stays. */
  constructor(home: string, { idle = idleMs, waits = waitsMs, check = async () => {} }: UploadRules = {}) {
    this.#folder = weightsDir(home);
    this.#idleMs = idle;
    this.#waitsMs = waits;
    this.#check = check;
  }

  /** @throws GradloomError BAD_CALL for what is no weights file, too large or one too many, NOT_WRITABLE, DISK_FULL */
  async begin(name: string, size: number): Promise<string> {
    checkFile(name, size);
    this.#makeRoom(name);
    const id = randomBytes(8).toString('hex');
    const place = path.join(this.#folder, `.${id}.part`);
    this.#beginning++;
    try {
      await makeFolders(this.#folder);
      await this.#sweep();
      const file = await open(place, 'wx');
      const [idle, active] = [this.#idle(id), performance.now()];
      this.#open.set(id, { file, place, name: safeName(name), size, written: 0, idle, active, busy: false });
    } catch (thrown) {
      throw systemError(thrown, this.#folder, 'write');
    } finally {
      this.#beginning--;
    }
    return id;
  }

  /** Answers where the file lies once it is whole. */
  async part(id: string, offset: number, part: Uint8Array): Promise<string | null> {
    const upload = this.#open.get(id);
    if (!upload) throw gone();
    const end = upload.written + part.length;
    const last = end === upload.size;
    if (
      upload.busy ||
      offset !== upload.written ||
      end > upload.size ||
      part.length > uploadPartBytes ||
      (part.length === 0 && !last)
    ) {
      throw new GradloomError('BAD_CALL', `A part of ${upload.name} came out of order`, {
        hint: 'Drop the file again.',
      });
    }
    clearTimeout(upload.idle);
    upload.busy = true;
    try {
      await upload.file.writeFile(part);
      upload.written = end;
      if (last) return await this.#finish(id, upload);
    } catch (thrown) {
      await this.cancel(id);
      throw systemError(thrown, path.join(this.#folder, upload.name), 'write');
    } finally {
      upload.busy = false;
    }
    upload.idle = this.#idle(id);
    upload.active = performance.now();
    return null;
  }

  async cancel(id: string): Promise<void> {
    const upload = this.#open.get(id);
    if (!upload) return;
    this.#open.delete(id);
    clearTimeout(upload.idle);
    await upload.file.close().catch(() => {});
    await rm(upload.place, { force: true }).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.cancel(id)));
  }

  async #finish(id: string, { file, place, name }: Upload): Promise<string> {
    await file.sync();
    await file.close();
    const { name: stem, ext } = path.parse(name);
    for (let number = 1; ; number += 1) {
      const target = path.join(this.#folder, `${stem}${number === 1 ? '' : `-${number}`}${ext}`);
      if (!(await taken(target))) continue;
      try {
        await rename(place, target);
        await this.#check(target);
      } catch (thrown) {
        await rm(target, { force: true }).catch(() => {});
        throw calledAs(name, thrown, target);
      }
      this.#open.delete(id);
      return target;
    }
  }

  /** The one that has brought nothing for longest gives way, if that is long enough to take its window for gone. */
  #makeRoom(name: string): void {
    if (this.#open.size + this.#beginning < mostOpen) return;
    const waiting = [...this.#open].filter(([, { busy }]) => !busy).sort(([, a], [, b]) => a.active - b.active);
    const [id, oldest] = waiting[0] ?? [];
    if (id === undefined || !oldest || performance.now() - oldest.active < this.#waitsMs) {
      throw new GradloomError(
        'BAD_CALL',
        `${safeName(name)} cannot be brought yet: ${mostOpen} files are on their way`,
        {
          hint: 'Drop it again when one of them is there.',
        },
      );
    }
    void this.cancel(id);
  }

  #idle(id: string): NodeJS.Timeout {
    return setTimeout(() => void this.cancel(id), this.#idleMs).unref();
  }

  /** What a service that was killed has left. */
  async #sweep(): Promise<void> {
    const ours = new Set([...this.#open.values()].map(({ place }) => path.basename(place)));
    for (const name of await readdir(this.#folder)) {
      const place = path.join(this.#folder, name);
      if (!temporary.test(name) || ours.has(name)) continue;
      const changed = (await stat(place).catch(() => null))?.mtimeMs ?? 0;
      if (Date.now() - changed > this.#idleMs) await rm(place, { force: true }); // else another service's
    }
  }
}

/** Whether the name was free; it is not any more, so that of two that come to their end at once each has its own. */
async function taken(target: string): Promise<boolean> {
  try {
    await (await open(target, 'wx')).close();
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

/** Without what is not seen or what some system refuses in names, and no longer than all of them allow. */
function safeName(name: string): string {
  const { name: given, ext } = path.parse(name);
  const clean = given.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]+/gu, '-').replace(/[\s.]+$/u, '');
  const stem = clean === '' || reservedName.test(clean) ? `weights-${clean}`.replace(/-$/, '') : clean;
  const letters = [...stem];
  while (Buffer.byteLength(letters.join('')) > mostNameBytes) letters.pop();
  return `${letters.join('')}${ext}`;
}

function checkFile(name: string, size: number): void {
  const known = weightsExtensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`));
  if (!known || name !== path.basename(name) || /[\\/\0]/.test(name) || name.startsWith('.')) {
    throw new GradloomError('BAD_CALL', `${JSON.stringify(name)} is no weights file`, {
      hint: `Weights end with ${weightsExtensions.map((extension) => `.${extension}`).join(', ')}.`,
    });
  }
  if (size > mostUploadBytes) {
    throw new GradloomError('BAD_CALL', `${safeName(name)} is too large to be brought by a browser: ${bytes(size)}`, {
      hint: `Copy it to where the engine runs, and choose it by Browse. Up to ${bytes(mostUploadBytes)} can be dropped.`,
    });
  }
}

/** A refused file is told of by the name that it came with: its place in the workspace is gone. */
function calledAs(name: string, thrown: unknown, target: string): unknown {
  if (!(thrown instanceof GradloomError)) return thrown;
  const { code, message, hint } = thrown;
  return new GradloomError(code, message.replace(target, name), {
    ...(hint === undefined ? {} : { hint }),
    cause: thrown,
  });
}

function gone(): GradloomError {
  return new GradloomError('BAD_CALL', 'This file is not being brought any more', { hint: 'Drop it again.' });
}
