/** Weights that a run starts from: a file or another run, what is reported of them, and that the run stands on its own afterwards. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { compareWeights, describeWeights, weightsReportSchema } from '../../engine/contract/weights.ts';
import { placeOf } from '../../engine/runs/folder.ts';
import { exportRun, RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { planRun } from '../../engine/runs/prepare.ts';
import { weightsReport } from '../../engine/runs/starting-weights.ts';
import type { TrainRequest } from '../../engine/runs/types.ts';
import { type Floats, writeFloats } from '../native/floats.ts';
import { temporaryFolder } from './runs-helpers.ts';

const project = (classes: number, more: object = {}, epochs = 1) => ({
  gradloom: 1,
  name: 'small',
  data: {
    source: { kind: 'random', shape: [2, 6, 6], classes, samples: 80, seed: 1 },
    split: { val: 0.1, stratify: false },
    loader: { batch_size: 16 },
  },
  model: {
    layers: [
      { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
      { kind: 'BatchNorm2d' },
      { kind: 'ReLU' },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: classes },
    ],
    ...more,
  },
  training: { epochs },
});

async function train(changes: TrainRequest & { project?: object }, listen = (_: RunEvent, __: RunControl) => {}) {
  const run = path.join(temporaryFolder(), 'run');
  const events: RunEvent[] = [];
  const control = new RunControl();
  const { project: content = project(3), ...request } = changes;
  const end = await trainRun(
    { projectText: JSON.stringify(content), run, ...request },
    (event) => {
      events.push(event);
      listen(event, control);
    },
    control,
  );
  return { run, end, advice: events.filter((event) => event.type === 'advice'), events };
}

const json = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), 'utf8'));
const checkpoint = (run: string, role: 'best' | 'last') =>
  path.join(run, 'checkpoints', json(run, 'checkpoints', 'index.json')[role], 'model.safetensors');

test('names and shapes are compared in the network’s order, and told with counts', () => {
  const planned = planProject(project(3), null).tensors;
  const report = compareWeights(
    [
      { name: '0.weight', shape: [4, 2, 3, 3] },
      { name: '4.weight', shape: [7, 64] },
      { name: 'head.bias', shape: [7] },
      { name: '1.weight', shape: [4] },
    ],
    planned,
  );
  expect(report).toEqual({
    matched: ['0.weight', '1.weight'],
    missing: ['0.bias', '1.bias', '1.running_mean', '1.running_var', '1.num_batches_tracked', '4.bias'],
    unexpected: ['head.bias'],
    mismatched: [{ name: '4.weight', expected: [3, 64], found: [7, 64] }],
  });
  expect(describeWeights(report, 'w.pt')).toBe(
    '2 of 9 tensors were taken from w.pt; 6 not in the file, so freshly initialised: 0.bias, 1.bias, 1.running_mean, 1.running_var, ' +
      '1.num_batches_tracked, 4.bias; 1 of another shape, so freshly initialised: 4.weight [7,64] there, [3,64] here; ' +
      '1 in the file only, so left out: head.bias',
  );
});

describe('fine-tuning of an earlier run', () => {
  let donor: { run: string };
  beforeAll(async () => {
    const kept = path.join(mkdtempSync(path.join(os.tmpdir(), 'gradloom-donor-')), 'run');
    donor = { run: kept };
    await trainRun({ projectText: JSON.stringify(project(3, {}, 3)), run: kept }, () => {}, new RunControl());
    return () => rmSync(path.dirname(kept), { recursive: true, force: true });
  });

  test('with another head: the rest is taken, the head is fresh, and the run says where from', async () => {
    const { run, advice } = await train({ project: project(5), weights: donor.run, checkpoint: 'last' });
    const file = checkpoint(donor.run, 'last');
    expect(advice[0]).toMatchObject({
      code: 'WEIGHTS_LOADED',
      message: expect.stringMatching(
        /^7 of 9 tensors were taken .*2 of another shape.*4\.weight \[3,64\] there, \[5,64\] here/,
      ),
      hint: expect.stringContaining('weights-report.json'),
    });
    const report = weightsReportSchema.parse(json(run, 'weights-report.json'));
    expect(report).toMatchObject({ file, run: donor.run, missing: [], unexpected: [] });
    expect(report.matched).toHaveLength(7);
    expect(report.mismatched.map(({ name }) => name)).toEqual(['4.weight', '4.bias']);
    const place = { file, run: donor.run, checkpoint: path.basename(path.dirname(file)) };
    expect(json(run, 'environment.json').started_from).toEqual(place);
    expect(json(run, 'project.json').model.weights).toBe(file);
    await resumeRun({ run, epochs: 2 }, () => {}, new RunControl());
    expect(json(run, 'environment.json').started_from).toEqual(place);
  });

  test('the run’s best by default; its first state is that, bit for bit', async () => {
    let first: Buffer | undefined;
    const { run } = await train({ weights: donor.run }, (event) => {
      if (event.type !== 'checkpoint' || event.step > 0) return;
      first = readFileSync(path.join(event.folder, 'model.safetensors'));
    });
    const taken = checkpoint(donor.run, 'best');
    expect(json(run, 'environment.json').started_from.file).toBe(taken);
    expect(first?.equals(readFileSync(taken))).toBe(true);
  });

  test('a project may name the run’s folder; the run names the very file, and goes on when both are gone', async () => {
    const base = temporaryFolder();
    const moved = path.join(base, 'earlier');
    cpSync(donor.run, moved, { recursive: true });
    const named = project(3, { weights: 'earlier' }, 3);
    const planned = await planRun({ text: JSON.stringify(named), baseDir: base, label: 'project' }); // as finders take it
    expect(planned.plan.project.model.weights).toBe(checkpoint(moved, 'best'));
    const started = await train(
      { project: named, baseDir: base },
      ({ type }, control) => type === 'steps' && void control.stop(),
    );
    expect(json(started.run, 'project.json').model.weights).toBe(checkpoint(moved, 'best'));
    rmSync(moved, { recursive: true });
    const copy = path.join(base, 'copy');
    cpSync(started.run, copy, { recursive: true });
    const end = await resumeRun({ run: copy }, () => {}, new RunControl());
    expect(end).toMatchObject({ status: 'completed', epoch: 3 });
  });

  test('its first state stays whatever is kept: going back to it needs the file no more', async () => {
    const out = path.join(temporaryFolder(), 'w.safetensors');
    await exportRun(donor.run, { format: 'safetensors', out, checkpoint: 'best' });
    const { run } = await train({ weights: out, project: project(3, {}, 5), set: [['training.checkpoint.keep', 1]] });
    const index = json(run, 'checkpoints', 'index.json');
    expect(index.initial).toBe('step-00000000');
    const weights = (folder: string) => path.join(run, 'checkpoints', folder, 'model.safetensors');
    expect(readFileSync(weights(index.initial)).equals(readFileSync(checkpoint(donor.run, 'best')))).toBe(true);
    rmSync(out);
    rmSync(path.join(run, 'checkpoints', 'index.json')); // the folders tell it again
    for (const { folder, step } of index.checkpoints) if (step > 0) writeFileSync(weights(folder), 'spoilt');
    const events: RunEvent[] = [];
    const end = await resumeRun({ run, epochs: 2 }, (event) => events.push(event), new RunControl());
    expect(end).toMatchObject({ status: 'completed', epoch: 2 });
    expect(events.find(({ type }) => type === 'resume')).toMatchObject({ from_step: 0 });
    expect(json(run, 'checkpoints', 'index.json').initial).toBe('step-00000000');
  });

  test('an exported file is one of the run no more', async () => {
    const out = path.join(temporaryFolder(), 'w.pt');
    await exportRun(donor.run, { format: 'pt', out, checkpoint: 'best' });
    const { run } = await train({ weights: out });
    expect(json(run, 'environment.json').started_from).toEqual({ file: out, run: null, checkpoint: null });
  });
});

describe('before the run', () => {
  const floats = (name: string, shape: number[]): Floats => ({
    name,
    shape,
    values: new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.5),
  });
  const refused = async (request: TrainRequest, code: string) => {
    const run = path.join(temporaryFolder(), 'run');
    const started = trainRun({ projectText: JSON.stringify(project(3)), run, ...request }, () => {}, new RunControl());
    await expect(started).rejects.toMatchObject({ code, hint: expect.any(String) });
    expect(existsSync(run)).toBe(false);
  };

  test('wrappers’ prefixes are taken off, and headers say what would be taken', async () => {
    const file = path.join(temporaryFolder(), 'w.safetensors');
    await writeFloats(file, [
      floats('module._orig_mod.0.weight', [4, 2, 3, 3]),
      floats('module._orig_mod.4.weight', [3, 64]),
    ]);
    const plan = planProject(project(3), null);
    expect(await weightsReport(plan, placeOf(file))).toMatchObject({
      file,
      run: null,
      matched: ['0.weight', '4.weight'],
    });
    const { advice } = await train({ weights: file });
    expect(advice[0]?.message).toMatch(/^2 of 9 tensors/);
  });

  test('names of another program are those of the network by model.weights_names; a run’s own are as they are', async () => {
    const file = path.join(temporaryFolder(), 'w.safetensors');
    await writeFloats(file, [floats('conv.weight', [4, 2, 3, 3]), floats('head.fc.weight', [3, 64])]);
    const renamed = project(3, { weights_names: { conv: '0', 'head.*': '4', '0': '4' } });
    const { advice, run } = await train({ project: renamed, weights: file });
    expect(advice[0]?.message).toMatch(/^2 of 9 tensors were taken/);
    expect(json(run, 'weights-report.json').matched).toEqual(['0.weight', '4.weight']);
    expect((await train({ project: renamed, weights: run })).advice[0]?.message).toMatch(/^All 9 tensors were taken/);
    const twice = { projectText: JSON.stringify(project(3, { weights_names: { '*.*': '0' } })), weights: file };
    await refused(twice, 'WEIGHTS_MISMATCH');
  });

  test('a file of which nothing fits is refused, and so is what is no file and no run', async () => {
    const file = path.join(temporaryFolder(), 'w.safetensors');
    await writeFloats(file, [floats('conv1.weight', [4, 2, 3, 3])]);
    await refused({ weights: file }, 'WEIGHTS_MISMATCH');
    await writeFloats(file, [floats('0.weight', [1]), floats('1.running_mean', [4])]);
    await refused({ weights: file }, 'WEIGHTS_MISMATCH');
    await refused({ weights: 'no-such-run' }, 'FILE_NOT_FOUND');
    await refused({ weights: temporaryFolder() }, 'FILE_NOT_FOUND');
    await refused({ weights: file, checkpoint: 'best' }, 'BAD_CALL');
    await refused({ checkpoint: 'best' }, 'BAD_CALL');
  });
});
