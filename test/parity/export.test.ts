/** Weights files against real PyTorch: what we write loads strictly and safely; what PyTorch writes, we read bit for bit. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPt } from '../../engine/export/pt-read.ts';
import { writePt } from '../../engine/export/pt-write.ts';
import { readSafetensors, writeSafetensors } from '../../engine/export/safetensors.ts';
import type { TensorSource } from '../../engine/export/tensor-source.ts';
import { readWeights, toSafetensors } from '../../engine/export/weights.ts';
import { testFolder } from '../engine/idx-writer.ts';
import { runPython } from './python.ts';

type Written = Record<string, { file: string; tensors: Record<string, [number[], string]> }>;

async function contentOf(tensors: TensorSource[]): Promise<Record<string, [number[], string]>> {
  const content: Record<string, [number[], string]> = {};
  for (const { name, shape, chunks } of tensors) {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks()) parts.push(chunk);
    content[name] = [shape, Buffer.concat(parts).toString('hex')];
  }
  return content;
}

describe('with real PyTorch', () => {
  test('reads every way of torch.save; loads what we write', async () => {
    const folder = testFolder();
    const written = await runPython<Written>('export.py', { do: 'write', folder });
    expect(Object.keys(written)).toHaveLength(8);
    for (const [name, { file, tensors }] of Object.entries(written)) {
      expect(await contentOf(await readWeights(file)), name).toEqual(tensors);
      const converted = await toSafetensors(file, testFolder());
      expect(await contentOf((await readSafetensors(converted)).tensors), name).toEqual(tensors);
    }
    await expect(readPt(join(folder, 'old.pt'))).rejects.toMatchObject({
      code: 'WEIGHTS_FORMAT',
      message: expect.stringContaining('before 1.6'),
    });
    await expect(readPt(join(folder, 'module.pt'))).rejects.toMatchObject({
      code: 'WEIGHTS_FORMAT',
      message: expect.stringContaining('torch.nn.modules.container.Sequential'),
    });

    const reference = written.plain?.file as string;
    const tensors = await readPt(reference);
    const [pt, safe] = [join(folder, 'ours.pt'), join(folder, 'ours.safetensors')];
    await writePt(pt, tensors);
    await writeSafetensors(safe, tensors, { format: 'pt' });
    const names = tensors.map(({ name }) => name);
    const answers = await runPython<{ names: string[] }[]>('export.py', {
      do: 'load',
      reference,
      files: [pt, safe],
      mmap: pt,
    });
    expect(answers).toEqual([
      { tensors: true, logits: true, names },
      { tensors: true, logits: true, names: expect.arrayContaining(names) },
      { tensors: true },
    ]);
    expect(names.some((name) => name.startsWith('module.'))).toBe(false);
  });
});
