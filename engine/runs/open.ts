/** Makes a session that stands where training begins or goes on. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Addon, LoadReport, NativePlan, NativeSession } from '../contract/native.ts';
import type { Plan } from '../contract/plan.ts';
import { toSafetensors } from '../export/weights.ts';
import type { LoadedCheckpoint } from './checkpoints.ts';
import { temporaryWeightsName } from './folder.ts';
import type { Advice } from './hold.ts';

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
  // Else cuBLAS refuses to be deterministic. A workspace that somebody has chosen stays.
  if (native.deterministic) process.env.CUBLAS_WORKSPACE_CONFIG ??= ':4096:8';
  const session = await addon.createSession(JSON.stringify(native));
  const { weights } = plan.project.model;
  try {
    if (checkpoint) await session.loadState(checkpoint.folder, { model_only: false });
    if (checkpoint || weights === null) return { session, advice: [], fromFile: false };
    return { session, advice: await loadWeights(session, weights, folder), fromFile: true };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

async function loadWeights(session: NativeSession, file: string, folder: string): Promise<Advice[]> {
  const temporary = path.join(folder, temporaryWeightsName);
  mkdirSync(temporary, { recursive: true });
  try {
    return adviceOn(await session.loadWeights(await toSafetensors(file, temporary)), file);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function adviceOn({ matched, missing, unexpected, mismatched }: LoadReport, file: string): Advice[] {
  const shapes = mismatched.map(({ name, expected, found }) => `${name} is [${found}] there and [${expected}] here`);
  if (mismatched.length > 0) {
    throw new GradloomError('WEIGHTS_MISMATCH', `${file} does not fit the network: ${some(shapes)}`, {
      hint: 'Change the layers to fit, or remove model.weights.',
      path: 'model.weights',
    });
  }
  if (matched.length === 0) {
    throw new GradloomError('WEIGHTS_MISMATCH', `No tensor of ${file} has the name of one of the network's`, {
      hint: `The network wants ${some(missing)}; the file holds ${some(unexpected)}.`,
      path: 'model.weights',
    });
  }
  const parts = [
    `${matched.length} tensors were taken from ${file}`,
    ...(missing.length ? [`not in the file, so freshly initialised: ${some(missing)}`] : []),
    ...(unexpected.length ? [`in the file only, so left out: ${some(unexpected)}`] : []),
  ];
  return [{ code: 'WEIGHTS_LOADED', message: parts.join('; ') }];
}

function some(names: string[], most = 8): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}` || 'nothing';
}
