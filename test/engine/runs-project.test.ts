/** A run whose folder somebody has changed between two lives: what is said, what is refused, and what does not matter. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { editProject } from '../../engine/contract/project.ts';
import { evaluateRun, exportRun, predictRun, RunControl, resumeRun, trainRun } from '../../engine/runs/index.ts';
import { temporaryFolder } from './runs-helpers.ts';

const projectText = JSON.stringify({
  gradloom: 1,
  name: 'small',
  data: {
    source: { kind: 'random', shape: [6], classes: 3, samples: 110, seed: 1 },
    split: { val: 0.1, stratify: false },
    loader: { batch_size: 8 },
  },
  model: { layers: [{ kind: 'Linear', out_features: 8 }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 3 }] },
  training: { epochs: 3, optimizer: { kind: 'Adam', lr: 0.001 } },
});

/** A run that was stopped after an epoch's end, or in its middle. */
async function stopped(at: 'epoch' | 'steps', text = projectText): Promise<string> {
  const run = path.join(temporaryFolder(), 'run');
  const control = new RunControl();
  const sink = ({ type }: RunEvent) => type === at && void control.stop();
  expect((await trainRun({ projectText: text, run }, sink, control)).status).toBe('stopped');
  return run;
}

function edit(run: string, key: string, value: unknown): void {
  const file = path.join(run, 'project.json');
  const place = key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  writeFileSync(file, editProject(readFileSync(file, 'utf8'), [{ op: 'set', path: place, value }]));
}

async function resumed(run: string, more: { epochs?: number; edits?: Edit[] } = {}) {
  const events: RunEvent[] = [];
  const end = await resumeRun({ run, ...more }, (event) => events.push(event), new RunControl());
  expect(end.status).toBe('completed');
  return { events, advice: events.filter((event) => event.type === 'advice') };
}

