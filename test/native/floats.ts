/** Safetensors files of plain numbers, for tests that set weights or look at tensors. */
import { readSafetensors, writeSafetensors } from '../../engine/export/safetensors.ts';
import type { TensorSource } from '../../engine/export/tensor-source.ts';

export interface Floats {
  name: string;
  shape: number[];
  values: Float32Array;
}

export async function writeFloats(file: string, tensors: Floats[]): Promise<void> {
  const sources = tensors.map(
    ({ name, shape, values }): TensorSource => ({
      name,
      shape,
      dtype: 'F32',
      bytes: values.byteLength,
      async *chunks() {
        yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      },
    }),
  );
  await writeSafetensors(file, sources, {});
}

/** By name; float32 or int64 as they are. */
export async function readFloats(file: string) {
  const { tensors } = await readSafetensors(file);
  const found: { [name: string]: { shape: number[]; values: number[] } } = {};
  for (const { name, shape, dtype, chunks } of tensors) {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks()) parts.push(chunk);
    const bytes = Uint8Array.from(Buffer.concat(parts));
    const values =
      dtype === 'I64' ? [...new BigInt64Array(bytes.buffer)].map(Number) : [...new Float32Array(bytes.buffer)];
    found[name] = { shape, values };
  }
  return found;
}
