/** Measures a project's memory with two small batches and, where that goes, with its own, each in a worker of its own; else carries the result on. */
import os from 'node:os';
import { GradloomError } from '../contract/errors.ts';
import type { MemoryEstimate } from '../contract/estimate-types.ts';
import type { MemoryFinding } from '../contract/finders.ts';
import { planProject } from '../contract/plan.ts';
import { editProject, readProject } from '../contract/project.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { endedBySignal } from '../processes.ts';
import { planRun, readRequested, refuseUnknownSettings, set } from '../runs/prepare.ts';
import type { TrainRequest } from '../runs/types.ts';
import type { Service } from '../service.ts';
import type { Peaks } from './measure-peaks.ts';
import { correctionFor, learnMemory, networkKey } from './measure-store.ts';
import type { TaskOptions } from './tasks.ts';
import { inWorkFolder } from './work-folder.ts';

/** Batch statistics want more than one value, and two batches of the smallest size that runs tell what a sample adds. */
const sizesTried = [1, 2, 4];

/** The project's own batch is measured as well where it takes at most this share of what is free, and about so long. */
const freeShare = 0.5;
const mostSeconds = 60;

type Phases = MemoryFinding['phases'];
type CarriedOn = MemoryFinding['carried_on'];

/** @throws GradloomError PROJECT_*, DATA_*, DEVICE_*, OUT_OF_MEMORY, WORKER_DIED, CANCELLED */
export async function measureMemoryInWorkers(
  workers: Pick<Service, 'work' | 'data'>,
  request: TrainRequest,
  { signal, onProgress }: TaskOptions = {},
): Promise<MemoryFinding> {
  const began = performance.now();
  const read = readRequested(request);
  const { plan, text, warnings } = await planRun(read, workers.data.describe);
  refuseUnknownSettings(request.set, warnings);
  const { source, split, loader } = plan.project.data;
  const pack = source && (await workers.data.pack(source, read.baseDir, { split, signal, onProgress }));
  const facts = pack?.facts ?? null;
  const runs = sizesTried.filter((size) => size <= (plan.splits?.train ?? 1) && allowed(text, size, facts));
  const whole = Math.min(loader.batch_size, plan.splits?.train ?? loader.batch_size);
  const sizes = runs.length > 0 ? runs.slice(0, 2) : [whole];
  const probes: Peaks[] = [];
  let own: Peaks | null = null;
  let reason: CarriedOn = null;
  /** By what has been measured so far. */
  const expectedOf = (device: string): Phases => {
    const same = own ?? probes.find(({ batch_size }) => batch_size === whole);
    const tried = same ? [same] : probes.slice(0, 2);
    const estimates = tried.map(({ batch_size }) => estimateOf(text, batch_size, facts, device));
    const { phases } = planWith(text, { 'training.device': device }, facts).memory;
    return carriedOn(tried, estimates, phases, whole);
  };
  await inWorkFolder('measure', async (folder) => {
    for (const batchSize of sizes) {
      onProgress?.({ stage: `measuring a batch of ${batchSize}`, done: probes.length, total: sizes.length });
      probes.push((await workers.work({ type: 'measure', request, batchSize, folder }, { signal })) as Peaks);
    }
    const last = probes.at(-1) as Peaks;
    if (sizes.includes(whole)) return;
    reason = reasonAgainst(expectedOf(last.device), last, whole);
    if (reason !== null) return;
    onProgress?.({ stage: `measuring a batch of ${whole}`, done: probes.length, total: probes.length + 1 });
    const limit = AbortSignal.timeout(2000 * mostSeconds);
    const both = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const job = { type: 'measure' as const, request, batchSize: whole, folder };
      own = (await workers.work(job, { signal: both })) as Peaks;
      probes.push(own);
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      if (limit.aborted) reason = 'time';
      else if (ranOut(GradloomError.from(thrown))) reason = 'ran_out';
      else throw thrown;
    }
  });
  const device = (probes[0] as Peaks).device;
  const planned = planWith(text, { 'training.device': device }, facts);
  const phases = expectedOf(device);
  const total = Math.max(...Object.values(phases));
  await learnMemory({
    device,
    network: networkKey(plan),
    batch_size: loader.batch_size,
    estimated: planned.memory.total,
    measured: total,
    carried: reason !== null,
  });
  return {
    probes: probes.map(({ held, device: on, free, seconds, ...probe }) => probe),
    batch_size: loader.batch_size,
    phases,
    total,
    carried_on: reason,
    estimated: planned.memory.total,
    device,
    correction: await correctionFor({ ...plan, project: planned.project }),
    seconds: (performance.now() - began) / 1000,
  };
}

/** In a container the system may have less to give than it tells, and ends the process that asks for more. */
function ranOut(error: GradloomError): boolean {
  return error.code === 'OUT_OF_MEMORY' || endedBySignal(error);
}

/** Why the project's own batch size is not to be measured after what a smaller one took; null: it may be. */
function reasonAgainst(expected: Phases, smaller: Peaks, batchSize: number): CarriedOn {
  const free = smaller.device === 'cpu' ? os.freemem() : smaller.free;
  // How much a device has left that does not tell is not to be tried out.
  if (free === null || Math.max(...Object.values(expected)) > freeShare * free) return 'memory';
  const { step, all } = smaller.seconds;
  return all + (2 * step * batchSize) / smaller.batch_size > mostSeconds ? 'time' : null;
}

/**
 * The estimate at the project's batch size, what the first probe (or that of this very size) differs from its own, and what a further
 * sample adds otherwise than estimated. The latter shows in what is held between the passes: with small batches a phase's highest moment
 * lies where the weights are at work.
 */
function carriedOn(probes: Peaks[], estimates: MemoryEstimate[], whole: Phases, batchSize: number): Phases {
  const [first, second] = probes as [Peaks, Peaks?];
  const [small, larger] = estimates as [MemoryEstimate, MemoryEstimate?];
  const more =
    second && larger
      ? (second.held - first.held - (larger.held - small.held)) / (second.batch_size - first.batch_size)
      : 0;
  const carried = (phase: keyof Phases, samples: number) =>
    Math.max(0, whole[phase] + first[phase] - small.phases[phase] + more * samples);
  const samples = batchSize - first.batch_size;
  return {
    forward: carried('forward', samples),
    backward: carried('backward', samples),
    update: carried('update', 0),
    // It keeps nothing between passes: what a sample adds is the estimate's.
    evaluation: first.evaluation > 0 ? carried('evaluation', 0) : 0,
  };
}

function allowed(text: string, size: number, facts: DataFacts | null): boolean {
  const { problems } = planWith(text, { 'data.loader.batch_size': size, 'data.loader.drop_last': true }, facts);
  return problems.every(({ severity }) => severity !== 'error');
}

/** As the probe runs: whole batches, none of which waits. */
function estimateOf(text: string, size: number, facts: DataFacts | null, device: string) {
  const settings = { batch_size: size, drop_last: true, num_workers: 0 };
  const edits = Object.entries(settings).map(([key, value]) => [`data.loader.${key}`, value] as const);
  return planWith(text, { ...Object.fromEntries(edits), 'training.device': device }, facts).memory;
}

function planWith(text: string, settings: Record<string, unknown>, facts: DataFacts | null) {
  const edits = Object.entries(settings).map(([key, value]) => set(key, value));
  return planProject(readProject(editProject(text, edits)).project ?? {}, facts);
}
