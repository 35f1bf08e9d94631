/** Measuring a project's memory in workers, what is learned from it, and how a plan tells it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemoryObservation } from '../../engine/contract/estimate-correction.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { measurePeaks } from '../../engine/finders/measure-peaks.ts';
import { correctionFor, learnMemory, networkKey } from '../../engine/finders/measure-store.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'gradloom-memory-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const project = (batch_size: number, hidden = 64) => ({
  gradloom: 1,
  data: {
    source: { kind: 'random', shape: [256], classes: 10, samples: 256 },
    split: { val: 0 },
    loader: { batch_size, num_workers: 0 },
  },
  model: { layers: [{ kind: 'Linear', out_features: hidden }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 10 }] },
  training: { device: 'cpu' },
});

test('peaks of each phase are those of the estimate', async () => {
  const given = project(128);
  const { signal } = new AbortController();
  const request = { projectText: JSON.stringify(given), baseDir: home };
  const peaks = await measurePeaks(request, { batchSize: 128, folder: home }, signal);
  const { memory } = planProject(given, null);
  for (const phase of ['forward', 'backward', 'update'] as const) {
    expect(Math.abs(peaks[phase] / memory.phases[phase] - 1)).toBeLessThan(0.05);
  }
  expect(Math.abs(peaks.held / memory.held - 1)).toBeLessThan(0.05);
});

test('what is learned is found again by network and device, the newest for each batch size', async () => {
  const plan = planProject(project(128), null);
  const network = networkKey(plan);
  expect(networkKey(planProject(project(16), null))).toBe(network);
  expect(networkKey(planProject(project(128, 65), null))).not.toBe(network);

  expect(await correctionFor(plan, home)).toBeNull();
  const seen = (measured: number, more: Partial<MemoryObservation> = {}) =>
    learnMemory({ device: 'cpu', network, batch_size: 128, estimated: 100, measured, ...more }, home);
  await seen(150);
  await seen(110);
  expect(await correctionFor(plan, home)).toMatchObject({ same: true, networks: 1, factor: 1.1 });
  await seen(120, { network: 'another' });
  expect(await correctionFor(planProject(project(128, 65), null), home)).toMatchObject({ same: false, networks: 2 });
  expect(await correctionFor(planProject({ ...project(128), training: { device: 'cuda:0' } }, null), home)).toBeNull();
});
