/** The table of export formats on the engine's side: how each is written, and read back to be compared. */
import { readPt } from './pt-read.ts';
import { writePt } from './pt-write.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import type { TensorSource } from './tensor-source.ts';

export type ExportFormat = 'safetensors' | 'pt';

interface Format {
  /** Writes under a temporary name, lets `check` look at the file, and renames it to `path`. `metadata`: for formats that have a place for it. */
  write<T>(
    path: string,
    tensors: TensorSource[],
    metadata: Record<string, string>,
    check: (temporary: string) => Promise<T>,
  ): Promise<T | undefined>;
  read(path: string): Promise<TensorSource[]>;
}

export const formats: Record<ExportFormat, Format> = {
  safetensors: { write: writeSafetensors, read: async (path) => (await readSafetensors(path)).tensors },
  pt: { write: (path, tensors, _metadata, check) => writePt(path, tensors, check), read: readPt },
};
