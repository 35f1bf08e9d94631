/** `find`, `verify` and `tasks`: long works on a project, answered when they are done. */
import path from 'node:path';
import type { CheckKind, CheckOptions } from '../contract/finders.ts';
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

export function taskCalls(parts: Parts) {
  const { places, service, settings, tasks } = parts;

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
    return tasks.during(task, (onProgress) => work(request, { signal, onProgress }));
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
          return correctionFor((await planWithData(text, baseDir, service.data.describe)).plan);
        }),
      ),
    },
    verify: {
      resume: wire.verify.resume.handler(({ input, signal }) => check('resume', input, signal)),
      twin: wire.verify.twin.handler(({ input, signal }) => check('twin', input, signal)),
    },
    tasks: {
      progress: wire.tasks.progress.handler(({ input, signal }) => tasks.progress(input.task, input.seen, signal)),
    },
  };
}
