/** A stream of tokens cut into rows for a model that tells the next one. */
import type { Tokens } from './tokenizer.ts';
import type { Vocabulary } from './vocabulary.ts';

const outBytes = 1 << 20;
const tokenBytes = 8;

/** Windows of `length` tokens and the one that follows, among so many. */
export function windowCount(tokens: number, length: number, stride: number): number {
  return tokens > length ? Math.floor((tokens - 1 - length) / stride) + 1 : 0;
}

/** Of each window the `length` tokens from `from` on, as little-endian int64. */
export async function* windows(
  pieces: AsyncIterable<Tokens>,
  vocabulary: Vocabulary,
  { length, stride, from }: { length: number; stride: number; from: 0 | 1 },
): AsyncGenerator<Uint8Array, void, void> {
  let held: number[] = [];
  let passed = 0;
  let out = Buffer.alloc(0);
  let used = 0;
  for await (const tokens of pieces) {
    vocabulary.append(held, tokens);
    let at = 0;
    // `passed`: tokens between two windows that are still to come.
    while (held.length - at > passed + length) {
      at += passed;
      if (used + length * tokenBytes > out.length) {
        if (used > 0) yield out.subarray(0, used);
        out = Buffer.alloc(Math.max(1, Math.floor(outBytes / (length * tokenBytes))) * length * tokenBytes);
        used = 0;
      }
      for (let i = 0; i < length; i++, used += tokenBytes) out.writeUInt32LE(held[at + from + i] as number, used);
      passed = stride;
    }
    if (at > 0) held = held.slice(at);
  }
  if (used > 0) yield out.subarray(0, used);
}
