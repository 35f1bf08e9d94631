/** Weights files as input: whatever the format, the same tensors, and a safetensors file for C++. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { renaming, type WeightsNames } from '../contract/weights-names.ts';
import { systemError } from '../files.ts';
import { readPt } from './pt-read.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import { type TensorSource, unwrapNames, weightsError } from './tensor-source.ts';

/** The tensors of a `.pt` or `.safetensors` file, told apart by content, under names without wrappers' prefixes and as `names` has them. */
export async function readWeights(file: string, names: WeightsNames | null = null): Promise<TensorSource[]> {
  const tensors = (await isSafetensors(file)) ? unwrapNames((await readSafetensors(file)).tensors) : await readPt(file);
  const rename = renaming(names);
  const taken = new Map<string, string>();
  return tensors.map((tensor) => {
    const name = rename(tensor.name);
    const other = taken.get(name);
    if (other !== undefined) {
      throw new GradloomError('WEIGHTS_MISMATCH', `${file} would give ${name} twice: ${other} and ${tensor.name}.`, {
        hint: 'Give each of them a name of its own.',
        path: 'model.weights_names',
      });
    }
    taken.set(name, tensor.name);
    return { ...tensor, name };
  });
}

/** As `readWeights`, of a file that holds any. */
export async function readSomeWeights(file: string, names: WeightsNames | null = null): Promise<TensorSource[]> {
  const tensors = await readWeights(file, names);
  if (tensors.length === 0) throw weightsError(file, 'holds no tensors', 'Give a file with the weights of a network.');
  return tensors;
}

/**
 * A safetensors file with the weights of `file` by the network's names: itself, or one made in `temporaryFolder`.
 * Throws FILE_NOT_FOUND, NOT_READABLE, WEIGHTS_FORMAT, WEIGHTS_MISMATCH, DISK_FULL, NOT_WRITABLE.
 */
export async function toSafetensors(
  file: string,
  temporaryFolder: string,
  names: WeightsNames | null = null,
): Promise<string> {
  const tensors = await readSomeWeights(file, names);
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
