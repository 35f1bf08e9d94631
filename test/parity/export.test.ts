/** Weights files against real PyTorch: what we write loads strictly and safely; what PyTorch writes, we read bit for bit. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPt } from '../../engine/export/pt-read.ts';
import { writePt } from '../../engine/export/pt-write.ts';
import { readSafetensors, writeSafetensors } from '../../engine/export/safetensors.ts';
import type { TensorSource } from '../../engine/export/tensor-source.ts';
import { readWeights, toSafetensors } from '../../engine/export/weights.ts';
import { gradloom } from '../engine/cli-process.ts';
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

  test('a trained run exported in both formats answers as `predict` does', async () => {
    const home = testFolder();
    const conv = { kind: 'Conv2d', out_channels: 4, kernel_size: 3, padding: 1 };
    const layers = [
      conv,
      { kind: 'BatchNorm2d' },
      { kind: 'ReLU' },
      { kind: 'Residual', layers: [conv, { kind: 'ReLU' }, conv] },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 3 },
    ];
    const project = {
      gradloom: 1,
      name: 'exported',
      data: {
        source: { kind: 'random', shape: [1, 6, 6], classes: 3, samples: 200, seed: 5 },
        split: { val: 0.25, seed: 42, stratify: false },
        loader: { batch_size: 50 },
      },
      model: { layers },
      training: { epochs: 2, device: 'cpu' },
    };
    const file = join(home, 'exported.gradloom.json');
    writeFileSync(file, JSON.stringify(project));
    const run = join(home, 'run');
    expect((await gradloom(home, ['train', file, '--run', run])).code).toBe(0);
    const files = ['pt', 'safetensors'].map((format) => join(home, `weights.${format}`));
    for (const out of files) {
      const words = ['export', run, '--format', out.split('.').at(-1) as string, '--out', out, '--checkpoint', 'last'];
      expect((await gradloom(home, words)).code).toBe(0);
    }
    const { lines } = await gradloom(home, ['predict', run, '--split', 'val', '--checkpoint', 'last', '--json']);
    const ours = lines.map((line) => line.logits as number[]);
    expect(ours).toHaveLength(50);
    const theirs = await runPython<number[][][]>('export.py', { do: 'answers', run, files });
    const largest = Math.max(...ours.flat().map(Math.abs));
    for (const answers of theirs) {
      const apart = answers.flatMap((row, i) => row.map((value, j) => Math.abs(value - (ours[i]?.[j] ?? Number.NaN))));
      expect(Math.max(...apart)).toBeLessThanOrEqual(1e-5 * largest);
    }
    expect(theirs[0]).toEqual(theirs[1]);
  });
});
