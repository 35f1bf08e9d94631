/** Measures a checkpoint on a split, and predicts sample by sample. Reads the run only: also while it is trained. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { toNum } from '../contract/events.ts';
import type { NativeSession } from '../contract/native.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import type { TargetType } from '../contract/tensors.ts';
import { loadAddon } from '../native/load.ts';
import { answersOf } from './answers.ts';
import { Checkpoints, type LoadedCheckpoint } from './checkpoints.ts';
import { readEnvironment } from './environment.ts';
import { findRun } from './folder.ts';
import { describedFor, hardwareAgain, nativePlan, type PreparedData, planRun, prepareData, usedOf } from './prepare.ts';
import { readRunProject } from './run-project.ts';
import type { CheckpointName, EvaluateOptions, Evaluation, Prediction, PredictOptions, SplitName } from './types.ts';

interface Opened {
  session: NativeSession;
  data: PreparedData;
  checkpoint: LoadedCheckpoint;
  /** As a person calls it. */
  checkpointName: string;
  split: SplitName;
  samples: number;
  batchSize: number;
}

/** @throws GradloomError RUN_NOT_FOUND, RUN_DAMAGED, CHECKPOINT_MISSING, CHECKPOINT_DAMAGED, BAD_CALL, DATA_*, DEVICE_*, CANCELLED */
export async function evaluateRun(run: string, options: EvaluateOptions = {}): Promise<Evaluation> {
  return withCheckpoint(run, options, async ({ session, data, checkpoint, checkpointName, split, batchSize }) => {
    const { target } = data.facts;
    const confusion = target.kind === 'class' || target.kind === 'mask' || target.kind === 'multi_label';
    const result = await session.evaluate({ split, batch_size: batchSize, confusion });
    if (result.cancelled) throw new GradloomError('CANCELLED', 'The evaluation was cancelled');
    return {
      split,
      checkpoint: checkpointName,
      folder: checkpoint.folder,
      samples: result.samples,
      loss: toNum(result.loss),
      metrics: Object.fromEntries(Object.entries(result.metrics).map(([name, value]) => [name, toNum(value)])),
      ...(result.confusion ? counted(result.confusion, target) : {}),
      ...('classes' in target ? { classes: target.classes } : {}),
    };
  });
}

function counted(confusion: Float64Array, target: TargetType): Pick<Evaluation, 'confusion' | 'label_confusion'> {
  if (target.kind !== 'multi_label') return { confusion: rowsOf(confusion) };
  const label_confusion = target.classes.map((_, label) => rowsOf(confusion.subarray(4 * label, 4 * label + 4)));
  return { label_confusion };
}

function rowsOf(square: Float64Array): number[][] {
  const width = Math.round(Math.sqrt(square.length));
  return Array.from({ length: width }, (_, row) => Array.from(square.subarray(row * width, (row + 1) * width)));
}

/** Samples asked for at once: memory stays small and rows come soon. */
const predictionBatch = 256;

/** Calls `onRow` for each sample, in the split's order. Throws as `evaluateRun` does. */
export async function predictRun(
  run: string,
  options: PredictOptions,
  onRow: (row: Prediction) => void | Promise<void>,
): Promise<void> {
  await withCheckpoint(run, options, async ({ session, data, split, samples }) => {
    const start = options.start ?? 0;
    const end = Math.min(samples, start + (options.count ?? samples));
    if (start < 0 || start >= samples) {
      throw new GradloomError('BAD_CALL', `The ${split} split has no sample ${start}`, {
        hint: `It has ${samples}, counted from 0.`,
      });
    }
    for (let first = start; first < end; first += predictionBatch) {
      const result = await session.predict({ split, start: first, count: Math.min(predictionBatch, end - first) });
      for (const row of answersOf(result, data.facts.target, first)) await onRow(row);
      if (options.signal?.aborted) throw new GradloomError('CANCELLED', 'The prediction was cancelled');
    }
  });
}

async function withCheckpoint<T>(
  run: string,
  options: EvaluateOptions & PredictOptions,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const folder = await findRun(run);
  const text = readRunProject(folder);
  const { keep } = resolveProject(readProject(text).project ?? {}).training.checkpoint;
  const environment = await readEnvironment(folder);
  const given = { text, baseDir: folder, label: path.basename(folder) };
  const { plan } = await planRun(given, environment ? describedFor(folder) : undefined);
  const addon = loadAddon();
  const hardware = hardwareAgain(plan, environment, options.device, addon);
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'gradloom-evaluate-'));
  const { signal } = options;
  try {
    const run = environment ? folder : undefined;
    const data = await prepareData(plan, addon, scratch, { signal, run, fitted: environment?.fitted });
    const split = options.split ?? 'val';
    const chosen = data.splits[split];
    if (!chosen) {
      throw new GradloomError('BAD_CALL', `The run ${path.basename(folder)} has no ${split} split`, {
        hint: `It has ${Object.keys(data.splits).join(', ')}.`,
      });
    }
    const session = await addon.createSession(JSON.stringify(nativePlan(plan, data, usedOf(hardware))));
    const cancel = () => session.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const { checkpoint, name } = await loadNamed(folder, keep, options.checkpoint, session);
      if (checkpoint.state.data_hash !== data.data_hash || checkpoint.state.split_hash !== data.split_hash) {
        throw new GradloomError(
          'DATA_CHANGED',
          `The data of ${path.basename(folder)} is not what the run was trained with`,
          {
            hint: 'Bring the old data back.',
            path: 'data.source',
          },
        );
      }
      const { batch_size } = plan.project.data.loader;
      return await work({
        session,
        data,
        checkpoint,
        checkpointName: name,
        split,
        samples: chosen.count,
        batchSize: batch_size,
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      await session.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A live run may remove an old checkpoint just as it is read: then the index names newer ones, and they are tried. */
export async function loadNamed(
  folder: string,
  keep: number,
  asked: CheckpointName | undefined,
  session: NativeSession,
) {
  for (let attempt = 1; ; attempt += 1) {
    const checkpoints = new Checkpoints(folder, keep);
    const name = asked ?? (checkpoints.hasBest ? 'best' : 'last');
    try {
      const checkpoint = await checkpoints.loadModel(name);
      await session.loadState(checkpoint.folder, { model_only: true });
      return { checkpoint, name: String(name) };
    } catch (thrown) {
      if (attempt === 3 || names(new Checkpoints(folder, keep)) === names(checkpoints)) throw thrown;
    }
  }
}

const names = ({ entries }: Checkpoints): string => entries.map(({ folder }) => folder).join();
