/** What a look inside shows of every layer, against forward hooks in real PyTorch: initial weights of the seed, and weights of a file. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Look, LookWeights } from '../../engine/contract/look.ts';
import { Looker } from '../../engine/look/looker.ts';
import { runPython } from './python.ts';

const templates = path.resolve(import.meta.dirname, '../../assets/templates');
const top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-look-parity-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

interface Project {
  model: { layers: object[]; blocks?: object };
  training: { seed?: number };
}

const floats = (bytes: Uint8Array) => new Float32Array(new Uint8Array(bytes).buffer);

/** What differs, layer by layer; PyTorch has modules besides, such as a block's inner lists. */
async function compare(look: Look, folder: string, shapes: Record<string, number[]>): Promise<string[]> {
  const wrong: string[] = [];
  for (const layer of look.layers.slice(1)) {
    const bytes = Buffer.from(layer.values?.data ?? '', 'base64');
    const found = floats(bytes);
    if (shapes[layer.path] === undefined) {
      wrong.push(`${layer.path} ${layer.kind}: PyTorch has no such module`);
      continue;
    }
    const expected = floats(readFileSync(path.join(folder, `${layer.path}.bin`)));
    expect([layer.path, layer.shape]).toEqual([layer.path, shapes[layer.path]]);
    expect(found.length).toBe(expected.length);
    let [largest, farthest] = [0, 0];
    for (let i = 0; i < found.length; i++) {
      const value = expected[i] as number;
      largest = Math.max(largest, Math.abs(value));
      farthest = Math.max(farthest, Math.abs(value - (found[i] as number)));
    }
    if (!(farthest <= 1e-5 * largest)) wrong.push(`${layer.path} ${layer.kind}: ${farthest} of ${largest}`);
  }
  return wrong;
}

const names = ['digits-cnn', 'lenet-5', 'resnet-9', 'vit-tiny', 'lstm-classifier', 'unet', 'char-gpt', 'mobilenet-v2'];

test.each(names)('%s: every layer', async (name) => {
  const folder = path.join(top, name);
  mkdirSync(path.join(folder, 'work'), { recursive: true });
  const projectFile = path.join(templates, `${name}.gradloom.json`);
  const project = JSON.parse(readFileSync(projectFile, 'utf8')) as Project;
  const looker = new Looker(path.join(folder, 'work'));
  const look = async (weights: LookWeights, layers: string[]) =>
    looker.look(
      { projectFile, threads: 2 },
      { part: 'train', index: 5, weights, layers, statistics: true, most: 2 ** 30 },
      new AbortController().signal,
    );
  try {
    const first = await look({ kind: 'init' }, ['input']);
    const paths = first.layers.map((layer) => layer.path);
    const [input] = first.layers;
    writeFileSync(path.join(folder, 'input.bin'), Buffer.from(input?.values?.data ?? '', 'base64'));
    const shapes = await runPython<Record<string, Record<string, number[]>>>('look.py', {
      folder,
      shape: input?.shape,
      dtype: name === 'char-gpt' ? 'int64' : 'float32',
      seed: project.training.seed ?? 42,
      layers: project.model.layers,
      blocks: project.model.blocks ?? {},
    });
    for (const state of ['initial', 'moved']) {
      const weights = { kind: 'from' as const, weights: path.join(folder, `${state}.pt`) };
      const seen = await look(state === 'initial' ? { kind: 'init' } : weights, paths);
      expect(seen.stopped).toBeNull();
      expect(seen.weights.missing).toEqual([]);
      expect(await compare(seen, path.join(folder, state), shapes[state] ?? {}), `${name}, ${state}`).toEqual([]);
    }
  } finally {
    await looker.close();
  }
});
