/** Makes a session that stands where training begins or goes on. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Addon, NativePlan, NativeSession } from '../contract/native.ts';
import type { Plan } from '../contract/plan.ts';
import { describeWeights, type WeightsReport } from '../contract/weights.ts';
import { toSafetensors } from '../export/weights.ts';
import type { LoadedCheckpoint } from './checkpoints.ts';
import { replaceJson } from './durable.ts';
import { placeOf, type StartedFrom, temporaryWeightsName, weightsReportName } from './folder.ts';
import type { Advice } from './hold.ts';
import { namesFor } from './starting-weights.ts';

export interface OpenedSession {
  session: NativeSession;
  advice: Advice[];
  /** The initial weights came from a file, and so cannot be made again from the seed. */
  fromFile: boolean;
}

/** @throws GradloomError OUT_OF_MEMORY, WEIGHTS_FORMAT, WEIGHTS_MISMATCH, DEVICE_* */
export async function openSession(
  addon: Addon,
  plan: Plan,
  native: NativePlan,
  folder: string,
  checkpoint: LoadedCheckpoint | null,
): Promise<OpenedSession> {
  // Else an older libtorch refuses matrix products as not deterministic. A workspace that somebody has chosen stays.
  if (native.deterministic) process.env.CUBLAS_WORKSPACE_CONFIG ??= ':4096:8';
  const session = await addon.createSession(JSON.stringify(native));
  const { weights } = plan.project.model;
  try {
    if (checkpoint) await session.loadState(checkpoint.folder, { model_only: false });
    if (checkpoint || weights === null) return { session, advice: [], fromFile: false };
    return { session, advice: await loadWeights(session, plan, placeOf(weights), folder), fromFile: true };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

async function loadWeights(session: NativeSession, plan: Plan, from: StartedFrom, folder: string): Promise<Advice[]> {
  const temporary = path.join(folder, temporaryWeightsName);
  mkdirSync(temporary, { recursive: true });
  try {
    const found = await session.loadWeights(await toSafetensors(from.file, temporary, namesFor(plan, from)));
    const report: WeightsReport = { ...from, ...found };
    replaceJson(path.join(folder, weightsReportName), report);
    const whole = found.missing.length + found.mismatched.length + found.unexpected.length === 0;
    const message = describeWeights(found, from.file);
    return [
      {
        code: 'WEIGHTS_LOADED',
        message,
        ...(whole ? {} : { hint: `All names stand in the run's ${weightsReportName}.` }),
      },
    ];
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
