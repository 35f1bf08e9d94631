/** Long works whose progress and outcome outlast the page that asked for them: an import, a check of the data, a download. */
import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { TaskProgress } from '../../engine/contract/finders.ts';
import { infoOf } from './session.ts';
import { followTask, newTask } from './tasks.ts';

export interface LongWork<R> {
  /** What it is done for, so that nobody takes another's outcome for their own; null: nothing was asked yet. */
  key: string | null;
  /** Which of several it is, for whoever offers them side by side. */
  what: string | null;
  running: boolean;
  progress: TaskProgress | null;
  result: R | null;
  /** What the result is of: it may stay while the next is on its way. null: there is none. */
  resultKey: string | null;
  error: ErrorInfo | null;
}

export interface LongWorks<I, R> {
  use: UseBoundStore<StoreApi<LongWork<R>>>;
  /** Ends the one before it. null: it failed, which `error` tells, or was cancelled. */
  start(key: string, input: I, what?: string): Promise<R | null>;
  cancel(): void;
  clear(): void;
}

const idle = { key: null, what: null, running: false, progress: null, result: null, resultKey: null, error: null };

/** One at a time. `keeps`: whether what was found for one key is of use until it is found for another, and where that fails. */
export function longWork<I, R>(
  call: (input: I & { task: string }, signal: AbortSignal) => Promise<R>,
  keeps: (before: string, key: string) => boolean = () => false,
): LongWorks<I, R> {
  const use = create<LongWork<R>>(() => idle);
  let current: AbortController | null = null;
  const end = () => {
    current?.abort();
    current = null;
  };
  return {
    use,
    async start(key, input, what = '') {
      end();
      const here = new AbortController();
      current = here;
      const { result: before, resultKey } = use.getState();
      const kept = resultKey !== null && keeps(resultKey, key) ? { result: before, resultKey } : {};
      use.setState({ ...idle, ...kept, key, what, running: true });
      const task = newTask();
      const followed = new AbortController();
      void followTask(task, AbortSignal.any([here.signal, followed.signal]), (progress) => {
        if (current === here && use.getState().running) use.setState({ progress });
      });
      try {
        const result = await call({ ...input, task }, here.signal);
        if (current !== here) return null;
        use.setState({ ...idle, key, what, result, resultKey: key });
        return result;
      } catch (thrown) {
        if (current === here) use.setState({ ...idle, ...kept, key, what, error: infoOf(thrown) });
        return null;
      } finally {
        followed.abort();
        if (current === here) current = null;
      }
    },
    cancel() {
      end();
      use.setState({ running: false, progress: null });
    },
    clear() {
      end();
      use.setState(idle);
    },
  };
}
