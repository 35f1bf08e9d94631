/** `find`, `verify` and `tasks`: long works on a project, answered when they are done. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { frameMs, waitMs } from '../contract/api.ts';
import type { CheckKind, CheckOptions, TaskProgress } from '../contract/finders.ts';
import { measureMemoryInWorkers } from '../finders/measure.ts';
import { correctionFor } from '../finders/measure-store.ts';
import { checkInWorkers, findBatchInWorkers, findLrInWorker, type TaskOptions } from '../finders/tasks.ts';
import { planWithData, readRequested } from '../runs/prepare.ts';
import type { TrainRequest } from '../runs/types.ts';
import { type Parts, wire } from './parts.ts';
import { reachableProject } from './runs.ts';

interface Work {
  file: string;
  text: string;
  task?: string;
}

/** How far the named tasks are, while they last. */
class TaskBoard {
  readonly #tasks = new Map<string, { version: number; progress: TaskProgress | null }>();
  readonly #waiting = new Set<() => void>();

  tell(task: string, progress: TaskProgress | null): void {
    this.#tasks.set(task, { version: (this.#tasks.get(task)?.version ?? 0) + 1, progress });
    this.#wake();
  }

  end(task: string): void {
    this.#tasks.delete(task);
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

export function taskCalls(parts: Parts) {
  const { places, service, settings } = parts;
  const board = new TaskBoard();

  const asked = async <T>(
    { file, text, task }: Work,
    signal: AbortSignal | undefined,
    work: (request: TrainRequest, options: TaskOptions) => Promise<T>,
  ): Promise<T> => {
    const projectFile = await places.reach(file);
    const { device, threads } = await settings.read();
    const wanted = await reachableProject(text, projectFile, parts);
    const request = {
      projectText: text,
      baseDir: path.dirname(projectFile),
      ...(device !== null && wanted.device === 'auto' ? { device } : {}),
      ...(threads === null ? {} : { threads }),
    };
    if (task !== undefined) board.tell(task, null);
    try {
      return await work(request, {
        signal,
        onProgress: (progress) => task !== undefined && board.tell(task, progress),
      });
    } finally {
      if (task !== undefined) board.end(task);
    }
  };
  const check = (kind: CheckKind, input: Work & { options: CheckOptions }, signal: AbortSignal | undefined) =>
    asked(input, signal, (request, options) => checkInWorkers(service, kind, request, input.options, options));

  return {
    find: {
      lr: wire.find.lr.handler(({ input, signal }) =>
        asked(input, signal, (request, options) => findLrInWorker(service, request, input.options, options)),
      ),
      batch: wire.find.batch.handler(({ input, signal }) =>
        asked(input, signal, (request, options) => findBatchInWorkers(service, request, input.options, options)),
      ),
      memory: wire.find.memory.handler(({ input, signal }) =>
        asked(input, signal, (request, options) => measureMemoryInWorkers(service, request, options)),
      ),
      correction: wire.find.correction.handler(({ input, signal }) =>
        asked(input, signal, async ({ device, ...request }) => {
          const { text, baseDir } = readRequested({ ...request, ...(device ? { device } : {}) });
          return correctionFor((await planWithData(text, baseDir)).plan);
        }),
      ),
    },
    verify: {
      resume: wire.verify.resume.handler(({ input, signal }) => check('resume', input, signal)),
      twin: wire.verify.twin.handler(({ input, signal }) => check('twin', input, signal)),
    },
    tasks: {
      progress: wire.tasks.progress.handler(({ input, signal }) => board.progress(input.task, input.seen, signal)),
    },
  };
}