describe('a project edited between two lives', () => {
  test('unchanged, or extended by --epochs, there is nothing to tell', async () => {
    const run = await stopped('epoch');
    expect((await resumed(run)).advice).toEqual([]);
    expect((await resumed(run, { epochs: 4 })).advice).toEqual([]);
  });

  test('the new settings are told by name, once', async () => {
    const run = await stopped('epoch');
    edit(run, 'training.optimizer.lr', 0.5);
    edit(run, 'model.layers.1.note', 'a note changes nothing');
    edit(run, 'data.loader.batch_size', 16); // between epochs
    edit(run, 'training.device', 'cuda:7');
    const { advice, events } = await resumed(run);
    expect(advice).toMatchObject([
      {
        code: 'PROJECT_CHANGED',
        message: expect.stringMatching(/data\.loader\.batch_size.*training\.optimizer\.lr \(\S+ → 0\.5\)$/),
      },
      { code: 'PROJECT_CHANGED', hint: expect.stringContaining('when you resume') },
    ]);
    expect(events.find(({ type }) => type === 'epoch')).toMatchObject({ lr: 0.5 });
    edit(run, 'training.epochs', 4);
    expect((await resumed(run)).advice).toMatchObject([
      { message: expect.stringMatching(/new training\.epochs \(\d+ → 4\)$/) },
    ]);
  });

  const setting = (key: string, value: unknown): Edit => ({ op: 'set', path: key.split('.'), value });

  test('what a resume itself asks for is told as such: the rate by a change, with what it was', async () => {
    const run = await stopped('epoch');
    const { advice, events } = await resumed(run, {
      edits: [setting('training.optimizer.lr', 0.5), setting('training.clip_grad_norm', 1)],
    });
    expect(events.filter(({ type }) => type === 'change')).toMatchObject([{ lr: 0.5, lr_before: 0.001 }]);
    expect(advice).toMatchObject([
      { message: 'As asked, from here on it trains with the new training.clip_grad_norm (null → 1)' },
    ]);
  });

  test("asking for the optimizer's rate where the schedule has its own peak says that nothing comes of it", async () => {
    const run = await stopped('epoch');
    const { advice } = await resumed(run, {
      edits: [
        setting('training.schedule', { kind: 'OneCycleLR', max_lr: 0.01 }),
        setting('training.optimizer.lr', 0.5),
      ],
    });
    expect(advice.at(-1)).toMatchObject({
      message: 'The schedule climbs to its own max_lr (0.01), whatever training.optimizer.lr is',
      hint: expect.stringContaining('training.schedule.max_lr'),
    });
  });

  test('rates edited together with the last epoch are planned for that one', async () => {
    const run = await stopped('epoch');
    const schedule = setting('training.schedule', { kind: 'OneCycleLR', max_lr: 0.01 });
    await resumed(run, { edits: [schedule] });
    const { events } = await resumed(run, { epochs: 6, edits: [setting('training.schedule.max_lr', 0.1)] });
    const [change] = events.filter((event) => event.type === 'change');
    expect(change).toMatchObject({ epochs: 6 });
    expect(change?.lr).toBeGreaterThan(0.05); // in mid-cycle, not at its end
  });

  test('a setting for a run with nothing left to train is refused, and changes nothing', async () => {
    const run = await stopped('epoch');
    await resumed(run);
    const before = readFileSync(path.join(run, 'project.json'));
    await expect(resumed(run, { edits: [setting('training.optimizer.lr', 0.5)] })).rejects.toMatchObject({
      code: 'BAD_CALL',
      message: 'run has nothing left to train, so training.optimizer.lr has no effect',
    });
    expect(readFileSync(path.join(run, 'project.json'))).toEqual(before);
    await resumed(run, { epochs: 4, edits: [setting('training.optimizer.lr', 0.5)] });
  });

  test('what is asked for and cannot be is refused by its own name, not as a change of the file', async () => {
    const run = await stopped('epoch');
    await expect(resumed(run, { edits: [setting('training.optimizer.kind', 'SGD')] })).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: "The run's checkpoint cannot be gone on with another training.optimizer.kind, which was asked for",
      hint: expect.stringContaining('Resume without it'),
    });
  });

  test.each<['epoch' | 'steps', string, unknown]>([
    ['epoch', 'model.layers.0.out_features', 9],
    ['epoch', 'model.layers.1.kind', 'Tanh'], // the checkpoint would load
    ['epoch', 'training.optimizer.kind', 'SGD'],
    ['steps', 'data.loader.batch_size', 16],
    ['steps', 'training.seed', 7],
    ['steps', 'training.metrics', []],
  ])('stopped at %s, another %s is refused and leaves the run as it was', async (at, key, value) => {
    const run = await stopped(at);
    const before = readFileSync(path.join(run, 'project.json'));
    edit(run, key, value);
    await expect(resumed(run)).rejects.toMatchObject({
      code: 'PROJECT_INVALID',
      message: expect.stringContaining(path.join(run, 'project.json')),
      path: expect.stringContaining(key),
    });
    writeFileSync(path.join(run, 'project.json'), before);
    expect((await resumed(run)).advice).toEqual([]);
  });

  const drawn = (loader: object) => {
    const project = JSON.parse(projectText);
    Object.assign(project.data.loader, loader);
    return project;
  };
  const weighted = { sampler: 'weighted', class_weights: [1, 1, 2] };
  const tokens = (loader: object) => ({
    ...drawn(loader),
    data: {
      ...drawn(loader).data,
      source: { kind: 'random', shape: [12], tokens: 9, classes: 3, samples: 110, seed: 1 },
    },
    model: {
      layers: [
        { kind: 'Embedding', num_embeddings: 9, embedding_dim: 4, padding_idx: 0, mask_padding: true },
        { kind: 'MeanOverSequence' },
        { kind: 'Linear', out_features: 3 },
      ],
    },
  });

  test.each<[string, unknown, object, object]>([
    ['sampler', 'balanced', drawn({}), { sampler: 'shuffle', class_weights: null, cut: null }],
    ['class_weights', [1, 3, 2], drawn(weighted), { ...weighted, cut: null }],
    ['bucket_by_length', true, tokens({}), { cut: null }],
    ['bucket_by_length', false, tokens({ bucket_by_length: true }), { cut: { padding: 0, shortest: 1 } }],
  ])(
    'another %s (%j) draws other batches: refused in mid-epoch, told between epochs',
    async (key, value, project, kept) => {
      const place = `data.loader.${key}`;
      const state = (run: string) => {
        const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
        return JSON.parse(readFileSync(path.join(run, 'checkpoints', last, 'state.json'), 'utf8'));
      };
      const inEpoch = await stopped('steps', JSON.stringify(project));
      expect(state(inEpoch).batch).toBeGreaterThan(0);
      expect(state(inEpoch).loader).toMatchObject(kept);
      edit(inEpoch, place, value);
      await expect(resumed(inEpoch)).rejects.toMatchObject({
        code: 'PROJECT_INVALID',
        path: expect.stringContaining(place),
      });
      const between = await stopped('epoch', JSON.stringify(project));
      const before = state(between).loader;
      edit(between, place, value);
      expect((await resumed(between)).advice).toMatchObject([{ message: expect.stringContaining(place) }]);
      expect(state(between).loader).not.toEqual(before);
    },
  );

  test('another monitored quantity starts without a best', async () => {
    const run = await stopped('epoch');
    edit(run, 'training.checkpoint.monitor', 'val_accuracy');
    const { events } = await resumed(run);
    const [first] = events.filter((event) => event.type === 'checkpoint');
    expect(first).toMatchObject({ epoch: 2, roles: ['last', 'best'] });
  });
});

