/** Weights files as input: whatever the format, the same tensors, and a safetensors file for C++. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemError } from '../files.ts';
import { readPt } from './pt-read.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import { type TensorSource, unwrapNames, weightsError } from './tensor-source.ts';

/** The tensors of a `.pt` or `.safetensors` file, told apart by content, under names without wrappers' prefixes. */
export async function readWeights(file: string): Promise<TensorSource[]> {
  return (await isSafetensors(file)) ? unwrapNames((await readSafetensors(file)).tensors) : readPt(file);
}

/**
 * A safetensors file with the weights of `file`: itself, or one made in `temporaryFolder`.
 * Throws FILE_NOT_FOUND, NOT_READABLE, WEIGHTS_FORMAT, DISK_FULL, NOT_WRITABLE.
 */
export async function toSafetensors(file: string, temporaryFolder: string): Promise<string> {
  const tensors = await readWeights(file);
  if (tensors.length === 0) throw weightsError(file, 'holds no tensors', 'Give a file with the weights of a network.');
  if (await isSafetensors(file)) {
    const written = (await readSafetensors(file)).tensors;
    if (written.every(({ name }, i) => name === tensors[i]?.name)) return file;
  }
  const converted = join(temporaryFolder, 'weights.safetensors');
  await writeSafetensors(converted, tensors, {});
  return converted;
}

/** After eight bytes of length the header begins with a brace. */
async function isSafetensors(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(9), 0, 9, 0);
      return bytesRead === 9 && buffer[8] === 0x7b && buffer.readUInt32LE() !== 0x04034b50;
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
}
