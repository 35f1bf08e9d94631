/** Long works on the open project that the engine does aside of any run: finders and checks, each told as it goes and cancelled at a click. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { BatchOptions, CheckKind, CheckOptions, LrOptions, TaskProgress } from '../../engine/contract/finders.ts';
import { engine } from '../client/client.ts';
import { useProjectState } from './project.ts';
import { infoOf } from './session.ts';

/** The project as it stands in the window, saved or not; a text that changes meanwhile is not looked at. */
export interface Work {
  file: string;
  text: string;
  task: string;
}

type Call<O, R> = (work: Work, options: O, signal: AbortSignal) => Promise<R>;

export const findLr = (work: Work, options: LrOptions, signal: AbortSignal) =>
  engine.find.lr({ ...work, options }, { signal });

export const findBatch = (work: Work, options: BatchOptions, signal: AbortSignal) =>
  engine.find.batch({ ...work, options }, { signal });

export const check = (work: Work, { kind, ...options }: CheckOptions & { kind: CheckKind }, signal: AbortSignal) =>
  engine.verify[kind]({ ...work, options }, { signal });

export interface Task<O, R> {
  running: boolean;
  progress: TaskProgress | null;
  result: R | null;
  error: ErrorInfo | null;
  start(options: O): void;
  cancel(): void;
}

const idle = { running: false, progress: null, result: null, error: null };

/** One work at a time; it ends with the component that asked for it. */
export function useTask<O, R>(call: Call<O, R>): Task<O, R> {
  const [state, setState] = useState<Omit<Task<O, R>, 'start' | 'cancel'>>(idle);
  const current = useRef<AbortController>(null);
  useEffect(() => () => current.current?.abort(), []);
  const start = useCallback(
    (options: O) => {
      const { file, text } = useProjectState.getState();
      if (file === null) return;
      current.current?.abort();
      const here = new AbortController();
      current.current = here;
      setState({ ...idle, running: true });
      const task = newTask();
      const followed = new AbortController();
      void followTask(task, AbortSignal.any([here.signal, followed.signal]), (progress) =>
        setState((before) => (current.current === here && before.running ? { ...before, progress } : before)),
      );
      void call({ file, text, task }, options, here.signal)
        .then(
          (result) => ({ ...idle, result }),
          (thrown: unknown) => (here.signal.aborted ? idle : { ...idle, error: infoOf(thrown) }),
        )
        .then((ended) => {
          followed.abort();
          if (current.current === here) setState(ended);
        });
    },
    [call],
  );
  const cancel = useCallback(() => {
    current.current?.abort();
    setState((before) => ({ ...before, running: false, progress: null }));
  }, []);
  return { ...state, start, cancel };
}

/** A name for a work. Not by randomUUID, which browsers keep from pages of another computer without TLS. */
export function newTask(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

export async function followTask(
  task: string,
  signal: AbortSignal,
  tell: (progress: TaskProgress) => void,
): Promise<void> {
  let seen: number | undefined;
  try {
    while (!signal.aborted) {
      const { version, progress } = await engine.tasks.progress(seen === undefined ? { task } : { task, seen }, {
        signal,
      });
      seen = version;
      if (progress && !signal.aborted) tell(progress);
    }
  } catch {
    // How far it is is not known then; what comes of it is told by the call itself.
  }
}
