/** `environment.json`: on what a run runs, so that its numbers can be explained and repeated. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { driverFromAnswer, driverFromKernel, driverQuestion } from '../../native/setup/nvidia.mjs';
import { rootDir } from '../../native/setup/paths.mjs';
import type { Addon } from '../contract/native.ts';
import { readProject } from '../contract/project.ts';
import { precisions } from '../contract/training-numbers.ts';
import { replaceJson } from './durable.ts';
import { environmentName, placeOf } from './folder.ts';
import type { Hardware, PlannedRun, PreparedData } from './prepare.ts';

/** Rewritten by a resume. */
const environmentSchema = z.object({
  version: z.literal(1),
  versions: z.record(z.string(), z.string()),
  device: z.string(),
  device_label: z.string(),
  /** The version of the accelerator's driver; null on a CPU, and where it cannot be told. Absent in older runs. */
  driver: z.string().nullable().exactOptional(),
  device_reason: z.string().exactOptional(),
  precision: z.enum(precisions),
  precision_reason: z.string().exactOptional(),
  threads: z.number(),
  cpu: z.string(),
  seed: z.number(),
  deterministic: z.boolean(),
  data_hash: z.string(),
  split_hash: z.string(),
  /** Names of the classes, for whoever reads the exported weights; null where targets are vectors. */
  classes: z.array(z.string()).nullable(),
  /** What Normalize has without numbers of its own, measured on the samples that train; absent: every one has its own. */
  fitted: z
    .array(
      z.object({
        index: z.number(),
        behind: z.array(z.object({ kind: z.string(), args: z.record(z.string(), z.json()) })).exactOptional(),
        mean: z.array(z.number()),
        std: z.array(z.number()),
      }),
    )
    .exactOptional(),
  /** The weights that the run started from, and the run they belong to; absent: fresh ones. */
  started_from: z
    .object({ file: z.string(), run: z.string().nullable(), checkpoint: z.string().nullable() })
    .exactOptional(),
  /** The project as run: what was edited in `project.json` since can be told. Absent in older runs. */
  project: z.record(z.string(), z.unknown()).exactOptional(),
});
export type Environment = z.infer<typeof environmentSchema>;

export function describeEnvironment(
  { plan, text }: Pick<PlannedRun, 'plan' | 'text'>,
  data: PreparedData,
  hardware: Hardware,
  addon: Addon,
): Environment {
  const { device, precision, threads } = hardware;
  const { libtorch, cpu } = addon.describe();
  const { seed, deterministic } = plan.project.training;
  const { weights } = plan.project.model;
  return {
    version: 1,
    versions: {
      gradloom: ownVersion(),
      libtorch,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    },
    device: device.value,
    device_label: addon.devices().find(({ name }) => name === device.value)?.label ?? device.value,
    driver: driverOf(device.value),
    ...(device.reason === undefined ? {} : { device_reason: device.reason }),
    precision: precision.value,
    ...(precision.reason === undefined ? {} : { precision_reason: precision.reason }),
    threads,
    cpu: cpu.capability,
    seed,
    deterministic,
    data_hash: data.data_hash,
    split_hash: data.split_hash,
    ...(data.fitted.length > 0 ? { fitted: data.fitted } : {}),
    ...(weights === null ? {} : { started_from: placeOf(weights) }),
    classes: data.facts.target.kind === 'class' ? data.facts.target.classes : null,
    project: readProject(text).project ?? {},
  };
}

/** NVIDIA's is told by the kernel on Linux, by its own program elsewhere; other back ends do not tell theirs. */
export function driverOf(device: string, kernelFile?: string): string | null {
  if (!device.startsWith('cuda')) return null;
  const told = driverFromKernel(kernelFile);
  if (told !== null) return told;
  const { stdout } = spawnSync('nvidia-smi', driverQuestion, { encoding: 'utf8', timeout: 10_000, windowsHide: true });
  return driverFromAnswer(stdout ?? '');
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(path.join(rootDir(), 'package.json'), 'utf8')) as { version: string }).version;
}

export async function readEnvironment(folder: string): Promise<Environment | null> {
  try {
    return environmentSchema.parse(JSON.parse(await readFile(path.join(folder, environmentName), 'utf8')));
  } catch {
    return null; // killed while it was prepared, or damaged
  }
}

export function writeEnvironment(folder: string, environment: Environment): void {
  replaceJson(path.join(folder, environmentName), environment);
}
