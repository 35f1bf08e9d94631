/** `memory.json` of the workspace: what was measured of networks on this computer's devices. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import {
  correctionOf,
  type MemoryCorrection,
  type MemoryObservation,
  memoryObservationSchema,
} from '../contract/estimate-correction.ts';
import type { Plan } from '../contract/plan.ts';
import { makeFolders, writeWhole } from '../files.ts';
import { workspaceDir } from '../workspace.ts';

const most = 200;

/** A workspace may be shared by several computers. */
const entry = memoryObservationSchema.extend({ host: z.string() });
type Entry = z.infer<typeof entry>;

/** What another version wrote, or nobody can read, is as if it were absent. */
const stored = z.object({ version: z.literal(1), observations: z.array(entry) });

const fileIn = (home: string) => path.join(home, 'memory.json');

async function read(home: string): Promise<Entry[]> {
  try {
    return stored.parse(JSON.parse(await readFile(fileIn(home), 'utf8'))).observations;
  } catch {
    return [];
  }
}

/** What is learned of a network takes the place of what was known of it with that batch size. */
export async function learnMemory(observation: MemoryObservation, home = workspaceDir()): Promise<void> {
  const host = os.hostname();
  const same = (one: Entry) =>
    one.host === host &&
    one.device === observation.device &&
    one.network === observation.network &&
    one.batch_size === observation.batch_size;
  const observations = [...(await read(home)).filter((one) => !same(one)), { ...observation, host }].slice(-most);
  await makeFolders(home);
  await writeWhole(fileIn(home), (file) =>
    file.writeFile(`${JSON.stringify({ version: 1, observations }, null, 1)}\n`),
  );
}

/** For the plan's device; where that is found out only when it runs, for the one that was measured last. */
export async function correctionFor(plan: Plan, home = workspaceDir()): Promise<MemoryCorrection | null> {
  const here = (await read(home)).filter(({ host }) => host === os.hostname());
  const { device } = plan.project.training;
  const asked = device === 'auto' ? here.at(-1)?.device : device;
  return asked === undefined
    ? null
    : correctionOf(here, {
        device: asked,
        network: networkKey(plan),
        batch_size: plan.project.data.loader.batch_size,
        estimated: plan.memory.total,
      });
}

/** The network and what its memory depends on besides the batch size. */
export function networkKey({ input, model, loss, optimizer, frozen, project }: Plan): string {
  const { precision, activation_checkpointing, accumulate, ema } = project.training;
  const kinds = [loss.kind, optimizer, frozen, precision, activation_checkpointing, accumulate > 1, ema !== null];
  return createHash('sha256')
    .update(JSON.stringify([input, model, kinds]))
    .digest('hex')
    .slice(0, 16);
}
