/** Which tokens there are, by how often the training part has them. */
import type { TextReading } from '../../contract/sources/text.ts';
import { inCodePoints } from '../listing.ts';

export const unknownToken = '<unk>';
export const paddingToken = '<pad>';

/** More different tokens are not kept in memory: the rarest go. */
const mostCounted = 4_000_000;

export class Counter {
  readonly #counts = new Map<string, number>();
  /** Tokens that were met no more often than this may have been left out. */
  dropped = 0;

  add(tokens: readonly string[]): void {
    for (const token of tokens) this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
    while (this.#counts.size > mostCounted) {
      this.dropped++;
      for (const [token, count] of this.#counts) if (count <= this.dropped) this.#counts.delete(token);
    }
  }

  /** Behind the special ones: characters by code point, words by frequency, equal ones by code point. */
  vocabulary(
    specials: readonly string[],
    settings: Pick<TextReading, 'level' | 'vocabulary' | 'min_count'>,
  ): Vocabulary {
    const { level, vocabulary, min_count } = settings;
    const special = new Set(specials);
    const often = [...this.#counts].filter(([token, count]) => count >= min_count && !special.has(token));
    often.sort((a, b) => b[1] - a[1] || inCodePoints(a[0], b[0]));
    const kept = often.slice(0, vocabulary === null ? undefined : Math.max(0, vocabulary - specials.length));
    const tokens = kept.map(([token]) => token);
    if (level === 'char') tokens.sort(inCodePoints);
    return new Vocabulary([...specials, ...tokens], this.#counts.size);
  }
}

export class Vocabulary {
  readonly tokens: readonly string[];
  /** Different tokens of the training part. */
  readonly met: number;
  readonly #indices: Map<string, number>;
  readonly #unknown: number;

  constructor(tokens: readonly string[], met: number) {
    this.tokens = tokens;
    this.met = met;
    this.#indices = new Map(tokens.map((token, index) => [token, index]));
    this.#unknown = tokens.indexOf(unknownToken);
  }

  index(token: string): number {
    return this.#indices.get(token) ?? this.#unknown;
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
