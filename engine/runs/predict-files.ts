/** Predicts files that a run has never seen. Needs the run's folder only: its data may be gone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DataNote } from '../contract/data/inspect.ts';
import { GradloomError } from '../contract/errors.ts';
import type { NativeColumn } from '../contract/native.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { type DataFacts, targetDims } from '../contract/tensors.ts';
import { type FileSamples, samplesOf } from '../data/predict/files.ts';
import { cannotPredict } from '../data/predict/unread.ts';
import { loadAddon } from '../native/load.ts';
import { answersOf } from './answers.ts';
import { readKeptData } from './data-kept.ts';
import { readEnvironment } from './environment.ts';
import { loadNamed } from './evaluate.ts';
import { findRun } from './folder.ts';
import { hardwareAgain, nativePlan, type PreparedData, planRun, usedOf } from './prepare.ts';
import { readRunProject } from './run-project.ts';
import type { CheckpointName, Prediction } from './types.ts';

export interface PredictFilesOptions {
  checkpoint?: CheckpointName;
  device?: string;
  signal?: AbortSignal;
  onNote?: (note: DataNote) => void;
  /** Told of files that cannot be read, with reasons, after the others' answers; absent: they end it then. */
  onBad?: (bad: string[]) => void;
}

/** Samples asked for at once. */
const batch = 256;

/** Calls `onRow` for each sample of the files, in their order. @throws GradloomError as `predictRun`, NOT_SUPPORTED */
export async function predictFiles(
  run: string,
  files: readonly string[],
  options: PredictFilesOptions,
  onRow: (row: Prediction) => void | Promise<void>,
): Promise<void> {
  const folder = await findRun(run);
  const kept = readKeptData(folder);
  if (!kept) {
    throw new GradloomError('NOT_SUPPORTED', `${path.basename(folder)} does not say how its data became numbers.`, {
      hint: 'It is of an older version: predict samples of its data, --split val --limit 10, or train it again.',
    });
  }
  const { facts, encoding } = kept;
  const text = readRunProject(folder);
  const { training, data } = resolveProject(readProject(text).project ?? {});
  if (!data.source) throw new GradloomError('RUN_DAMAGED', `The project of ${path.basename(folder)} names no data`);
  const { plan } = await planRun({ text, baseDir: folder, label: path.basename(folder) }, async () => facts);
  const addon = loadAddon();
  const environment = await readEnvironment(folder);
  const hardware = hardwareAgain(plan, environment, options.device, addon);
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'gradloom-predict-'));
  const { signal } = options;
  try {
    const request = {
      source: data.source,
      encoding,
      facts,
      stored: kept.input,
      files: files.map((file) => path.resolve(file)),
      folder: scratch,
    };
    const samples = await samplesOf({ ...request, signal });
    for (const note of samples.notes) options.onNote?.(note);
    const prepared = await asPrepared(samples, facts, environment?.fitted ?? [], scratch);
    const session = await addon.createSession(JSON.stringify(nativePlan(plan, prepared, usedOf(hardware))));
    const cancel = () => session.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      await loadNamed(folder, training.checkpoint.keep, options.checkpoint, session);
      for (let start = 0; start < samples.count; start += batch) {
        const count = Math.min(batch, samples.count - start);
        const result = await session.predict({ split: 'train', start, count });
        for (const row of answersOf(result, facts.target, start)) {
          const name = samples.names[row.index];
          const { true_label: _none, ...answer } = row;
          await onRow({ ...answer, target: null, ...(name === undefined ? {} : { name }) });
        }
        if (signal?.aborted) throw new GradloomError('CANCELLED', 'The prediction was cancelled');
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      await session.close();
    }
    if (samples.bad && samples.bad.length > 0) (options.onBad ?? refuseBad)(samples.bad);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refuseBad(bad: string[]): never {
  throw cannotPredict(bad);
}

/** The files' samples where a session looks for the training part, with targets of zeros. */
async function asPrepared(
  { count, input }: FileSamples,
  facts: DataFacts,
  fitted: PreparedData['fitted'],
  folder: string,
): Promise<PreparedData> {
  const { target } = facts;
  const whole = target.kind === 'class' || target.kind === 'mask' || target.kind === 'next_token';
  const shape = targetDims(target);
  const column: NativeColumn = {
    path: path.join(folder, 'files.target.bin'),
    dtype: whole ? 'int64' : 'float32',
    shape,
    scaled: false,
  };
  const bytes = shape.reduce((product, dim) => product * dim, whole ? 8 : 4);
  await writeFile(column.path, '');
  await truncate(column.path, count * bytes); // zeros, without a place in memory
  return {
    parts: { train: { count, input, target: column } },
    splits: { train: { part: 'train', count } },
    facts,
    encoding: null,
    data_hash: '',
    split_hash: '',
    fitted,
    notes: [],
  };
}
