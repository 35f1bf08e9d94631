/** How a file's characters are stored: by its mark, by whether all of it is UTF-8, else by how often which bytes stand in it. */
import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import { GradloomError } from '../../contract/errors.ts';
import type { ContentOptions } from '../content.ts';
import { readContent } from '../content.ts';

export interface EncodingGuess {
  /** A label of the WHATWG. */
  encoding: string;
  reason: string;
  /** Whether DuckDB can read the bytes as they are: UTF-8 without a mark. */
  plain: boolean;
}

const marks: [bytes: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** As much of the file as is looked at for its letters. */
const sampleBytes = 1 << 20;
const sure = 50;

/** Reads the whole file: one letter at its end decides as one at its start. */
export async function guessEncoding(path: string, options: ContentOptions = {}): Promise<EncodingGuess> {
  const odd: Buffer[] = [];
  let oddBytes = 0;
  let first: Buffer | null = null;
  let carry: Buffer = Buffer.alloc(0);
  let valid = true;
  for await (const chunk of readContent(path, options)) {
    first ??= chunk;
    if (first === chunk) {
      const marked = marks.find(([bytes]) => bytes.every((byte, i) => chunk[i] === byte));
      if (marked) {
        return {
          encoding: marked[1],
          reason: `the file begins with the byte-order mark of ${marked[1]}`,
          plain: false,
        };
      }
      const wide = wideText(chunk);
      if (wide) return { encoding: wide, reason: 'every other byte of its start is zero', plain: false };
    }
    if (valid) {
      const whole: Buffer = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
      const cut = lastCharacter(whole);
      valid = isUtf8(whole.subarray(0, cut));
      carry = whole.subarray(cut);
    }
    if (!valid && oddBytes < sampleBytes && chunk.some((byte) => byte >= 0x80)) {
      odd.push(chunk);
      oddBytes += chunk.length;
    }
    if (!valid && oddBytes >= sampleBytes) break;
  }
  if (valid && carry.length === 0) {
    return { encoding: 'utf-8', reason: 'all of it is valid UTF-8', plain: true };
  }
  const sample = Buffer.concat(odd.length > 0 ? odd : [first ?? Buffer.alloc(0)]).subarray(0, sampleBytes);
  return byLetters(sample);
}

function byLetters(sample: Buffer): EncodingGuess {
  const latin = {
    encoding: 'windows-1252',
    reason: 'it is not UTF-8; Windows-1252 (Latin-1) is the most usual of the others',
    plain: false,
  };
  const best = analyse(sample).find(({ name, confidence }) => confidence >= sure && decoderOf(name) !== null);
  if (!best || /^(iso-8859-1|windows-1252|utf-8|ascii)$/i.test(best.name)) return latin;
  const text = (decoderOf(best.name) as InstanceType<typeof TextDecoder>).decode(sample, { stream: true });
  if (text.includes('\uFFFD')) return latin;
  return {
    encoding: best.name.toLowerCase(),
    reason: `it is not UTF-8, and its bytes are spread as those of ${best.name} are (${best.confidence} of 100)`,
    plain: false,
  };
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/** UTF-16 without a mark: of its first characters, most are of the first 256. */
function wideText(start: Buffer): string | null {
  const pairs = Math.min(2_000, Math.floor(start.length / 2));
  if (pairs < 2) return null;
  let [low, high] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    if (start[2 * i] === 0) high++;
    if (start[2 * i + 1] === 0) low++;
  }
  if (low > 0.7 * pairs && high < 0.1 * pairs) return 'utf-16le';
  return high > 0.7 * pairs && low < 0.1 * pairs ? 'utf-16be' : null;
}

/** Where the last character begins that the bytes cut in two; their length where none is. */
function lastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** @throws GradloomError DATA_FORMAT where there is no such encoding */
export function decoderFor(encoding: string): InstanceType<typeof TextDecoder> {
  const decoder = decoderOf(encoding);
  if (decoder) return decoder;
  throw new GradloomError('DATA_FORMAT', `There is no encoding ${encoding}.`, {
    hint: 'Name one as browsers do: utf-8, utf-16le, windows-1252, iso-8859-2, shift_jis, gb18030, …',
    path: 'data.source.encoding',
  });
}

/** The file's text as it comes, its mark taken off. */
export async function* decoded(path: string, encoding: string, options: ContentOptions = {}): AsyncGenerator<string> {
  const decoder = decoderFor(encoding);
  for await (const chunk of readContent(path, options)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
