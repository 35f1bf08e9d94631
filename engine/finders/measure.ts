/** Measures a project's memory with two small batches, each in a worker of its own, and carries the result on to the project's batch size. */
import type { MemoryEstimate } from '../contract/estimate-types.ts';
import type { MemoryFinding } from '../contract/finders.ts';
import { planProject } from '../contract/plan.ts';
import { editProject, readProject } from '../contract/project.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { describeSource } from '../data/index.ts';
import { planRun, readRequested, refuseUnknownSettings, set } from '../runs/prepare.ts';
import type { TrainRequest } from '../runs/types.ts';
import type { Service } from '../service.ts';
import type { Peaks } from './measure-peaks.ts';
import { correctionFor, learnMemory, networkKey } from './measure-store.ts';
import type { TaskOptions } from './tasks.ts';
import { inWorkFolder } from './work-folder.ts';

/** Batch statistics want more than one value, and two batches of the smallest size that runs tell what a sample adds. */
const sizesTried = [1, 2, 4];

type Phases = MemoryFinding['phases'];

/** @throws GradloomError PROJECT_*, DATA_*, DEVICE_*, OUT_OF_MEMORY, WORKER_DIED, CANCELLED */
export async function measureMemoryInWorkers(
  workers: Pick<Service, 'work' | 'packSource'>,
  request: TrainRequest,
  { signal, onProgress }: TaskOptions = {},
): Promise<MemoryFinding> {
  const began = performance.now();
  const read = readRequested(request);
  const { plan, text, warnings } = await planRun(read);
  refuseUnknownSettings(request.set, warnings);
  const { source, loader } = plan.project.data;
  if (source) await workers.packSource(source, read.baseDir, signal);
  const facts = source && (await describeSource(source, read.baseDir));
  const runs = sizesTried.filter((size) => size <= (plan.splits?.train ?? 1) && allowed(text, size, facts));
  const sizes = runs.length > 0 ? runs.slice(0, 2) : [loader.batch_size];
  const probes: Peaks[] = [];
  await inWorkFolder('measure', async (folder) => {
    for (const batchSize of sizes) {
      onProgress?.({ stage: `measuring a batch of ${batchSize}`, done: probes.length, total: sizes.length });
      probes.push((await workers.work({ type: 'measure', request, batchSize, folder }, { signal })) as Peaks);
    }
  });
  const device = (probes[0] as Peaks).device;
  const estimates = sizes.map((size) => estimateOf(text, size, facts, device));
  const whole = planWith(text, { 'training.device': device }, facts);
  const phases = carriedOn(probes, estimates, whole.memory.phases, loader.batch_size);
  const total = Math.max(whole.memory.phases.evaluation, ...Object.values(phases));
  await learnMemory({
    device,
    network: networkKey(plan),
    batch_size: loader.batch_size,
    estimated: whole.memory.total,
    measured: total,
  });
  return {
    probes: probes.map(({ batch_size, forward, backward, update }) => ({ batch_size, forward, backward, update })),
    batch_size: loader.batch_size,
    phases,
    total,
    estimated: whole.memory.total,
    device,
    correction: await correctionFor({ ...plan, project: whole.project }),
    seconds: (performance.now() - began) / 1000,
  };
}

/**
 * The estimate at the project's batch size, what the first probe differs from its own, and what a further sample adds otherwise than estimated.
 * The latter shows in what is held between the passes: with small batches a phase's highest moment lies where the weights are at work.
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
  return { forward: carried('forward', samples), backward: carried('backward', samples), update: carried('update', 0) };
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
