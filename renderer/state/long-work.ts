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
  error: ErrorInfo | null;
}

export interface LongWorks<I, R> {
  use: UseBoundStore<StoreApi<LongWork<R>>>;
  /** Ends the one before it. null: it failed, which `error` tells, or was cancelled. */
  start(key: string, input: I, what?: string): Promise<R | null>;
  cancel(): void;
  clear(): void;
}

const idle = { key: null, what: null, running: false, progress: null, result: null, error: null };

/** One at a time. */
export function longWork<I, R>(
  call: (input: I & { task: string }, signal: AbortSignal) => Promise<R>,
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
      use.setState({ ...idle, key, what, running: true });
      const task = newTask();
      const followed = new AbortController();
      void followTask(task, AbortSignal.any([here.signal, followed.signal]), (progress) => {
        if (current === here && use.getState().running) use.setState({ progress });
      });
      try {
        const result = await call({ ...input, task }, here.signal);
        if (current !== here) return null;
        use.setState({ ...idle, key, what, result });
        return result;
      } catch (thrown) {
        if (current === here) use.setState({ ...idle, key, what, error: infoOf(thrown) });
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
