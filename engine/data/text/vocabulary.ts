/** Which tokens there are, by how often the training part has them. */
import type { TextReading } from '../../contract/sources/text.ts';
import { inCodePoints } from '../listing.ts';
import type { Tokens } from './tokenizer.ts';

export const unknownToken = '<unk>';
export const paddingToken = '<pad>';

/** More different tokens are not kept in memory: the rarest go. */
const mostCounted = 4_000_000;

/** By code point. */
const points = 0x110000;

/** Calls `see` with each code point; many times faster than one string a character. */
function eachPoint(text: string, see: (point: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const point = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) as number) : unit;
    if (point > 0xffff) at++;
    see(point);
  }
}

export class Counter {
  readonly #counts = new Map<string, number>();
  readonly #points = new Float64Array(points);
  /** Tokens that were met no more often than this may have been left out. */
  #dropped = 0;

  add(tokens: Tokens): void {
    if (typeof tokens === 'string') {
      const counts = this.#points;
      eachPoint(tokens, (point) => {
        counts[point] = (counts[point] as number) + 1;
      });
      return;
    }
    for (const token of tokens) this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
    while (this.#counts.size > mostCounted) {
      this.#dropped++;
      for (const [token, count] of this.#counts) if (count <= this.#dropped) this.#counts.delete(token);
    }
  }

  /** Behind the special ones: characters by code point, words by frequency, equal ones by code point. */
  vocabulary(
    specials: readonly string[],
    settings: Pick<TextReading, 'level' | 'vocabulary' | 'min_count'>,
  ): Vocabulary {
    const { level, vocabulary, min_count } = settings;
    const special = new Set(specials);
    const counts = new Map(this.#counts);
    for (let point = 0; point < points; point++) {
      const count = this.#points[point] as number;
      if (count > 0) counts.set(String.fromCodePoint(point), count);
    }
    const often = [...counts].filter(([token, count]) => count >= min_count && !special.has(token));
    often.sort((a, b) => b[1] - a[1] || inCodePoints(a[0], b[0]));
    const kept = often.slice(0, vocabulary === null ? undefined : Math.max(0, vocabulary - specials.length));
    const tokens = kept.map(([token]) => token);
    if (level === 'char') tokens.sort(inCodePoints);
    return new Vocabulary([...specials, ...tokens], counts.size);
  }
}

export class Vocabulary {
  readonly tokens: readonly string[];
  /** Different tokens of the training part. */
  readonly met: number;
  readonly #indices: Map<string, number>;
  readonly #unknown: number;
  #points: Int32Array | undefined;

  constructor(tokens: readonly string[], met: number) {
    this.tokens = tokens;
    this.met = met;
    this.#indices = new Map(tokens.map((token, index) => [token, index]));
    this.#unknown = tokens.indexOf(unknownToken);
  }

  index(token: string): number {
    return this.#indices.get(token) ?? this.#unknown;
  }

  /** Puts the indices of all of them behind `indices`. */
  append(indices: number[], tokens: Tokens): void {
    if (typeof tokens !== 'string') {
      for (const token of tokens) indices.push(this.index(token));
      return;
    }
    this.#points ??= this.#byPoint();
    const table = this.#points;
    eachPoint(tokens, (point) => indices.push(table[point] as number));
  }

  #byPoint(): Int32Array {
    const table = new Int32Array(points).fill(this.#unknown);
    for (const [token, index] of this.#indices) {
      const point = token.codePointAt(0) ?? 0;
      if (String.fromCodePoint(point) === token) table[point] = index;
    }
    return table;
  }
}

/** Tokens as a person reads them: what fills up is left out. */
export function textOf(
  indices: ArrayLike<number>,
  { tokens }: Vocabulary,
  { level }: Pick<TextReading, 'level'>,
): string {
  const read = Array.from(indices, (index) => tokens[index] ?? unknownToken).filter((token) => token !== paddingToken);
  return level === 'char' ? read.join('') : read.join(' ').replaceAll(' \n ', '\n');
}

/** How many tokens those are. */
export function countOf(tokens: Tokens): number {
  if (typeof tokens !== 'string') return tokens.length;
  let pairs = 0;
  for (let at = 0; at < tokens.length; at++) {
    if (tokens.charCodeAt(at) >= 0xd800 && (tokens.codePointAt(at) as number) > 0xffff) pairs++;
  }
  return tokens.length - pairs;
}
