/** Measuring a project's memory in workers, what is learned from it, and how a plan tells it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ErrorCode, GradloomError } from '../../engine/contract/errors.ts';
import type { MemoryObservation } from '../../engine/contract/estimate-correction.ts';
import { howMeasured } from '../../engine/contract/memory-words.ts';
import { planProject } from '../../engine/contract/plan.ts';
import type { ResolvedSource } from '../../engine/contract/project.ts';
import { describeSource } from '../../engine/data/index.ts';
import { measureMemoryInWorkers } from '../../engine/finders/measure.ts';
import { measurePeaks, type Peaks } from '../../engine/finders/measure-peaks.ts';
import { correctionFor, learnMemory, networkKey } from '../../engine/finders/measure-store.ts';
import type { TrainRequest } from '../../engine/runs/types.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'gradloom-memory-'));
  vi.stubEnv('GRADLOOM_HOME', home);
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

describe('measuring in workers', () => {
  /** As workers do it, in this process; `free`: what their device tells to have left. */
  const workersWith = (more: Partial<Peaks> = {}, batches: number[] = []) => ({
    data: {
      describe: describeSource,
      pack: async (source: ResolvedSource, baseDir: string) => ({ facts: await describeSource(source, baseDir) }),
    },
    work: async ({ request, batchSize, folder }: { request: TrainRequest; batchSize: number; folder: string }) => {
      batches.push(batchSize);
      return { ...(await measurePeaks(request, { batchSize, folder }, new AbortController().signal)), ...more };
    },
  });
  const measure = (workers: object) =>
    measureMemoryInWorkers(workers as Parameters<typeof measureMemoryInWorkers>[0], {
      projectText: JSON.stringify(project(100)),
      baseDir: home,
    });

  test("the project's own batch is measured where it fits well, and what was measured counts", async () => {
    const batches: number[] = [];
    const finding = await measure(workersWith({}, batches));
    expect(batches).toEqual([1, 2, 100]);
    expect(finding).toMatchObject({ carried_on: null, batch_size: 100 });
    expect(finding.phases).toEqual({
      forward: finding.probes[2]?.forward,
      backward: finding.probes[2]?.backward,
      update: finding.probes[2]?.update,
      evaluation: 0,
    });
    expect(howMeasured(finding)).toContain('own batch of 100 was measured');
  });

  test('a batch of its own size among the small ones is its own, and an evaluation is measured like the rest', async () => {
    const text = JSON.stringify({ ...project(2), data: { ...project(2).data, split: { val: 0.25 } } });
    const finding = await measureMemoryInWorkers(
      workersWith() as unknown as Parameters<typeof measureMemoryInWorkers>[0],
      {
        projectText: text,
        baseDir: home,
      },
    );
    const { batch_size, ...own } = finding.probes[1] as (typeof finding.probes)[number];
    expect(batch_size).toBe(2);
    expect(finding.phases).toEqual(own);
    expect(own.evaluation).toBeGreaterThan(0);
    expect(finding.total).toBe(Math.max(...Object.values(own)));
  });

  test('it is carried on from small ones where that would take long, or too much of the memory that is free', async () => {
    const slow = await measure(workersWith({ seconds: { step: 10, all: 21 } }));
    expect(slow).toMatchObject({ carried_on: 'time' });
    expect(slow.probes).toHaveLength(2);
    expect(howMeasured(slow)).toContain('was not measured');
    const full = await measure(workersWith({ forward: 1e15 }));
    expect(full).toMatchObject({ carried_on: 'memory' });
  });

  test('memory that runs out with it is an answer, any other fault is not', async () => {
    const failing = (code: ErrorCode, signal: string | null = null) => {
      const { data, work } = workersWith();
      return {
        data,
        work: (job: Parameters<typeof work>[0]) =>
          job.batchSize > 2
            ? Promise.reject(new GradloomError(code, 'No more', { cause: { code: null, signal, stderr: '' } }))
            : work(job),
      };
    };
    expect(await measure(failing('OUT_OF_MEMORY'))).toMatchObject({ carried_on: 'ran_out' });
    expect(await measure(failing('WORKER_DIED', 'SIGKILL'))).toMatchObject({ carried_on: 'ran_out' });
    await expect(measure(failing('WORKER_DIED'))).rejects.toThrow('No more');
  });
});
