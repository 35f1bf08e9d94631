/** TAR archives as streams, gzipped or not: plain files with their names and content; links, devices and odd names are refused or passed over. */
import { GradloomError } from '../contract/errors.ts';
import { type ContentOptions, readContent } from './content.ts';

const block = 512;
/** A long name takes no more than this. */
const longestExtra = 1 << 20;

export interface TarFile {
  /** With `/` between its steps; never absolute, never upwards. */
  name: string;
  bytes: number;
  /** Where the content begins in the archive's (unpacked) stream. */
  at: number;
  /** To be read, if at all, before the next file is asked for. */
  content: AsyncIterable<Buffer>;
}

/** The plain files of an archive, in its order. Throws DATA_FORMAT for what is no TAR archive or leads out of it, DATA_TRUNCATED. */
export async function* readTar(path: string, options: ContentOptions = {}): AsyncGenerator<TarFile, void, void> {
  const source = new Bytes(readContent(path, options), path);
  try {
    let long: string | null = null;
    for (;;) {
      const header = await source.take(block);
      if (header === null || header.every((byte) => byte === 0)) return;
      checkSum(header, path);
      const bytes = numberAt(header, 124, 12, path);
      const kind = String.fromCharCode(header[156] as number);
      const padding = (block - (bytes % block)) % block;
      if (kind === 'L' || kind === 'x') {
        if (bytes > longestExtra) throw damaged(path, 'a name is longer than any');
        const extra = await source.need(bytes);
        await source.skip(padding);
        long = (kind === 'L' ? textAt(extra, 0, bytes) : pathOf(extra)) ?? long;
        continue;
      }
      const name = long ?? nameOf(header);
      long = null;
      if (kind === '0' || kind === '\0' || kind === '7') {
        const at = source.position;
        const content = source.part(bytes);
        yield { name: checkName(name, path), bytes, at, content };
        await source.skip(at + bytes + padding - source.position);
      } else await source.skip(bytes + padding);
    }
  } finally {
    await source.close();
  }
}

function damaged(path: string, why: string): GradloomError {
  return new GradloomError('DATA_FORMAT', `${path} is no TAR archive, or a damaged one: ${why}.`, {
    hint: 'Fetch or copy the file again.',
    path,
  });
}

function checkSum(header: Buffer, path: string): void {
  const noted = Number.parseInt(textAt(header, 148, 8).trim(), 8);
  let sum = 0;
  for (let i = 0; i < block; i++) sum += i >= 148 && i < 156 ? 32 : (header[i] as number);
  if (sum !== noted) throw damaged(path, 'the check sum of a header is wrong');
}

/** A name that stays below the folder that it is unpacked into, also where `\` and drives mean something. */
function checkName(name: string, path: string): string {
  const clean = name.replace(/^(\.\/)+/, '');
  const steps = clean.split(/[/\\]/);
  if (clean === '' || /^[/\\]|^[a-z]:|\0/i.test(clean) || steps.includes('..')) {
    throw new GradloomError(
      'DATA_FORMAT',
      `${path} holds a file whose name leads out of it: ${JSON.stringify(name)}.`,
      {
        hint: 'Such an archive is not to be trusted; fetch it from another place.',
        path,
      },
    );
  }
  return clean;
}

function nameOf(header: Buffer): string {
  const name = textAt(header, 0, 100);
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Of an extended header: records `<length> <key>=<value>\n`. */
function pathOf(extra: Buffer): string | null {
  for (let at = 0; at < extra.length; ) {
    const blank = extra.indexOf(0x20, at);
    const length = blank < 0 ? Number.NaN : Number(extra.subarray(at, blank).toString('latin1'));
    if (!Number.isInteger(length) || length <= 0) return null;
    const record = extra.subarray(blank + 1, at + length - 1).toString('utf8');
    if (record.startsWith('path=')) return record.slice(5);
    at += length;
  }
  return null;
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString('utf8');
}

/** Octal digits, or the bytes of a large number behind a bit that says so. */
function numberAt(header: Buffer, at: number, length: number, path: string): number {
  const first = header[at] as number;
  if (first & 0x80) {
    let value = first & 0x7f;
    for (let i = 1; i < length; i++) value = value * 256 + (header[at + i] as number);
    if (Number.isSafeInteger(value)) return value;
    throw damaged(path, 'a file is larger than any');
  }
  const value = Number.parseInt(textAt(header, at, length).trim() || '0', 8);
  if (Number.isNaN(value)) throw damaged(path, 'a size is no number');
  return value;
}

/** A stream from which so many bytes are taken at a time. */
class Bytes {
  readonly #chunks: AsyncGenerator<Buffer, void, void>;
  readonly #path: string;
  #held: Buffer = Buffer.alloc(0);
  position = 0;

  constructor(chunks: AsyncGenerator<Buffer, void, void>, path: string) {
    this.#chunks = chunks;
    this.#path = path;
  }

  /** null at the end. */
  async take(bytes: number): Promise<Buffer | null> {
    while (this.#held.length < bytes) {
      const { value } = await this.#chunks.next();
      if (!value) {
        if (this.#held.length === 0) return null;
        throw this.#cut();
      }
      this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    }
    return this.#advance(bytes);
  }

  async need(bytes: number): Promise<Buffer> {
    const taken = bytes === 0 ? Buffer.alloc(0) : await this.take(bytes);
    if (taken === null) throw this.#cut();
    return taken;
  }

  async *part(bytes: number): AsyncGenerator<Buffer, void, void> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.#some(left);
      left -= piece.length;
      yield piece;
    }
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) left -= (await this.#some(left)).length;
  }

  async close(): Promise<void> {
    await this.#chunks.return();
  }

  async #some(most: number): Promise<Buffer> {
    if (this.#held.length === 0) {
      const { value } = await this.#chunks.next();
      if (!value) throw this.#cut();
      this.#held = value;
    }
    return this.#advance(Math.min(most, this.#held.length));
  }

  #advance(bytes: number): Buffer {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    this.position += bytes;
    return taken;
  }

  #cut(): GradloomError {
    return new GradloomError('DATA_TRUNCATED', `${this.#path} is cut short: a file in it has no end.`, {
      hint: 'Fetch or copy the file again.',
      path: this.#path,
    });
  }
}
