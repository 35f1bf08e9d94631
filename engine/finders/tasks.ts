/** Finders and checks as the command line and the windows ask for them: long works in workers, told as they go, cancelled at any moment. */
import { GradloomError } from '../contract/errors.ts';
import type {
  BatchFinding,
  BatchOptions,
  BatchProbe,
  CheckKind,
  CheckOptions,
  CheckReport,
  LrFinding,
  LrOptions,
  TaskProgress,
} from '../contract/finders.ts';
import { planProject } from '../contract/plan.ts';
import { editProject, readProject } from '../contract/project.ts';
import { endedBySignal } from '../processes.ts';
import { planRun, readRequested, refuseUnknownSettings, set } from '../runs/prepare.ts';
import type { EndEvent, TrainRequest } from '../runs/types.ts';
import type { Service } from '../service.ts';
import { checkProject } from '../verify/check.ts';
import { searchBatch, suggestBatch } from './batch-search.ts';
import type { ProbeAnswer } from './probe-batch.ts';
import { inWorkFolder } from './work-folder.ts';

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  onProgress?: (progress: TaskProgress) => void;
}

type Workers = Pick<Service, 'work' | 'data'>;

/** Larger batches than this help nobody. */
const largestTried = 65_536;
const mebibyte = 1024 * 1024;

export async function findLrInWorker(
  workers: Workers,
  request: TrainRequest,
  options: LrOptions,
  { signal, onProgress }: TaskOptions = {},
): Promise<LrFinding> {
  return inWorkFolder('find', async (folder) => {
    const job = { type: 'find-lr' as const, request, options, folder };
    return (await workers.work(job, { signal, ...(onProgress ? { onProgress } : {}) })) as LrFinding;
  });
}

/** A probe that dies of memory is an answer; any other fault of a probe is thrown. */
export async function findBatchInWorkers(
  workers: Workers,
  request: TrainRequest,
  options: BatchOptions,
  { signal, onProgress }: TaskOptions = {},
): Promise<BatchFinding> {
  const began = performance.now();
  const read = readRequested(request);
  const planned = await planRun(read, workers.data.describe);
  refuseUnknownSettings(request.set, planned.warnings);
  const { data } = planned.plan.project;
  if (!data.source) throw new GradloomError('INTERNAL', 'A planned run has no data source');
  // Here, so that no probe is killed while it packs.
  const { facts } = await workers.data.pack(data.source, read.baseDir, { split: data.split, signal, onProgress });
  const samples = planned.plan.splits?.train ?? 1;
  const max = Math.min(options.max ?? largestTried, samples);
  const memory = options.memory === undefined ? null : options.memory * mebibyte;
  const told: BatchProbe[] = [];
  let device = '';
  let death = null as GradloomError | null;
  return inWorkFolder('find', async (folder) => {
    const probe = async (size: number): Promise<BatchProbe> => {
      const total = Math.max(told.length + 1, Math.ceil(Math.log2(max)));
      onProgress?.({ stage: `trying batches of ${size}`, done: told.length, total, probes: [...told] });
      const answer = await probed(size);
      told.push(answer);
      return answer;
    };
    const probed = async (batch_size: number): Promise<BatchProbe> => {
      try {
        const job = { type: 'probe' as const, request, batchSize: batch_size, memory, folder };
        const { peak, samples_per_second, ...rest } = (await workers.work(job, { signal })) as ProbeAnswer;
        device = rest.device;
        return { batch_size, fits: true, peak, samples_per_second };
      } catch (thrown) {
        const error = GradloomError.from(thrown);
        if (error.code === 'WORKER_DIED') death = error;
        else if (error.code !== 'OUT_OF_MEMORY') throw error;
        return { batch_size, fits: false, peak: null, samples_per_second: null, problem: error.message };
      }
    };
    const { probes, ranOut } = await searchBatch({ max, probe });
    const suggested = suggestBatch(probes, (batch_size) => problemOf(planned.text, batch_size, facts));
    if (suggested.largest === null && death && !endedBySignal(death)) throw death;
    return {
      probes,
      ...suggested,
      limit: ranOut ? 'memory' : max < samples ? 'max' : 'samples',
      current: data.loader.batch_size,
      device,
      memory,
      seconds: (performance.now() - began) / 1000,
    };
  });
}

/** What the project would say against this batch size. */
function problemOf(text: string, size: number, facts: Parameters<typeof planProject>[1]): string | null {
  const edited = editProject(text, [set('data.loader.batch_size', size)]);
  const { problems } = planProject(readProject(edited).project ?? {}, facts);
  return problems.find(({ severity }) => severity === 'error')?.message ?? null;
}

export async function checkInWorkers(
  workers: Workers,
  kind: CheckKind,
  request: TrainRequest,
  options: CheckOptions,
  { signal, onProgress }: TaskOptions = {},
): Promise<CheckReport> {
  return inWorkFolder('verify', (folder) =>
    checkProject(kind, request, options, folder, {
      live: async (asked, life, onStep) => {
        const end = await workers.work(
          { type: 'life', request: asked, life },
          {
            signal,
            onEvent: (event) => {
              if (event.type === 'steps') onStep(event.step.at(-1) ?? 0);
            },
          },
        );
        return end as EndEvent;
      },
      onProgress: (progress) => onProgress?.(progress),
      describe: workers.data.describe,
      random: Math.random,
    }),
  );
}
