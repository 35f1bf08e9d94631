/** Waiting that ends early: whoever sleeps here is woken when something has happened. */
import { setTimeout as wait } from 'node:timers/promises';

export class Sleepers {
  readonly #woken = new Set<() => void>();

  wake(): void {
    for (const wake of [...this.#woken]) wake();
  }

  /** Until `ms` have passed, somebody wakes, or `signal` aborts. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#woken.add(wake);
    const ends = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
    await wait(ms, undefined, { signal: ends }).catch(() => {});
    this.#woken.delete(wake);
  }
}
