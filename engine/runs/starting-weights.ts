/** The weights that a run starts from: which file is meant, whether it fits the network, and what is told of it. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import type { Plan } from '../contract/plan.ts';
import { editProject, readProject, resolveProject } from '../contract/project.ts';
import { compareWeights, someOf, type WeightsReport } from '../contract/weights.ts';
import type { WeightsNames } from '../contract/weights-names.ts';
import { readWeights } from '../export/weights.ts';
import { Checkpoints, weightsFile } from './checkpoints.ts';
import { defaultCheckpoint } from './export.ts';
import { findRun, isRun, placeOf, type StartedFrom } from './folder.ts';
import type { CheckpointName } from './types.ts';

/** What is given: a weights file, or a run by folder or name and one of its checkpoints. */
export interface WeightsRequest {
  weights?: string;
  checkpoint?: CheckpointName;
}

/**
 * The project with `model.weights` as an absolute file: what the request gives, else what the project says; either may be a run, whose
 * checkpoint is taken. null: it starts afresh.
 * @throws GradloomError FILE_NOT_FOUND, CHECKPOINT_MISSING, BAD_CALL
 */
export async function withStartingWeights(
  project: { text: string; baseDir: string; label: string },
  { weights, checkpoint }: WeightsRequest,
): Promise<{ text: string; baseDir: string; label: string; from: StartedFrom | null }> {
  const read = readProject(project.text).project ?? {};
  const written = resolveProject(read).model.weights;
  if (weights === undefined && checkpoint !== undefined) {
    throw new GradloomError('BAD_CALL', 'A checkpoint was named, but no run to start from', {
      hint: 'Name the run: --weights RUN --checkpoint best.',
    });
  }
  if (weights === undefined && written === null) return { ...project, from: null };
  const from =
    weights === undefined
      ? await find(path.resolve(project.baseDir, written as string), 'model.weights', undefined)
      : await find(weights, '--weights', checkpoint);
  const edit = { op: 'set' as const, path: ['model', 'weights'], value: from.file };
  return { ...project, text: editProject(project.text, [edit]), from };
}

/** The file that is meant by an absolute path: of a run's folder that of its checkpoint, of anything else itself, there or not. */
export async function weightsMeant(file: string): Promise<string> {
  return isRun(file) ? (await find(file, 'model.weights', undefined)).file : file;
}

async function find(given: string, place: string, checkpoint: CheckpointName | undefined): Promise<StartedFrom> {
  const file = path.resolve(given);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
    if (checkpoint === undefined) return placeOf(file);
    throw new GradloomError('BAD_CALL', `${given} is a file, and has no checkpoint ${checkpoint}`, {
      hint: 'Name a run, or leave the checkpoint out.',
    });
  }
  const run = await findRun(given).catch(() => null);
  if (run === null) {
    throw new GradloomError(
      'FILE_NOT_FOUND',
      `The weights to start from are not there: ${existsSync(file) ? `${given} is a folder, but no run` : given}`,
      {
        hint: 'Give a .safetensors or .pt file, or a run of the workspace.',
        path: place === '--weights' ? file : place,
      },
    );
  }
  const role = checkpoint ?? defaultCheckpoint(run);
  const { folder } = await new Checkpoints(run, Number.POSITIVE_INFINITY).loadModel(role);
  return { file: weightsFile(folder), run, checkpoint: path.basename(folder) };
}

type Planned = Pick<Plan, 'tensors' | 'project'>;

/** What would be taken; headers are read, no tensors. @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, WEIGHTS_FORMAT */
export async function weightsReport(plan: Planned, from: StartedFrom): Promise<WeightsReport> {
  return { ...from, ...compareWeights(await readWeights(from.file, namesFor(plan, from)), plan.tensors) };
}

/** The names to read a file's tensors under; a run's checkpoint has the network's own. */
export function namesFor({ project }: Pick<Plan, 'project'>, { run }: StartedFrom): WeightsNames | null {
  return run === null ? project.model.weights_names : null;
}

/** Before anything is made: a file of which nothing fits is the wrong one. @throws GradloomError WEIGHTS_MISMATCH and as above */
export async function checkWeights(plan: Planned, from: StartedFrom): Promise<void> {
  const { matched, missing, mismatched, unexpected } = await weightsReport(plan, from);
  const parameters = new Set(plan.tensors.filter(({ buffer }) => !buffer).map(({ name }) => name));
  if (matched.some((name) => parameters.has(name))) return;
  const shapes = mismatched.map(({ name, expected, found }) => `${name} is [${found}] there and [${expected}] here`);
  const hint =
    shapes.length > 0
      ? 'Change the layers to fit, or start without these weights.'
      : `The network wants ${someOf(missing)}; the file holds ${someOf(unexpected)}. Other names are told by model.weights_names.`;
  throw new GradloomError(
    'WEIGHTS_MISMATCH',
    shapes.length > 0
      ? `Nothing of ${from.file} fits the network: ${someOf(shapes)}`
      : `No tensor of ${from.file} has the name of one of the network's`,
    { hint, path: 'model.weights' },
  );
}
