/** The check that two trainings are one: what it compares, and that it names the first step and tensor of a difference. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import { RunControl } from '../../engine/runs/index.ts';
import type { EndEvent } from '../../engine/runs/types.ts';
import { checkProject, drawBreaks } from '../../engine/verify/check.ts';
import { compareRuns, firstTensor } from '../../engine/verify/compare.ts';
import type { Life } from '../../engine/verify/life.ts';
import { readTrace, traceLife } from '../../engine/verify/trace.ts';
import { temporaryFolder } from './runs-helpers.ts';

function project(training: Record<string, unknown> = {}): string {
  const file = path.join(temporaryFolder(), 'small.gradloom.json');
  const text = {
    gradloom: 1,
    name: 'small',
    data: {
      source: { kind: 'random', shape: [6], classes: 3, samples: 80, seed: 1 },
      split: { val: 0.25, stratify: false },
      loader: { batch_size: 10, num_workers: 0 },
    },
    model: {
      layers: [
        { kind: 'Linear', out_features: 8 },
        { kind: 'Dropout', p: 0.2 },
        { kind: 'Linear', out_features: 3 },
      ],
    },
    training: { epochs: 3, device: 'cpu', optimizer: { kind: 'Adam', lr: 0.01 }, ...training },
  };
  writeFileSync(file, JSON.stringify(text));
  return file;
}

/** Lives in this process, where a kill cannot be; the command line's journey kills. */
async function lived(file: string, life: Partial<Life> & Pick<Life, 'run' | 'trace'>, set: [string, unknown][] = []) {
  const whole = { resume: false, stop: 18, kill: null, chunk: 1, ...life };
  return traceLife({ projectFile: file, set }, whole, () => {}, new RunControl());
}

const place = (folder: string, name: string) => ({
  run: path.join(folder, name),
  trace: path.join(folder, `${name}.trace`),
});

test('a trace has every tensor of model, optimizer and generators after every step', async () => {
  const folder = temporaryFolder();
  const one = place(folder, 'one');
  const end = await lived(project(), { ...one, stop: 7 });
  expect(end).toMatchObject({ status: 'stopped', step: 7 });
  const lines = readTrace(one.trace);
  expect(lines.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const names = Object.keys(lines[0]?.tensors ?? {});
  for (const name of ['model.safetensors/0.weight', 'optimizer.safetensors/2.bias.exp_avg', 'rng.safetensors/cpu']) {
    expect(names).toContain(name);
  }
});

test('other chunks, a stop in mid-epoch and a resume: equal', async () => {
  const folder = temporaryFolder();
  const [one, two] = [place(folder, 'one'), place(folder, 'two')];
  const file = project();
  await lived(file, one);
  await lived(file, { ...two, stop: 8, chunk: 5 });
  await lived(file, { ...two, resume: true, chunk: 5 });
  expect(await compareRuns(one, two)).toMatchObject({ difference: null, steps: 18, epochEnds: 2 });
});

describe('a difference', () => {
  test('of a setting between two lives is found at the first step after it, in the first tensor', async () => {
    const folder = temporaryFolder();
    const [one, two] = [place(folder, 'one'), place(folder, 'two')];
    const file = project();
    await lived(file, one);
    await lived(file, { ...two, stop: 8 });
    const kept = path.join(two.run, 'project.json');
    writeFileSync(kept, readFileSync(kept, 'utf8').replace('"lr":0.01', '"lr":0.02'));
    await lived(file, { ...two, resume: true });
    const { difference } = await compareRuns(one, two);
    expect(difference).toMatchObject({ step: 9, what: 'tensor', where: 'model.safetensors', tensor: '0.bias' });
    expect(difference?.message).toMatch(
      /^After step 9 the tensor 0\.bias \(model\.safetensors\) is not the same, nor are \d+ others$/,
    );
  });

  test('of the seed is there from the first step on', async () => {
    const folder = temporaryFolder();
    const [one, two] = [place(folder, 'one'), place(folder, 'two')];
    await lived(project(), { ...one, stop: 3 });
    await lived(project({ seed: 7 }), { ...two, stop: 3 });
    expect((await compareRuns(one, two)).difference).toMatchObject({ step: 1, what: 'tensor' });
  });

  test('in a step that was done twice counts too, and tensors that only one has', () => {
    const line = (step: number, tensors: Record<string, string>) => ({ step, tensors });
    const expected = [line(1, { 'model.safetensors/0.weight': 'a' }), line(2, { 'model.safetensors/0.weight': 'b' })];
    expect(firstTensor(expected, expected)).toBeNull();
    const twice = [
      ...expected,
      line(1, { 'model.safetensors/0.weight': 'x' }),
      expected[1] as (typeof expected)[number],
    ];
    expect(firstTensor(expected, twice)).toMatchObject({ step: 1, tensor: '0.weight' });
    const more = [line(1, { 'model.safetensors/0.weight': 'a', 'ema.safetensors/0.weight': 'a' })];
    expect(firstTensor(expected, more)).toMatchObject({ step: 1, where: 'ema.safetensors' });
  });
});

test('breaks lie within the steps, the kill after the stop', () => {
  for (const steps of [2, 3, 4, 10, 1000]) {
    for (const random of [0, 0.3, 0.7, 0.999]) {
      const { stop, kill } = drawBreaks(steps, () => random);
      expect(stop).toBeGreaterThanOrEqual(1);
      expect(kill).toBeGreaterThanOrEqual(stop);
      expect(Math.max(stop, kill)).toBeLessThan(steps);
      if (steps > 2) expect(kill).toBeGreaterThan(stop);
    }
  }
});

describe('a check', () => {
  const here = (file: string) => ({
    live: (_request: unknown, life: Life): Promise<EndEvent> =>
      lived(file, { ...life, stop: life.kill ?? life.stop, kill: null }).then((end) => {
        if (life.kill !== null) throw new GradloomError('WORKER_DIED', 'killed');
        return end;
      }),
    onProgress: () => {},
    random: () => 0.4,
  });

  test('of a twin (case 21): all settings, all steps, and what it means', async () => {
    const file = project({ deterministic: true });
    const report = await checkProject('twin', { projectFile: file }, { steps: 9 }, temporaryFolder(), here(file));
    expect(report).toMatchObject({
      kind: 'twin',
      equal: true,
      steps: 9,
      epoch_ends: 1,
      deterministic: true,
      device: 'cpu',
    });
    expect(report.tensors).toBeGreaterThan(12);
    expect(report.message).toContain('the same bit for bit, over 9 steps');
  });

  test('that trains less than it was asked for says how much', async () => {
    const file = project({ epochs: 1 });
    const report = await checkProject('twin', { projectFile: file }, { steps: 500 }, temporaryFolder(), here(file));
    expect(report).toMatchObject({ equal: true, steps: 6 });
  });

  test('of a training that fails throws why it failed', async () => {
    const file = project({ optimizer: { kind: 'SGD', lr: 1e30 } });
    await expect(checkProject('twin', { projectFile: file }, {}, temporaryFolder(), here(file))).rejects.toMatchObject({
      code: 'NON_FINITE',
    });
  });
});
