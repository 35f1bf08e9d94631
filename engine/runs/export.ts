/** Takes a run's weights out of the studio: one file, written whole, read back and compared before it gets its name. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { exportFormats } from '../contract/exports.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { withFitted } from '../data/index.ts';
import { type ExportFormat, formats } from '../export/formats.ts';
import { readSafetensors } from '../export/safetensors.ts';
import { digest, type TensorSource } from '../export/tensor-source.ts';
import { Checkpoints, weightsFile } from './checkpoints.ts';
import { readEnvironment } from './environment.ts';
import { exportTarget } from './export-target.ts';
import { findRun } from './folder.ts';
import { readRunProject } from './run-project.ts';
import { readSummary } from './summary.ts';
import type { CheckpointName } from './types.ts';

export interface ExportOptions {
  format: string;
  /** The file. Absent: one named after the run in the run's own `export/`. */
  out?: string;
  /** Absent: best if validation ran, else last. */
  checkpoint?: CheckpointName;
  /** Ends it; what stood at the target stays. */
  signal?: AbortSignal;
}

/** What was read back from the written file and found equal to the checkpoint, byte for byte. */
interface Certificate {
  tensors: number;
  bytes: number;
  equal: true;
}

export interface Exported {
  path: string;
  /** Whether a file was there before. */
  replaced: boolean;
  format: ExportFormat;
  /** The checkpoint's role or step, and its folder. */
  checkpoint: string;
  folder: string;
  certificate: Certificate;
}

/** @throws GradloomError BAD_CALL, RUN_NOT_FOUND, CHECKPOINT_MISSING, CHECKPOINT_DAMAGED, NOT_SUPPORTED, NOT_WRITABLE, DISK_FULL, CANCELLED */
export async function exportRun(run: string, options: ExportOptions): Promise<Exported> {
  const format = knownFormat(options.format);
  const folder = await findRun(run);
  const role = options.checkpoint ?? defaultCheckpoint(folder);
  const name = `${basename(folder)}${exportFormats.get(format)?.extension}`;
  const { path, file, replaces } = await exportTarget(options.out, folder, name);
  for (let attempt = 1; ; attempt++) {
    const checkpoint = await new Checkpoints(folder, Number.POSITIVE_INFINITY).loadModel(role);
    try {
      const certificate = await write(folder, checkpoint.folder, format, file, options.signal);
      return {
        path,
        replaced: replaces,
        format,
        checkpoint: String(role),
        folder: checkpoint.folder,
        certificate,
      };
    } catch (thrown) {
      // A run that trains meanwhile may have replaced the checkpoint by a newer one.
      if (existsSync(checkpoint.folder) || attempt === 3) throw thrown;
    }
  }
}

async function write(
  run: string,
  checkpoint: string,
  format: ExportFormat,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Certificate> {
  const kept = await readSafetensors(weightsFile(checkpoint));
  const tensors = signal ? kept.tensors.map((tensor) => cancellable(tensor, signal)) : kept.tensors;
  const metadata = await metadataOf(run, basename(checkpoint));
  const certificate = await formats[format].write(path, tensors, metadata, (written) =>
    certify(tensors, written, formats[format].read),
  );
  return certificate as Certificate;
}

/** Both writing and comparing read the tensors chunk by chunk: there either can be ended. */
function cancellable(tensor: TensorSource, signal: AbortSignal): TensorSource {
  return {
    ...tensor,
    async *chunks() {
      for await (const chunk of tensor.chunks()) {
        if (signal.aborted) throw new GradloomError('CANCELLED', 'The export was cancelled');
        yield chunk;
      }
    },
  };
}

function knownFormat(format: string): ExportFormat {
  if (Object.hasOwn(formats, format)) return format as ExportFormat;
  const known = [...exportFormats.keys()].join(', ');
  throw new GradloomError('NOT_SUPPORTED', `This version does not write the format ${JSON.stringify(format)}.`, {
    hint: `Formats: ${known}.`,
  });
}

export function defaultCheckpoint(folder: string): 'best' | 'last' {
  const validated = readSummary(folder)?.best?.monitor.startsWith('val_') ?? false;
  return validated && new Checkpoints(folder, Number.POSITIVE_INFINITY).hasBest ? 'best' : 'last';
}

/** What somebody needs who meets the file without the run: text values only, as the format wants. */
async function metadataOf(folder: string, checkpoint: string): Promise<Record<string, string>> {
  const project = readRunProject(folder);
  const environment = await readEnvironment(folder);
  const { data } = resolveProject(readProject(project).project ?? {});
  return {
    format: 'pt', // the tensors' convention, a word that other readers look for
    run: basename(folder),
    checkpoint,
    project,
    classes: JSON.stringify(environment?.classes ?? null),
    transforms: JSON.stringify(
      withFitted(data.transforms, environment?.fitted ?? []).map(({ kind, args }) => ({ kind, ...args })),
    ),
    versions: JSON.stringify(environment?.versions ?? {}),
  };
}

async function certify(
  tensors: TensorSource[],
  written: string,
  read: (path: string) => Promise<TensorSource[]>,
): Promise<Certificate> {
  const found = new Map((await read(written)).map((tensor) => [tensor.name, tensor]));
  let bytes = 0;
  for (const tensor of tensors) {
    const copy = found.get(tensor.name);
    const equal =
      copy?.dtype === tensor.dtype &&
      String(copy.shape) === String(tensor.shape) &&
      (await digest(copy)) === (await digest(tensor));
    if (!equal) throw new GradloomError('INTERNAL', `The tensor ${tensor.name} did not read back as it was written.`);
    bytes += tensor.bytes;
  }
  if (found.size !== tensors.length) {
    throw new GradloomError('INTERNAL', `${found.size} tensors read back, ${tensors.length} were written.`);
  }
  return { tensors: tensors.length, bytes, equal: true };
}
