/** Templates that are torchvision's networks: their parameters, and its state_dicts by the template's own names, to its logits. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { NativeSession } from '../../engine/contract/native.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { toSafetensors } from '../../engine/export/weights.ts';
import { openTemplate, templatePlan, trainTemplate } from '../engine/template-steps.ts';
import { runPython } from './python.ts';

const folders: string[] = [];

function folderOf(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), `gradloom-${name}-`));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const count = 4;

async function logitsFrom(session: NativeSession, plan: Plan, file: string, folder: string): Promise<Float32Array> {
  const report = await session.loadWeights(await toSafetensors(file, folder, plan.project.model.weights_names));
  expect(report).toEqual({
    matched: plan.tensors.map(({ name }) => name),
    missing: [],
    unexpected: [],
    mismatched: [],
  });
  return (await session.predict({ split: 'train', start: 0, count })).logits;
}

function farthest(found: Float32Array, expected: Float32Array): number {
  expect(found.length).toBe(expected.length);
  return found.reduce((most, value, index) => Math.max(most, Math.abs(value - (expected[index] as number))), 0);
}

const rows: { name: string; model: string; arguments?: object }[] = [
  { name: 'resnet-18', model: 'resnet18' },
  { name: 'vgg-11', model: 'vgg11' },
  { name: 'mobilenet-v2', model: 'mobilenet_v2' },
  {
    name: 'vit-tiny',
    model: 'vit',
    arguments: {
      image_size: 28,
      patch_size: 7,
      num_layers: 12,
      num_heads: 3,
      hidden_dim: 192,
      mlp_dim: 768,
      num_classes: 10,
    },
  },
];

test.each(rows)('$name is torchvision’s $model', async ({ name, model, arguments: args = {} }) => {
  const folder = folderOf(name);
  const plan = await templatePlan(name, count, count);
  const { session, data } = await openTemplate(plan, folder);
  const { input } = data.parts.train as NonNullable<typeof data.parts.train>;
  const normalize = plan.transforms.map(({ args: { mean, std } }) => [(mean as number[])[0], (std as number[])[0]]);
  try {
    const answer = await runPython<{ parameters: number; tensors: number }>('vision.py', {
      model,
      arguments: args,
      folder,
      inputs: { ...input, count, normalize },
    });
    expect({ parameters: plan.parameters, tensors: plan.tensors.length }).toEqual(answer);
    for (const state of ['initial', 'moved']) {
      const logits = await logitsFrom(session, plan, path.join(folder, `${state}.pt`), folder);
      const expected = new Float32Array(new Uint8Array(readFileSync(path.join(folder, `${state}.logits`))).buffer);
      const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      expect(farthest(logits, expected), state).toBeLessThanOrEqual(1e-5 * largest);
    }
  } finally {
    await session.close();
  }
});

test.each(['vgg-11'])('%s trains two steps', async (name) => {
  const losses = await trainTemplate(name, 2, 2, folderOf(`${name}-steps`));
  expect(losses).toHaveLength(2);
  for (const loss of losses) expect(loss).toBeGreaterThan(0);
  expect(losses[1]).not.toBe(losses[0]);
});
