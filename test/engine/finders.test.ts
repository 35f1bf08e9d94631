/** The finders' rules: the learning-rate range test as Lightning computes it, the search for a batch size with probes that die. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BatchProbe } from '../../engine/contract/finders.ts';
import { searchBatch, suggestBatch } from '../../engine/finders/batch-search.ts';
import { Smoothing, suggest, sweep } from '../../engine/finders/lr-rule.ts';
import { findBatchInWorkers } from '../../engine/finders/tasks.ts';
import { inWorkFolder } from '../../engine/finders/work-folder.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import { Service } from '../../engine/service.ts';
import { quickProject } from './cli-process.ts';
import { temporaryFolder } from './runs-helpers.ts';

/** A curve as a range test draws it: flat, falling, rising steeply; with some scatter. */
function curve(rates: number[], scatter = 0.01): number[] {
  return rates.map((rate, i) => {
    const at = Math.log10(rate);
    const fall = 2 / (1 + Math.exp(-3 * (at + 3)));
    return 2.3 - fall + Math.exp(9 * (at - 0.2)) + scatter * Math.sin(i * 12.9898);
  });
}

function smoothed(losses: number[]): { values: number[]; went: number } {
  const smoothing = new Smoothing();
  let went = 0;
  for (const loss of losses) {
    went += 1;
    if (!smoothing.add(loss)) break;
  }
  return { values: smoothing.values, went };
}

describe('the learning-rate range test', () => {
  const rates = sweep(1e-7, 10, 100);

  test('grows by one factor from min to max', () => {
    expect([rates[0], rates.at(-1), rates.length]).toEqual([1e-7, 10, 100]);
    const factors = rates.slice(1).map((rate, i) => rate / (rates[i] as number));
    for (const factor of factors) expect(factor).toBeCloseTo(1e8 ** (1 / 99), 9);
  });

  test('smooths, stops and suggests as Lightning does', () => {
    const losses = curve(rates);
    const { values, went } = smoothed(losses);
    // lr_finder.py of Lightning 2: _LRCallback.on_train_batch_end and _LRFinder.suggestion, in plain Python.
    const script = `
import json, sys
lrs, losses = json.load(sys.stdin)
beta, avg, best, smoothed = 0.98, 0.0, 0.0, []
for step, loss in enumerate(losses):
    avg = beta * avg + (1 - beta) * loss
    smoothed.append(avg / (1 - beta ** (step + 1)))
    if step > 0 and smoothed[-1] > 4 * best: break
    if smoothed[-1] < best or step == 0: best = smoothed[-1]
part = smoothed[10:-1]
n = len(part)
grad = [part[1] - part[0]] + [(part[i + 1] - part[i - 1]) / 2 for i in range(1, n - 1)] + [part[-1] - part[-2]]
print(json.dumps([smoothed, lrs[10 + grad.index(min(grad))]]))`;
    const [expected, lr] = JSON.parse(
      execFileSync('python3', ['-c', script], { input: JSON.stringify([rates, losses]), encoding: 'utf8' }),
    );
    expect(went).toBe(expected.length);
    expect(went).toBeLessThan(100);
    for (const [i, value] of expected.entries()) expect(values[i]).toBeCloseTo(value, 9);
    expect(suggest(rates, losses.slice(0, went), values)).toEqual({
      lr,
      reason: expect.stringContaining('Steepest descent'),
    });
  });

  test('takes no recovery after a peak for a descent', () => {
    const peaked = (rate: number, i: number) => {
      const at = Math.log10(rate);
      const fall = 1 / (1 + Math.exp(-4 * (at + 3)));
      const peak = 12 * Math.exp(-((at + 1.5) ** 2) / 0.02);
      return 2.3 - fall + peak + 0.005 * Math.sin(i * 12.9898);
    };
    const losses = rates.map(peaked);
    const { values, went } = smoothed(losses);
    const { lr } = suggest(rates, losses.slice(0, went), values);
    expect(lr).toBeGreaterThan(1e-4);
    expect(lr).toBeLessThan(1e-2);
  });

  test.each<[string, (rate: number, i: number) => number, RegExp]>([
    ['flat', (_, i) => 2.3 + 0.05 * Math.sin(i * 12.9898), /hardly changes/],
    ['only rising', (_, i) => 2.3 + 0.02 * i + 0.01 * Math.sin(i * 12.9898), /only rises/],
    ['diverging at once', (_, i) => 2 ** (2 * i), /diverged after \d+ steps/],
  ])('says why a curve that is %s suggests nothing', (_name, loss, reason) => {
    const losses = rates.map(loss);
    const { values, went } = smoothed(losses);
    const { lr, reason: said } = suggest(rates, losses.slice(0, went), values);
    expect(lr).toBeNull();
    expect(said).toMatch(reason);
  });
});

