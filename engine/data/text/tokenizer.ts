/** Text into tokens, piece by piece: where a piece of the stream ends makes no difference. */
import type { TextReading } from '../../contract/sources/text.ts';

/** Words and signs; characters come as the text that they are: code point by code point. */
export type Tokens = readonly string[] | string;

export type Tokenizing = Pick<TextReading, 'level' | 'lowercase'>;

/** Letters of scripts that set no blanks between words stand alone; words keep their apostrophes. */
const alone =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const letter = `(?:(?![${alone}])[\\p{L}\\p{M}\\p{N}_])`;
const words = new RegExp(`\\n|[${alone}]\\p{M}*|${letter}+(?:['’]${letter}+)*|[^\\s]`, 'gu');

/** A word is looked for in at most so much text without a blank. */
const longestHeld = 1 << 20;

export class Tokenizer {
  readonly #level: Tokenizing['level'];
  readonly #lowercase: boolean;
  readonly #lines: boolean;
  #held = '';
  #afterReturn = false;

  /** `lines`: whether a line break is a token among words. */
  constructor({ level, lowercase }: Tokenizing, lines: boolean) {
    this.#level = level;
    this.#lowercase = lowercase;
    this.#lines = lines;
  }

  /** The tokens that the text so far surely has. */
  push(piece: string): Tokens {
    const text = this.#held + this.#lineFeeds(piece);
    if (this.#level === 'char') return this.#characters(text);
    const cut = text.length > longestHeld ? text.length : lastBlank(text);
    this.#held = text.slice(cut);
    return this.#words(text.slice(0, cut));
  }

  /** What was held back. */
  end(): Tokens {
    const text = this.#held + (this.#afterReturn ? '\n' : '');
    this.#held = '';
    this.#afterReturn = false;
    return this.#level === 'char' ? this.#characters(text) : this.#words(text);
  }

  #lineFeeds(piece: string): string {
    if (piece === '') return '';
    const begun = this.#afterReturn ? `\r${piece}` : piece;
    this.#afterReturn = begun.endsWith('\r');
    const whole = this.#afterReturn ? begun.slice(0, -1) : begun;
    return whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole;
  }

  #characters(text: string): string {
    if (!this.#lowercase) return text;
    // The one letter that is made small by what stands beside it goes alone, so that where a piece ends makes no difference.
    return text.includes('Σ') ? Array.from(text, (each) => each.toLowerCase()).join('') : text.toLowerCase();
  }

  #words(text: string): string[] {
    const found: string[] = text.match(words) ?? [];
    const kept = this.#lines ? found : found.filter((each) => each !== '\n');
    return this.#lowercase ? kept.map((each) => each.toLowerCase()) : kept;
  }
}

/** Behind the last blank: what follows it may go on. */
function lastBlank(text: string): number {
  for (let at = text.length; at > 0; at--) if (isBlank(text.charCodeAt(at - 1))) return at;
  return 0;
}

const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x3000;

/** The tokens of a whole text. */
export function tokensIn(text: string, tokenizing: Tokenizing): string[] {
  const tokenizer = new Tokenizer(tokenizing, false);
  return [...tokenizer.push(text), ...tokenizer.end()];
}
