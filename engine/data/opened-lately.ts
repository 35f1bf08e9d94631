/** What was opened a moment ago is not looked for again at each page of samples: to list a folder of many files takes seconds. */
export class OpenedLately<T> {
  readonly #freshMs: number;
  readonly #slowMs: number;
  #of = '';
  #value: Promise<T> | null = null;
  /** When it was opened, and how long that took. */
  #at = 0;
  #tookMs = 0;
  #renewing = false;

  /**
   * What was opened longer ago is answered once more, while it is opened anew for whoever asks next. What opens quicker than `slowMs` is opened
   * each time.
   */
  constructor({ freshMs, slowMs }: { freshMs: number; slowMs: number }) {
    this.#freshMs = freshMs;
    this.#slowMs = slowMs;
  }

  /** `again`: in any case, and whoever asks meanwhile waits for it. */
  get(of: string, open: () => Promise<T>, again: boolean): Promise<T> {
    const known = this.#of === of ? this.#value : null;
    if (known === null || again || this.#tookMs < this.#slowMs) return this.#take(of, open);
    if (Date.now() - this.#at > this.#freshMs && !this.#renewing) void this.#renew(of, known, open);
    return known;
  }

  forget(): void {
    this.#value = null;
  }

  async #renew(of: string, known: Promise<T>, open: () => Promise<T>): Promise<void> {
    this.#renewing = true;
    try {
      const value = await open();
      if (this.#value === known) void this.#take(of, () => Promise.resolve(value), this.#tookMs);
    } catch {
      // The next one is told what is wrong.
      if (this.#value === known) this.forget();
    } finally {
      this.#renewing = false;
    }
  }

  #take(of: string, open: () => Promise<T>, tookMs?: number): Promise<T> {
    const began = Date.now();
    const value = open();
    this.#of = of;
    this.#value = value;
    this.#at = began;
    // While it is being opened, nobody opens it once more.
    this.#tookMs = Number.POSITIVE_INFINITY;
    value.then(
      () => {
        if (this.#value === value) this.#tookMs = tookMs ?? Date.now() - began;
      },
      () => {
        if (this.#value === value) this.forget();
      },
    );
    return value;
  }
}
