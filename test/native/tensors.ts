/** Tensors of a safetensors file that the addon wrote, as numbers. */
import { readSafetensors } from '../../engine/export/safetensors.ts';

export async function readTensors(file: string) {
  const { tensors } = await readSafetensors(file);
  const read = new Map<string, { shape: number[]; values: number[] }>();
  for (const tensor of tensors) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of tensor.chunks()) chunks.push(chunk);
    const bytes = Uint8Array.from(Buffer.concat(chunks)).buffer;
    const values =
      tensor.dtype === 'I64' ? Array.from(new BigInt64Array(bytes), Number) : Array.from(new Float32Array(bytes));
    read.set(tensor.name, { shape: tensor.shape, values });
  }
  return read;
}
