/** What the memory bench takes from the sources: a project's estimate, and what its training takes in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryEstimate, MemoryPhase } from '../../engine/contract/estimate-types.ts';
import { editProject } from '../../engine/contract/project.ts';
import { groupsAt, openForFinder } from '../../engine/finders/opened.ts';
import { boundOf } from './memory-kinds.ts';

export { families, randomNetwork } from './memory-stacks.ts';

type Phases = Record<MemoryPhase, number>;

export interface Compared {
  estimate: MemoryEstimate;
  /** Bytes of tensors at the highest moment of three steps and an evaluation. */
  measured: number;
  /** And of each phase. */
  phases: Phases;
}

/** `started`: called when the session is there and the measuring begins. */
export async function compare(projectText: string, baseDir: string, started?: () => void): Promise<Compared> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-memory-'));
  const { signal } = new AbortController();
  const { session, native, plan } = await openForFinder({ projectText, baseDir }, { folder, signal });
  try {
    await session.memory({ reset_peak: true }); // what was before in this process
    started?.();
    const phases: Phases = { forward: 0, backward: 0, update: 0, evaluation: 0 };
    const grow = (phase: MemoryPhase, bytes: number) => {
      phases[phase] = Math.max(phases[phase], bytes);
    };
    for (let at = 0; at < 3; at++) {
      const groups = groupsAt(native, [0]);
      const { peaks } = await session.trainSteps({ epoch: at, batch: 0, steps: 1, groups, peaks: true });
      // What comes after the update, when the values of the step are read.
      grow('update', (await session.memory({ reset_peak: true })).peak);
      if (peaks) {
        grow('forward', peaks.forward);
        grow('backward', peaks.backward);
        grow('update', peaks.optimizer);
      }
      await sleep(30);
    }
    if (plan.splits?.val) {
      await session.evaluate({ split: 'val', batch_size: native.loader.batch_size, confusion: false });
      grow('evaluation', (await session.memory({ reset_peak: true })).peak);
    }
    return { estimate: plan.memory, measured: Math.max(...Object.values(phases)), phases };
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A template, on the CPU. */
export function templateOf(name: string, text: string) {
  const onCpu = editProject(text, [{ op: 'set', path: ['training', 'device'], value: 'cpu' }]);
  return { name, family: 'templates', bound: boundOf(text), text: onCpu };
}
