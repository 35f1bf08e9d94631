/** How far an import is: bytes of the source's files, or rows where those are not known, and the seconds that are left. */
import type { ColumnRole, OpenSource } from './open-source.ts';
import type { PackProgress } from './pack.ts';

/** Before this the rate says nothing. */
const settledMs = 1_500;

export class Progress {
  readonly #report: ((progress: PackProgress) => void) | undefined;
  readonly #bytes: boolean;
  readonly #total: number;
  readonly #before: number;
  readonly #counter: { read: number };
  readonly #began = performance.now();
  readonly #rows = new Map<string, number>();
  #done = 0;
  #file: string | null = null;
  #fileBytes = 0;

  /** `counter` goes on from what was read before. */
  constructor(
    { readBytes, parts, columns }: Pick<OpenSource, 'readBytes' | 'parts' | 'columns'>,
    counter: { read: number },
    report: ((progress: PackProgress) => void) | undefined,
  ) {
    this.#report = report;
    this.#counter = counter;
    this.#bytes = readBytes > 0;
    const rows = Object.values(parts).reduce((sum, count) => sum + count, 0) * Object.keys(columns).length;
    this.#total = this.#bytes ? readBytes : rows;
    this.#before = this.#bytes ? counter.read : 0;
    this.#done = this.#before;
  }

  /** So many bytes of a file so far. */
  read(file: string, bytes: number): void {
    if (file !== this.#file) this.#fileBytes = 0;
    this.#file = file;
    this.#counter.read += Math.max(0, bytes - this.#fileBytes);
    this.#fileBytes = bytes;
    if (this.#bytes) this.#tell(this.#counter.read);
  }

  /** So many rows of a column so far. */
  rows(part: string, role: ColumnRole, count: number): void {
    if (this.#bytes) return;
    this.#rows.set(`${part}.${role}`, count);
    this.#tell([...this.#rows.values()].reduce((sum, each) => sum + each, 0));
  }

  end(): void {
    this.#file = null;
    this.#tell(this.#total);
  }

  #tell(done: number): void {
    this.#done = Math.max(this.#done, Math.min(done, this.#total));
    const elapsed = performance.now() - this.#began;
    const made = this.#done - this.#before;
    const left = elapsed < settledMs || made <= 0 ? null : (((this.#total - this.#done) / made) * elapsed) / 1000;
    this.#report?.({ file: this.#file, done: this.#done, total: this.#total, seconds_left: left });
  }
}
