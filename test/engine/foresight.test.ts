/** What is foreseen before a launch, each with a choice, and what is refused rather than begun wrongly (cases 8 and 18). */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { editProject } from '../../engine/contract/project.ts';
import { RunControl, trainRun } from '../../engine/runs/index.ts';
import { planWithData } from '../../engine/runs/prepare.ts';

/** A BatchNorm with a single value a channel: 33 samples in batches of 8 leave one over. */
function project(
  changes: { loader?: object; training?: object; split?: object; norm?: object; samples?: number } = {},
) {
  return JSON.stringify({
    gradloom: 1,
    name: 'small',
    data: {
      source: { kind: 'random', shape: [1, 4, 4], classes: 3, samples: changes.samples ?? 33, seed: 1 },
      split: { val: 0, ...changes.split },
      loader: { batch_size: 8, ...changes.loader },
    },
    model: {
      layers: [
        { kind: 'Conv2d', out_channels: 5, kernel_size: 4 },
        { kind: 'BatchNorm2d', ...changes.norm },
        { kind: 'Flatten' },
        { kind: 'Linear', out_features: 3 },
      ],
    },
    training: { epochs: 2, device: 'cpu', ...changes.training },
  });
}

async function train(projectText: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = path.join(folder, 'run');
  return { run, end: () => trainRun({ projectText, run }, () => {}, new RunControl()) };
}

describe('a last batch of one with BatchNorm (case 8)', () => {
  test.each([
    ['plainly', {}],
    ['while accumulating', { training: { accumulate: 3 } }],
    ['while accumulating all of the epoch', { training: { accumulate: 100 } }],
  ])('%s: foreseen, nothing is begun; each choice offered trains to the end', async (_name, changes) => {
    const text = project(changes);
    const { run, end } = await train(text);
    await expect(end()).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      path: 'data.loader.batch_size',
      message: expect.stringContaining('BatchNorm2d at model.layers.1 cannot train on a single value per channel'),
    });
    expect(existsSync(run)).toBe(false);
    const { problems } = await planWithData(text, os.tmpdir());
    const found = problems.find(({ code }) => code === 'SMALL_BATCH');
    expect(found?.fixes.map(({ label }) => label)).toEqual([
      'Leave out the short last batch (drop_last)',
      expect.stringMatching(/^Set batch_size to \d+$/),
    ]);
    for (const { edits } of found?.fixes ?? []) {
      const mended = await train(editProject(text, edits));
      expect((await mended.end()).status).toBe('completed');
    }
  });

  test('in the validation split: harmless with running statistics, foreseen without', async () => {
    const split = { val: 0.2, stratify: false };
    const samples = 45; // 36 to train (4 × 9), 9 to validate: 4 + 4 + 1
    const loader = { batch_size: 4 };
    const sound = await train(project({ split, samples, loader }));
    expect((await sound.end()).status).toBe('completed');
    const text = project({ split, samples, loader, norm: { track_running_stats: false } });
    const { problems } = await planWithData(text, os.tmpdir());
    const found = problems.find(({ code }) => code === 'SMALL_BATCH');
    expect(found).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('Validation would end with a batch of one sample'),
    });
    const mended = await train(editProject(text, found?.fixes[0]?.edits ?? []));
    expect((await mended.end()).status).toBe('completed');
  });
});

test('several ranks are refused by name, not begun with uneven shards (case 18)', async () => {
  const text = project({ loader: { drop_last: true }, training: { strategy: { kind: 'distributed', ranks: 2 } } });
  const { run, end } = await train(text);
  await expect(end()).rejects.toMatchObject({ code: 'PROJECT_INVALID', path: 'training.strategy' });
  expect(existsSync(run)).toBe(false);
});

test('a file of another program is no project, and says so', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const projectFile = path.join(folder, 'package.json');
  writeFileSync(projectFile, JSON.stringify({ name: 'x', version: '1.0.0', scripts: {} }));
  await expect(trainRun({ projectFile }, () => {}, new RunControl())).rejects.toMatchObject({
    code: 'PROJECT_INVALID',
    message: expect.stringMatching(/package\.json is no project of Gradloom: it has none of gradloom, data, model/),
    hint: expect.stringContaining('.gradloom.json'),
  });
});
