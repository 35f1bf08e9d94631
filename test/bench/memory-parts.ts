/** What the memory bench takes from the sources: a project's estimate, and what its training takes in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryEstimate } from '../../engine/contract/estimate-types.ts';
import { editProject } from '../../engine/contract/project.ts';
import { groupsAt, openForFinder } from '../../engine/finders/opened.ts';

export { randomNetwork } from './memory-stacks.ts';

export interface Compared {
  estimate: MemoryEstimate;
  /** Bytes of tensors at the highest moment of three steps and an evaluation. */
  measured: number;
  phases: { forward: number; backward: number; optimizer: number } | null;
}

export async function compare(projectText: string, baseDir: string): Promise<Compared> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-memory-'));
  const { signal } = new AbortController();
  const { session, native, plan } = await openForFinder({ projectText, baseDir }, { folder, signal });
  try {
    await session.memory({ reset_peak: true }); // what was before in this process
    const step = (at: number) =>
      session.trainSteps({ epoch: at, batch: 0, steps: 1, groups: groupsAt(native, [0]), peaks: true });
    let [measured, phases]: [number, Compared['phases']] = [0, null];
    const grow = (bytes: number) => {
      measured = Math.max(measured, bytes);
    };
    for (let at = 0; at < 3; at++) {
      const { peaks = null } = await step(at);
      grow((await session.memory({ reset_peak: true })).peak);
      if (peaks) {
        grow(Math.max(peaks.forward, peaks.backward, peaks.optimizer));
        phases = peaks;
      }
      await sleep(30);
    }
    if (plan.splits?.val) {
      await session.evaluate({ split: 'val', batch_size: native.loader.batch_size, confusion: false });
      grow((await session.memory({ reset_peak: true })).peak);
    }
    return { estimate: plan.memory, measured, phases };
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sequences = /"kind": "(RNN|LSTM|GRU|MultiheadAttention|TransformerEncoder(Layer)?)"/;

/** A template, on the CPU. */
export function templateOf(name: string, text: string) {
  const family = sequences.test(text) ? ('sequence' as const) : ('feed-forward' as const);
  return { name, family, text: editProject(text, [{ op: 'set', path: ['training', 'device'], value: 'cpu' }]) };
}