/** Runs up to `most`; speed grows up to 128. */
const probeOf =
  (most: number, tried: number[] = []) =>
  async (size: number): Promise<BatchProbe> => {
    tried.push(size);
    const fits = size <= most;
    return {
      batch_size: size,
      fits,
      peak: fits ? size * 1000 : null,
      samples_per_second: fits ? Math.min(size, 128) * 10 : null,
      ...(fits ? {} : { problem: 'out of memory' }),
    };
  };

describe('the search for a batch size (case 19)', () => {
  test.each([1, 3, 15, 16, 17, 100, 1000, 5000])(
    'finds %i to an eighth, and answers only sizes that ran',
    async (most) => {
      const tried: number[] = [];
      const { probes, ranOut } = await searchBatch({ max: 65_536, probe: probeOf(most, tried) });
      expect(ranOut).toBe(true);
      const { largest } = suggestBatch(probes, () => null);
      expect(largest).toBeLessThanOrEqual(most);
      expect(largest).toBeGreaterThan(most * 0.87);
      expect(new Set(tried).size).toBe(tried.length);
    },
  );

  test('stops at the largest that is asked for, and tries that one', async () => {
    const { probes, ranOut } = await searchBatch({ max: 300, probe: probeOf(1e9) });
    expect(ranOut).toBe(false);
    expect(probes.map(({ batch_size }) => batch_size)).toEqual([16, 32, 64, 128, 256, 300]);
    expect(suggestBatch(probes, () => null)).toMatchObject({ largest: 300, suggestion: 128 });
  });

  test('suggests none that the project itself refuses, and none where nothing fits', async () => {
    const { probes } = await searchBatch({ max: 300, probe: probeOf(1e9) });
    const refused = suggestBatch(probes, (size) => (size === 128 ? 'a batch of one' : null));
    expect(refused.suggestion).toBe(256);
    const none = await searchBatch({ max: 64, probe: probeOf(0) });
    expect(suggestBatch(none.probes, () => null)).toMatchObject({
      largest: null,
      suggestion: null,
      reason: 'Not even 1 fits: out of memory',
    });
  });
});

const factsOfQuick = {
  input: { dims: [6], dtype: 'float32' },
  target: { kind: 'class', classes: ['0', '1', '2'] },
  parts: { train: 400 },
};

/** A worker that packs as ours does, and is killed by the system when a batch is larger than 40. */
function dyingWorker(): string {
  const file = path.join(temporaryFolder(), 'worker.mjs');
  writeFileSync(
    file,
    `process.on('message', (job) => {
  if (job.type === 'data') return;
  if (job.type === 'ask') return process.send({ type: 'told', id: job.id, value: { facts: ${JSON.stringify(factsOfQuick)} } });
  if (job.type === 'action') return process.disconnect();
  if (job.batchSize > 40) process.kill(process.pid, 'SIGKILL');
  const value = { peak: job.batchSize, samples_per_second: job.batchSize, device: 'cpu' };
  process.send({ type: 'result', value }, () => process.disconnect());
});`,
  );
  return file;
}

test('a probe that the system kills is an answer, and the engine stays up (cases 19, 20)', async () => {
  const project = temporaryFolder();
  const workerEntry = dyingWorker();
  const scratch = temporaryFolder();
  vi.stubEnv('TMPDIR', scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = new Service({ processes: nodeProcesses, workerEntry });
  const projectFile = quickProject(project, 'quick', 1);
  const told: string[] = [];
  const found = await findBatchInWorkers(
    service,
    { projectFile },
    { memory: 1000 },
    { onProgress: ({ stage }) => told.push(stage) },
  );
  expect(found).toMatchObject({ largest: 40, limit: 'memory', current: 50, device: 'cpu' });
  const dead = found.probes.filter(({ fits }) => !fits);
  expect(dead.length).toBeGreaterThan(0);
  for (const { problem, peak } of dead) expect([problem, peak]).toEqual([expect.stringContaining('SIGKILL'), null]);
  expect(told[0]).toBe('trying batches of 16');
  await service.close();
  await expect.poll(() => readdirSync(scratch)).toEqual([]);
});

test('a work folder goes, also when the work fails', async () => {
  let seen = '';
  await expect(
    inWorkFolder('find', async (folder) => {
      seen = folder;
      writeFileSync(path.join(folder, 'x'), '');
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(existsSync(seen)).toBe(false);
});
