/** The training loop on the real engine: what it tells, what it saves, what it refuses; and that no number depends on where chunks are cut. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { ChunkSize } from '../../engine/runs/chunks.ts';
import { evaluateRun, predictRun, RunControl, readJournal, resumeRun, trainRun } from '../../engine/runs/index.ts';
import type { Prediction } from '../../engine/runs/types.ts';
import { effectiveSeries } from './effective-series.ts';
import { temporaryFolder } from './runs-helpers.ts';

type Changes = {
  data?: Record<string, unknown>;
  training?: Record<string, unknown>;
  layers?: unknown[];
  model?: object;
};

function projectText({ data, training, layers, model }: Changes = {}): string {
  return JSON.stringify({
    gradloom: 1,
    name: 'small',
    data: {
      source: { kind: 'random', shape: [6], classes: 3, samples: 110, seed: 1 },
      split: { val: 0.1, stratify: false },
      loader: { batch_size: 8 },
      ...data,
    },
    model: {
      layers: layers ?? [
        { kind: 'Linear', out_features: 8 },
        { kind: 'ReLU' },
        { kind: 'Dropout', p: 0.2 },
        { kind: 'Linear', out_features: 3 },
      ],
      ...model,
    },
    training: { epochs: 2, ...training },
  });
}

async function trained(changes: Changes = {}, listen: (event: RunEvent, control: RunControl) => void = () => {}) {
  const run = path.join(temporaryFolder(), 'run');
  const events: RunEvent[] = [];
  const control = new RunControl();
  const end = await trainRun(
    { projectText: projectText(changes), run },
    (event) => {
      events.push(event);
      listen(event, control);
    },
    control,
  );
  return {
    run,
    events,
    end,
    of: <T extends RunEvent['type']>(type: T) =>
      events.filter((e) => e.type === type) as Extract<RunEvent, { type: T }>[],
  };
}

function weights(run: string): string {
  const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
  const hash = createHash('sha256');
  for (const name of ['model', 'optimizer', 'rng']) {
    hash.update(readFileSync(path.join(run, 'checkpoints', last, `${name}.safetensors`)));
  }
  return hash.digest('hex');
}

async function numbers(run: string) {
  const { steps, epochs } = effectiveSeries(await readJournal(run));
  return {
    steps,
    epochs: epochs.map(({ train_loss, val_loss, step }) => ({ train_loss, val_loss, step })),
    weights: weights(run),
  };
}

describe('a run', () => {
  test('tells and writes the same: start, steps, epochs with their checkpoints, end', async () => {
    const { run, events, end, of } = await trained();
    expect(await readJournal(run)).toEqual(events);
    expect(events[0]).toMatchObject({
      type: 'start',
      run,
      epochs: 2,
      steps_per_epoch: 13,
      train_samples: 99,
      val_samples: 11,
    });
    const order = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
    expect(order).toEqual(['start', ...Array(2).fill(['steps', 'epoch', 'checkpoint']).flat(), 'end']);
    expect(end).toMatchObject({ type: 'end', status: 'completed', run, epoch: 2, step: of('epoch')[1]?.step });
    for (const { breakdown, data_wait } of of('epoch')) {
      expect(data_wait).toBe(breakdown.data);
      expect(data_wait).toBeGreaterThan(0);
    }
    expect(readdirSync(run).sort()).toEqual([
      'checkpoints',
      'data.json',
      'environment.json',
      'lock',
      'log.txt',
      'metrics.jsonl',
      'project.json',
      'split',
      'summary.json',
    ]);
  });

  test('keeps a log for people: each line with its time, each happening once and in order', async () => {
    const { run, end, of } = await trained({}, (event, control) => {
      if (event.type === 'steps' && event.epoch === 1) void control.stop();
    });
    expect(end.status).toBe('stopped');
    await resumeRun({ run, epochs: 3 }, () => {}, new RunControl());
    const lines = readFileSync(path.join(run, 'log.txt'), 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z {2}\S/);
    expect(lines[0]).toContain(of('start')[0]?.time);
    const kinds = [
      'Training small on cpu',
      'Saved step-',
      'Stopped',
      'Goes on from step',
      'epoch ',
      'Done after 3 epochs',
    ];
    const found = lines.flatMap((line) => kinds.find((kind) => line.slice(26).startsWith(kind)) ?? []);
    expect(found).toEqual([
      ...['Training small on cpu', 'Saved step-', 'Stopped'],
      ...['Training small on cpu', 'Goes on from step', ...Array(3).fill(['epoch ', 'Saved step-']).flat()],
      'Done after 3 epochs',
    ]);
  });

  test('does not need its log', async () => {
    const { run, end, events } = await trained({}, (event) => {
      if (event.type !== 'start') return;
      const log = path.join(event.run, 'log.txt');
      rmSync(log);
      mkdirSync(log); // nothing can be appended to a folder
    });
    expect(end.status).toBe('completed');
    expect(await readJournal(run)).toEqual(events);
  });

  test('counts an epoch’s loss and accuracy by samples, in step order', async () => {
    const { run, of } = await trained();
    const { steps } = effectiveSeries(await readJournal(run));
    for (const { epoch, train_loss, train_accuracy, step } of of('epoch')) {
      const mine = (steps.step as number[]).flatMap((_, i) => (steps.epoch?.[i] === epoch ? [i] : []));
      const samples = mine.map((_, i) => (i < mine.length - 1 ? 8 : 110 - 11 - 8 * (mine.length - 1)));
      const mean = (values: number[]) =>
        mine.reduce((sum, i, at) => sum + (values[i] as number) * (samples[at] as number), 0) / 99;
      expect(train_loss).toBe(mean(steps.train_loss as number[]));
      expect(train_accuracy).toBeCloseTo(mean(steps.train_accuracy as number[]), 12);
      expect(step).toBe(epoch * mine.length);
    }
  });

  test.each([1, 3, 1000])('gives the same numbers and bytes in chunks of %i', async (size) => {
    const training = { accumulate: 3, clip_grad_norm: 1 };
    const expected = await trained({ training });
    const spy = vi.spyOn(ChunkSize.prototype, 'next').mockImplementation((left) => Math.min(left, size));
    const { run } = await trained({ training }).finally(() => spy.mockRestore());
    const { steps: first, ...others } = await numbers(run);
    const { steps: second, ...otherwise } = await numbers(expected.run);
    expect(others).toEqual(otherwise);
    expect(first).toEqual(second);
  });

  test('without validation monitors the training loss', async () => {
    const { of, run } = await trained({ data: { split: { val: 0 } } });
    expect(of('epoch')[0]).not.toHaveProperty('val_loss');
    const summary = JSON.parse(readFileSync(path.join(run, 'summary.json'), 'utf8'));
    expect(summary.best.monitor).toBe('train_loss');
  });

  test('by accuracy calls the largest the best', async () => {
    const { of, run } = await trained({ training: { epochs: 6, checkpoint: { monitor: 'val_accuracy' } } });
    const accuracies = of('epoch').map(({ val_accuracy }) => val_accuracy as number);
    const { best } = JSON.parse(readFileSync(path.join(run, 'summary.json'), 'utf8'));
    expect(best.value).toBe(Math.max(...accuracies));
    expect(best.epoch).toBe(accuracies.indexOf(best.value) + 1);
    expect((await evaluateRun(run)).metrics.accuracy).toBe(best.value);
  });

  test('saves only when it is told to, at its best, and at its end', async () => {
    const { of } = await trained({
      training: { epochs: 5, optimizer: { kind: 'SGD', lr: 1e-30 }, checkpoint: { every_epochs: 3 } },
    });
    expect(of('checkpoint').map(({ epoch, roles }) => [epoch, roles])).toEqual([
      [1, ['last', 'best']],
      [3, ['last']],
      [5, ['last']],
    ]);
  });

  test('with vector targets has no accuracy and no classes', async () => {
    const { of, run } = await trained({
      data: { source: { kind: 'random', shape: [6], classes: null, target_shape: [2], samples: 60, seed: 1 } },
      layers: [{ kind: 'Linear', out_features: 2 }],
      training: { loss: { kind: 'MSELoss' } },
    });
    expect(of('epoch')[0]).not.toHaveProperty('train_accuracy');
    const measured = await evaluateRun(run);
    expect(measured).toMatchObject({ metrics: {}, loss: of('epoch').find(({ epoch }) => epoch === 2)?.val_loss });
    expect(measured).not.toHaveProperty('confusion');
  });
});

describe('wishes', () => {
  test('are obeyed at the next step, and resuming gives the straight run', async () => {
    const straight = await trained({ training: { epochs: 3 } });
    let asked = 0;
    const wishes = ['stop', 'park'] as const;
    const { end, run } = await trained({ training: { epochs: 3 } }, ({ type }, control) => {
      if (type === 'steps' && asked === 0) void control[wishes[asked++] as 'stop']();
    });
    expect(end.status).toBe('stopped');
    const control = new RunControl();
    const parked = await resumeRun(
      { run },
      ({ type }) => {
        if (type === 'epoch' && asked === 1) void control[wishes[asked++] as 'park']();
      },
      control,
    );
    expect(parked.status).toBe('parked');
    expect((await resumeRun({ run }, () => {}, new RunControl())).status).toBe('completed');
    expect(await numbers(run)).toEqual(await numbers(straight.run));
  });

  test('before the first step: nothing is trained, and resuming starts at the beginning', async () => {
    const run = path.join(temporaryFolder(), 'run');
    const control = new RunControl();
    const started = trainRun(
      { projectText: projectText(), run },
      ({ type }) => type === 'start' && void control.park(),
      control,
    );
    expect(await started).toMatchObject({ status: 'parked', step: 0 });
    expect((await resumeRun({ run }, () => {}, new RunControl())).status).toBe('completed');
    expect(await numbers(run)).toEqual(await numbers((await trained()).run));
  });

  test('discard leaves no folder', async () => {
    const { run } = await trained({}, ({ type }, control) => type === 'epoch' && void control.discard());
    expect(existsSync(run)).toBe(false);
  });

  test.each([
    ['between the last step and the evaluation', (ask: () => void) => ask()],
    ['during the evaluation', (ask: () => void) => void setTimeout(ask, 1)],
  ])('to stop %s are obeyed before it ends; resumed, it is made up for', async (_when, at) => {
    const source = { kind: 'random', shape: [6], classes: 3, samples: 20_104, seed: 1 };
    const data = { source, split: { val: 20_000 / 20_104, stratify: false } };
    const straight = await trained({ data });
    const { end, of, run } = await trained({ data }, (event, control) => {
      if (event.type === 'steps' && event.step.includes(13)) at(() => void control.stop());
    });
    expect([end, of('epoch')]).toMatchObject([{ status: 'stopped', epoch: 1, step: 13 }, []]);
    await resumeRun({ run }, () => {}, new RunControl());
    expect(await numbers(run)).toEqual(await numbers(straight.run));
  });
});

describe('a run that cannot be', () => {
  const refused = async (changes: Changes, code: string) => {
    const base = temporaryFolder();
    const started = trainRun(
      { projectText: projectText(changes), run: path.join(base, 'a', 'run') },
      () => {},
      new RunControl(),
    );
    await expect(started).rejects.toMatchObject({ code });
    expect(readdirSync(base)).toEqual([]);
  };

  test('leaves nothing behind', async () => {
    await refused({ layers: [{ kind: 'Liner', out_features: 3 }] }, 'PROJECT_INVALID');
    await refused({ layers: [{ kind: 'Linear', out_features: 2 }] }, 'PROJECT_INVALID'); // a label beyond the outputs
    await refused({ training: { device: 'cuda:99' } }, 'DEVICE_UNAVAILABLE');
    await refused({ training: { device: 'abacus' } }, 'DEVICE_UNKNOWN');
    await refused({ data: { source: { kind: 'idx', path: 'nowhere' } } }, 'DATA_MISSING');
    await refused({ model: { weights: 'nowhere.safetensors' } }, 'FILE_NOT_FOUND');
    await refused({ data: { loader: { batch_size: 1000, drop_last: true } } }, 'PROJECT_INVALID');
  });

  test('names every problem', async () => {
    const text = projectText({ layers: [{ kind: 'Linear', out_features: 0 }, { kind: 'Convv2d' }] });
    const started = trainRun(
      { projectText: text, run: path.join(temporaryFolder(), 'run') },
      () => {},
      new RunControl(),
    );
    await expect(started).rejects.toThrow(/model\.layers\.0.*\n.*model\.layers\.1/s);
  });
});

test('a step that is not finite ends the run: where, and with the last good state saved', async () => {
  const { end, of, run } = await trained({ training: { optimizer: { kind: 'SGD', lr: 1e30 }, epochs: 3 } });
  expect(end.status).toBe('failed');
  const [error] = of('error');
  expect(error).toMatchObject({ code: 'NON_FINITE', hint: expect.stringContaining('learning rate') });
  expect(error?.message).toMatch(/in step \d+ \(epoch 1, batch \d+ of 13\)/);
  expect(of('checkpoint').at(-1)?.step).toBe(end.step);
  const { steps } = effectiveSeries(await readJournal(run));
  expect((steps.train_loss as number[]).every(Number.isFinite)).toBe(true);
  const again = await resumeRun({ run }, () => {}, new RunControl());
  expect(again).toMatchObject({ status: 'failed', step: end.step });
});

describe('initial weights', () => {
  const donor = async () => {
    const { run } = await trained();
    const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
    return path.join(run, 'checkpoints', last, 'model.safetensors');
  };

  test('from a file are taken by name, told, and saved before the first step', async () => {
    const file = await donor();
    const layers = [
      { kind: 'Linear', out_features: 8 },
      { kind: 'ReLU' },
      { kind: 'Linear', out_features: 3 }, // 2.weight: the file has 3.weight
    ];
    const { of } = await trained({ layers, model: { weights: file } });
    const [advice] = of('advice');
    expect(advice).toMatchObject({
      code: 'WEIGHTS_LOADED',
      message: expect.stringMatching(/^2 of 4 tensors .*2\.weight.*3\.weight/),
    });
    expect(of('checkpoint')[0]).toMatchObject({ step: 0, epoch: 0 });
  });

  test('are those of the run for good, whatever becomes of the file', async () => {
    const file = await donor();
    const straight = await trained({ model: { weights: file } });
    const { run } = await trained(
      { model: { weights: file } },
      ({ type }, control) => type === 'steps' && void control.stop(),
    );
    rmSync(file);
    await resumeRun({ run }, () => {}, new RunControl());
    expect(await numbers(run)).toEqual(await numbers(straight.run));
  });

  test('of another shape are refused', async () => {
    const file = await donor();
    const run = path.join(temporaryFolder(), 'run');
    const text = projectText({ layers: [{ kind: 'Linear', out_features: 3 }], model: { weights: file } });
    await expect(trainRun({ projectText: text, run }, () => {}, new RunControl())).rejects.toMatchObject({
      code: 'WEIGHTS_MISMATCH',
    });
    expect(existsSync(run)).toBe(false);
  });
});

test('evaluating and predicting agree with each other and with the journal', async () => {
  const { run, of } = await trained();
  const measured = await evaluateRun(run, { checkpoint: 'last' });
  expect(measured).toMatchObject({ split: 'val', checkpoint: 'last', samples: 11, loss: of('epoch')[1]?.val_loss });
  const confusion = measured.confusion as number[][];
  expect(confusion.flat().reduce((a, b) => a + b, 0)).toBe(11);
  expect(confusion.reduce((sum, row, i) => sum + (row[i] as number), 0) / 11).toBeCloseTo(
    measured.metrics.accuracy as number,
    12,
  );
  const rows: Prediction[] = [];
  await predictRun(run, { split: 'val', checkpoint: 'last', start: 2, count: 5 }, (row) => void rows.push(row));
  expect(rows.map(({ index }) => index)).toEqual([2, 3, 4, 5, 6]);
  for (const { class: answer, probabilities, logits } of rows) {
    expect(logits).toHaveLength(3);
    expect((probabilities as number[]).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
    expect(answer).toBe((probabilities as number[]).indexOf(Math.max(...(probabilities as number[]))));
  }
  await expect(evaluateRun(run, { split: 'test' })).rejects.toMatchObject({ code: 'BAD_CALL' });
  await expect(evaluateRun(run, { checkpoint: 7 })).rejects.toMatchObject({ code: 'CHECKPOINT_MISSING' });
});