test.each(['{ "gradloom": 1, ', '[]'])('a damaged project.json (%s) is said alike by every reader', async (text) => {
  const run = await stopped('epoch');
  const file = path.join(run, 'project.json');
  writeFileSync(file, text);
  const damaged = { code: 'RUN_DAMAGED', path: file };
  await expect(resumed(run)).rejects.toMatchObject(damaged);
  await expect(evaluateRun(run)).rejects.toMatchObject(damaged);
  await expect(predictRun(run, {}, () => {})).rejects.toMatchObject(damaged);
  await expect(exportRun(run, { format: 'pt' })).rejects.toMatchObject(damaged);
});

test('checkpoints that are gone: that it starts again is told, not only done', async () => {
  const run = await stopped('epoch');
  rmSync(path.join(run, 'checkpoints'), { recursive: true });
  const { advice, events } = await resumed(run);
  expect(events.find(({ type }) => type === 'resume')).toMatchObject({
    from_step: 0,
    note: expect.stringMatching(/checkpoints are gone .* after 1 epoch: started from the initial state/),
  });
  expect(advice).toMatchObject([{ code: 'CHECKPOINT_MISSING', message: expect.stringContaining('after 1 epoch') }]);
});

test.each(['optimizer', 'rng'])('evaluating and exporting need no %s', async (name) => {
  const run = await stopped('epoch');
  const { last } = JSON.parse(readFileSync(path.join(run, 'checkpoints', 'index.json'), 'utf8'));
  const measured = await evaluateRun(run, { checkpoint: 'last' });
  writeFileSync(path.join(run, 'checkpoints', last, `${name}.safetensors`), 'damaged');
  expect(await evaluateRun(run, { checkpoint: 'last' })).toEqual(measured);
  expect(await exportRun(run, { format: 'safetensors', checkpoint: 'last' })).toMatchObject({ checkpoint: 'last' });
});

test('an export that is cancelled leaves what stood there', async () => {
  const run = await stopped('epoch');
  const out = path.join(temporaryFolder(), 'weights.pt');
  writeFileSync(out, 'before');
  const options = { format: 'pt', out, checkpoint: 'last' } as const;
  await expect(exportRun(run, { ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  expect(readFileSync(out, 'utf8')).toBe('before');
  expect(readdirSync(path.dirname(out))).toEqual(['weights.pt']);
});
