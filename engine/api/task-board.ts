/** How far long works are, for whoever asks by the name that it gave. */
import { setTimeout as sleep } from 'node:timers/promises';
import { frameMs, waitMs } from '../contract/api.ts';
import type { TaskProgress } from '../contract/finders.ts';

export class TaskBoard {
  readonly #tasks = new Map<string, { version: number; progress: TaskProgress | null }>();
  readonly #waiting = new Set<() => void>();

  /** While `work` lasts, the task is known by its name; one without a name is told to nobody. */
  async during<T>(
    task: string | undefined,
    work: (onProgress: (progress: TaskProgress) => void) => Promise<T>,
  ): Promise<T> {
    if (task === undefined) return work(() => {});
    this.#tell(task, null);
    try {
      return await work((progress) => this.#tell(task, progress));
    } finally {
      this.#tasks.delete(task);
      this.#wake();
    }
  }

  #tell(task: string, progress: TaskProgress | null): void {
    this.#tasks.set(task, { version: (this.#tasks.get(task)?.version ?? 0) + 1, progress });
    this.#wake();
  }

  async progress(task: string, seen: number | undefined, signal: AbortSignal | undefined) {
    const known = () => this.#tasks.get(task) ?? { version: 0, progress: null };
    if (known().version !== (seen ?? 0)) return known();
    const timer = new AbortController();
    const stopped = AbortSignal.any([timer.signal, ...(signal ? [signal] : [])]);
    let wake = () => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    await Promise.race([changed, sleep(waitMs, undefined, { signal: stopped }).catch(() => {})]);
    this.#waiting.delete(wake);
    await sleep(frameMs, undefined, { signal: stopped }).catch(() => {}); // the newest wins
    timer.abort();
    return known();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
