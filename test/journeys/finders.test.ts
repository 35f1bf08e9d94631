/** Finders and checks at the built command line and over the wire: what they answer is true, nothing else is changed, nothing is left. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BatchFinding, CheckReport, LrFinding } from '../../engine/contract/finders.ts';
import { connectEngine } from '../e2e/engine-connection.mjs';
import { type Ended, gradloom, type Line, start } from '../engine/cli-process.ts';
import { statefulProject, temporaryFolder } from './command-line.ts';

function place() {
  const home = temporaryFolder();
  const scratch = path.join(home, 'scratch');
  mkdirSync(scratch);
  const environment = { TMPDIR: scratch };
  return { home, scratch, environment, run: (words: string[]) => gradloom(home, words, environment) };
}

function only<T>({ code, lines, stderr }: Ended, wanted = 0): T & Line {
  expect([code, stderr]).toEqual([wanted, expect.any(String)]);
  expect(lines).toHaveLength(1);
  return lines[0] as T & Line;
}

describe('find lr', () => {
  test('suggests a rate that learns, and changes neither the project nor the workspace', async () => {
    const { home, scratch, run } = place();
    const project = await digits(home, run);
    const before = readFileSync(project, 'utf8');
    const runs = readdirSync(path.join(home, 'runs'));
    const found = only<LrFinding>(await run(['find', 'lr', project, '--json']));
    expect(found).toMatchObject({
      type: 'find-lr',
      min: 1e-7,
      max: 10,
      steps: 100,
      stopped: 'diverged',
      current: 0.001,
    });
    expect(found.lr).toHaveLength(found.loss.length);
    expect(found.suggestion).toBeGreaterThan(1e-4);
    expect(found.suggestion).toBeLessThan(0.1);
    expect(readFileSync(project, 'utf8')).toBe(before);
    expect(readdirSync(path.join(home, 'runs'))).toEqual(runs);
    expect(readdirSync(scratch)).toEqual([]);
    // Its own steps repeat: each is a training of its own from the same seed.
    const again = only<LrFinding>(await run(['find', 'lr', project, '--json']));
    expect(again.loss).toEqual(found.loss);
    const lr = `training.optimizer.lr=${found.suggestion}`;
    const trained = await run(['train', project, '--set', lr, '--epochs', '1', '--json']);
    expect(trained.lines.find(({ type }) => type === 'epoch')?.val_accuracy).toBeGreaterThan(0.75);
  });

  test('Ctrl+C ends it at once and leaves nothing', async () => {
    const { home, scratch, environment } = place();
    const live = start(
      home,
      ['find', 'lr', statefulProject(home, {}, 3000), '--steps', '10000', '--json'],
      environment,
    );
    await expect.poll(() => readdirSync(scratch).length, { timeout: 20_000 }).toBe(1);
    live.kill('SIGINT');
    expect((await live.ended).code).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
  });

  test('what cannot be swept is refused before anything is done', async () => {
    const { home, run } = place();
    const project = statefulProject(home);
    const wrong = await run(['find', 'lr', project, '--min', '1', '--max', '0.1', '--json']);
    expect(wrong).toMatchObject({ code: 2, lines: [{ type: 'error', code: 'BAD_CALL' }] });
    const bare = await run(['find', '--json']);
    expect(bare).toMatchObject({ code: 2, lines: [{ code: 'BAD_CALL', message: 'After find comes lr or batch.' }] });
    const steps = await run(['find', 'lr', project, '--steps', '5', '--json']);
    expect(steps).toMatchObject({
      code: 2,
      lines: [{ code: 'BAD_CALL', hint: expect.stringMatching(/^See: node .*dist.cli\.js find lr --help$/) }],
    });
    const key = await run(['find', 'lr', project, '--set', 'training.optimiser.lr=1', '--json']);
    expect(key).toMatchObject({ code: 2, lines: [{ code: 'BAD_CALL' }] });
  });
});

describe('find batch (cases 19, 20)', () => {
  test('on a CPU wants a limit; what it answers trains and evaluates within it, what it refuses does not', async () => {
    const { home, scratch, environment, run } = place();
    const project = statefulProject(home, { epochs: 1, accumulate: 1 }, 3000);
    const refused = await run(['find', 'batch', project, '--json']);
    expect(refused).toMatchObject({
      code: 2,
      lines: [{ code: 'BAD_CALL', hint: expect.stringContaining('--memory') }],
    });

    const limit = 4;
    const found = only<BatchFinding>(await run(['find', 'batch', project, '--memory', String(limit), '--json']));
    expect(found).toMatchObject({
      type: 'find-batch',
      limit: 'memory',
      device: 'cpu',
      memory: limit * 2 ** 20,
      current: 12,
    });
    const { largest, probes } = found;
    for (const { fits, peak } of probes) expect(fits ? (peak as number) <= limit * 2 ** 20 : peak === null).toBe(true);
    const refusedSizes = probes.filter(({ fits }) => !fits).map(({ batch_size }) => batch_size);
    expect(largest).toBeGreaterThan(Math.min(...refusedSizes) * 0.8);
    expect(readdirSync(scratch)).toEqual([]);

    const train = (size: number) =>
      gradloom(home, ['train', project, '--set', `data.loader.batch_size=${size}`, '--json'], {
        ...environment,
        GRADLOOM_CPU_LIMIT: String(limit * 2 ** 20),
      });
    expect((await train(largest as number)).lines.at(-1)).toMatchObject({ type: 'end', status: 'completed' });
    const tooLarge = await train(Math.max(...refusedSizes));
    expect(tooLarge.lines.find(({ type }) => type === 'error')).toMatchObject({ code: 'OUT_OF_MEMORY' });
  });

  test('nothing fits: an answer too, exit 1', async () => {
    const { home, run } = place();
    const found = only<BatchFinding>(
      await run(['find', 'batch', statefulProject(home), '--memory', '0.02', '--json']),
      1,
    );
    expect(found).toMatchObject({
      largest: null,
      suggestion: null,
      reason: expect.stringContaining('Not even 1 fits'),
    });
  });
});

describe('verify', () => {
  test('resume: stopped, killed and resumed is uninterrupted, with all that has a state', async () => {
    const { home, scratch, run } = place();
    const project = statefulProject(home, { schedule: { kind: 'OneCycleLR', max_lr: 0.01 }, deterministic: true });
    const report = only<CheckReport>(await run(['verify', 'resume', project, '--json']));
    expect(report).toMatchObject({
      type: 'verify',
      kind: 'resume',
      equal: true,
      steps: 40,
      difference: null,
      epoch_ends: 1,
    });
    const { stopped_at, killed_at, resumed_from } = report;
    expect(resumed_from[0]).toBe(stopped_at);
    expect(resumed_from).toHaveLength(2);
    expect(killed_at).toBeGreaterThan(stopped_at as number);
    expect(readdirSync(scratch)).toEqual([]);
    expect(existsSync(path.join(home, 'runs'))).toBe(false);
  });

  test.each<[string, Record<string, unknown>]>([
    [
      'fp16 with its scale, averages, a plateau',
      {
        precision: 'fp16',
        loss_scale: { init_scale: 2 ** 20, growth_interval: 5 },
        ema: { decay: 0.9 },
        schedule: { kind: 'ReduceLROnPlateau', patience: 0, factor: 0.5 },
        clip_grad_norm: 0.5,
      },
    ],
    [
      'bf16, recomputed activations, early stopping, a warm-up',
      {
        precision: 'bf16',
        activation_checkpointing: true,
        early_stopping: { monitor: 'val_loss', patience: 1 },
        schedule: { kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 7, start_factor: 0.1 } },
        optimizer: { kind: 'SGD', lr: 0.05, momentum: 0.9, nesterov: true },
      },
    ],
  ])('resume, with %s', async (_name, training) => {
    const { home, run } = place();
    const report = only<CheckReport>(
      await run(['verify', 'resume', statefulProject(home, training), '--steps', '80', '--json']),
    );
    expect(report).toMatchObject({ equal: true, steps: 80, epoch_ends: 2 });
    expect(report.tensors).toBeGreaterThan(15);
  });

  test('twin: deterministic settings give the same bits (case 21)', async () => {
    const { home, run } = place();
    const project = statefulProject(home, { deterministic: true });
    const text = await run(['verify', 'twin', project, '--steps', '12']);
    expect([text.code, text.stderr]).toEqual([0, '']);
    expect(text.stdout).toMatch(/Compared \d+ tensors after each of 12 steps/);
    expect(text.stdout).toContain('Equal. Two trainings with these settings are the same bit for bit');
  });
});

test('over the wire: progress while it lasts, the result, an end by the signal', async () => {
  const { home, scratch, environment } = place();
  const service = start(home, ['serve', '--json'], environment);
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await service.ended;
  });
  const connection = await connectEngine(String((await service.until(({ type }) => type === 'serve')).url));
  onTestFinished(() => connection.close());
  const { engine } = connection;
  const made = await engine.projects.create({ template: 'digits-mlp' });
  const work = { file: made.file, text: made.text, task: 'a' };

  const lr = engine.find.lr({ ...work, options: { steps: 60 } });
  let seen = 0;
  let told = 0;
  while (seen >= 0 && told === 0) {
    const { version, progress } = await engine.tasks.progress({ task: 'a', seen });
    told = progress?.lr?.lr.length ?? 0;
    seen = version;
  }
  expect(told).toBeGreaterThan(0);
  const found = await lr;
  expect(found.lr.length).toBeGreaterThanOrEqual(told);
  expect(found.suggestion).toBeGreaterThan(1e-4);
  expect(await engine.tasks.progress({ task: 'a', seen: 10_000 })).toEqual({ version: 0, progress: null });

  const twin = await engine.verify.twin({ ...work, options: { steps: 3 } });
  expect(twin).toMatchObject({ equal: true, steps: 3 });

  const abort = new AbortController();
  const long = engine.find.lr({ ...work, options: { steps: 10_000, max: 1e-6 } }, { signal: abort.signal });
  await expect.poll(() => readdirSync(scratch).length, { timeout: 20_000 }).toBeGreaterThan(0);
  abort.abort();
  await expect(long).rejects.toThrow();
  await expect.poll(() => readdirSync(scratch).filter((name) => name.startsWith('gradloom-find-'))).toEqual([]);
});

/** The template with its data, as a project of the workspace. */
async function digits(home: string, run: (words: string[]) => Promise<Ended>): Promise<string> {
  const { code } = await run(['demo', '--epochs', '1', '--json']);
  expect(code).toBe(0);
  return path.join(home, 'projects', 'digits-mlp.gradloom.json');
}
