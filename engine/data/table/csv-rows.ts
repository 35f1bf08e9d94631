/**
 * Rows of delimited text, by RFC 4180 and forgiving beyond it: a quote opens a cell only at its start (blanks before it do not count), stands
 * for itself anywhere else, and what follows a closing one belongs to the cell. Lines end in LF, CR LF or CR, mixed as they come.
 */

export interface CsvRow {
  cells: string[];
  /** Where the row begins, from 1. */
  line: number;
  /** Whether the text ended inside quotes. */
  open?: boolean;
}

const [tab, newline, carriage, blank, quote] = [9, 10, 13, 32, 34];

export class CsvRows {
  readonly #delimiter: number;
  /** Blanks and tabs, any number of them, are one delimiter. */
  readonly #blanks: boolean;
  #text = '';
  #at = 0;
  #line = 1;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#blanks = delimiter === ' ';
  }

  /** The lines read so far. */
  get line(): number {
    return this.#line;
  }

  /** The rows that `text` completes. `last`: nothing follows. */
  *read(text: string, last: boolean): Generator<CsvRow> {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    for (;;) {
      if (this.#at >= this.#text.length) break;
      const row = this.#row(last);
      if (!row) break;
      yield row;
    }
  }

  /** One row from where we are; null (and nothing taken) where its end is not there yet. */
  #row(last: boolean): CsvRow | null {
    const text = this.#text;
    const begin = this.#line;
    const cells: string[] = [];
    let at = this.#at;
    let line = begin;
    if (this.#blanks) while (isBlank(text.charCodeAt(at))) at++;
    for (;;) {
      let start = at;
      let cell: string | null = null;
      let after = at;
      if (!this.#blanks) while (text.charCodeAt(after) === blank) after++;
      if (text.charCodeAt(after) === quote) {
        cell = '';
        at = after + 1;
        for (;;) {
          const end = text.indexOf('"', at);
          if (end < 0) {
            if (!last) return null;
            cells.push(cell + text.slice(at));
            this.#at = text.length;
            this.#line = line + breaks(text.slice(at));
            return { cells, line: begin, open: true };
          }
          const piece = text.slice(at, end);
          line += breaks(piece);
          cell += piece;
          at = end + 1;
          if (at >= text.length && !last) return null;
          if (text.charCodeAt(at) !== quote) break;
          cell += '"';
          at++;
        }
        start = at;
      }
      const code = this.#endOfCell(at);
      at = code.at;
      if (at >= text.length && !last) return null;
      const tail = text.slice(start, at);
      cells.push(cell === null ? tail : cell + tail.trimEnd());
      if (at >= text.length) {
        this.#at = at;
        this.#line = line + 1;
        return { cells, line: begin };
      }
      if (code.ends) {
        const crlf = text.charCodeAt(at) === carriage;
        if (crlf && at + 1 >= text.length && !last) return null;
        at += crlf && text.charCodeAt(at + 1) === newline ? 2 : 1;
        this.#at = at;
        this.#line = line + 1;
        return { cells, line: begin };
      }
      at++;
      if (!this.#blanks) continue;
      while (isBlank(text.charCodeAt(at))) at++;
      if (at >= text.length && !last) return null;
      const next = text.charCodeAt(at);
      if (at >= text.length || next === newline || next === carriage) {
        // Blanks at the end of a line delimit nothing.
        const crlf = next === carriage && text.charCodeAt(at + 1) === newline;
        this.#at = Math.min(text.length, at + (crlf ? 2 : 1));
        this.#line = line + 1;
        return { cells, line: begin };
      }
    }
  }

  #endOfCell(from: number): { at: number; ends: boolean } {
    const text = this.#text;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === newline || code === carriage) return { at, ends: true };
      if (code === this.#delimiter || (this.#blanks && code === tab)) return { at, ends: false };
    }
    return { at, ends: false };
  }
}

const isBlank = (code: number) => code === blank || code === tab;

/** Line ends in a text; CR LF is one. */
function breaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === newline || (code === carriage && text.charCodeAt(at + 1) !== newline)) count++;
  }
  return count;
}

/** A cell as canonical CSV writes it. */
export function csvCell(cell: string): string {
  return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Whether a row is nothing but an empty line. */
export const isBlankRow = ({ cells }: CsvRow): boolean => cells.length === 1 && (cells[0] as string).trim() === '';
