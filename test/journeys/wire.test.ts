/** The engine as windows meet it: `gradloom serve` as a process, spoken to over real WebSockets, training for real. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FollowCursor, FollowFrame } from '../../engine/contract/api.ts';
import { connectEngine, type EngineConnection } from '../e2e/engine-connection.mjs';
import { type Live, start } from '../engine/cli-process.ts';
import { summary, temporaryFolder } from './command-line.ts';

interface Served {
  home: string;
  url: string;
  service: Live;
  connect(): Promise<EngineConnection>;
}

async function serve(home = temporaryFolder(), words: string[] = []): Promise<Served> {
  const service = start(home, ['serve', '--json', ...words]);
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await service.ended;
  });
  const url = String((await service.until(({ type }) => type === 'serve')).url);
  return {
    home,
    url,
    service,
    async connect() {
      const connection = await connectEngine(url);
      onTestFinished(() => connection.close());
      return connection;
    },
  };
}

type Engine = EngineConnection['engine'];

/** The digits' network as a project of the workspace. */
async function digits(engine: Engine, epochs: number) {
  const made = await engine.projects.create({ template: 'digits-mlp' });
  const text = made.text.replace('"epochs": 10', `"epochs": ${epochs}`);
  return engine.projects.save({ ...made, text });
}

/** A window's steps and epochs, from frames. */
class Curve {
  steps: number[] = [];
  loss: number[] = [];
  epochs: FollowFrame['epochs'] = [];
  cursor: FollowCursor | null = null;
  frame: FollowFrame | null = null;

  async look(engine: Engine, run: string): Promise<FollowFrame> {
    const frame = await engine.runs.follow({ run, points: 8192, cursor: this.cursor });
    const { buckets, columns } = frame.series;
    const values = new Float64Array(Uint8Array.from(Buffer.from(frame.series.values, 'base64')).buffer);
    const part = (index: number) => Array.from(values.subarray(index * buckets, (index + 1) * buckets));
    this.steps = [...this.steps.slice(0, frame.from), ...part(0)];
    this.loss = [...this.loss.slice(0, frame.from), ...part(4 + 3 * columns.indexOf('train_loss'))];
    this.epochs = frame.reset ? frame.epochs : [...this.epochs, ...frame.epochs];
    this.cursor = frame.cursor;
    this.frame = frame;
    return frame;
  }

  async until(engine: Engine, run: string, fits: (frame: FollowFrame) => boolean): Promise<FollowFrame> {
    for (;;) {
      const frame = await this.look(engine, run);
      if (fits(frame)) return frame;
    }
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('from a template to exported weights, with a window that comes back in between', async () => {
  const { home, connect } = await serve();
  const first = await connect();
  expect(await first.engine.about()).toMatchObject({ home, root: home, libtorch: expect.any(String) });
  const offered = (await first.engine.projects.templates()).map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining(['digits-mlp', 'digits-cnn']));
  await first.engine.settings.set({ threads: 1 });
  const project = await digits(first.engine, 2);
  expect(await first.engine.projects.recent()).toMatchObject([
    { file: project.file, name: 'digits-mlp', exists: true },
  ]);
  const { run } = await first.engine.runs.start(project);
  expect(run).toBe(path.join(home, 'runs', 'digits-mlp-001'));

  const curve = new Curve();
  await curve.until(first.engine, run, ({ step }) => step > 0);
  first.close();
  const { engine } = await connect();
  const last = await curve.until(engine, run, ({ status }) => status === 'completed');
  expect(curve.steps).toEqual(upTo(64));
  expect(curve.loss.every((value) => Number.isFinite(value))).toBe(true);
  expect(curve.epochs.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(last).toMatchObject({ epoch: 2, total_epochs: 2, step: 64, steps_per_epoch: 32, eta: null, error: null });
  expect(last.memory?.rss).toBeGreaterThan(1e6);
  // A second window, and one that has been closed all the time, have the same.
  const other = new Curve();
  await other.look(engine, run);
  expect([other.steps, other.loss, other.epochs]).toEqual([curve.steps, curve.loss, curve.epochs]);

  const details = await engine.runs.details({ run });
  expect(details).toMatchObject({ name: 'digits-mlp-001', status: 'completed', environment: { threads: 1 } });
  expect(details.checkpoints.find(({ roles }) => roles.includes('last'))).toMatchObject({ step: 64, epoch: 2 });
  expect(details.bytes).toBeGreaterThan(1e6);
  const measured = await engine.runs.evaluate({ run, split: 'test', checkpoint: 'last' });
  expect(measured.loss).toBe(curve.epochs[1]?.val_loss);
  expect(measured.confusion?.length).toBe(10);
  const exported = await engine.runs.export({ run, format: 'safetensors' });
  const name = path.basename(exported.path);
  const blob = await engine.runs.download({ run, name });
  expect(Buffer.from(await blob.arrayBuffer()).equals(readFileSync(exported.path))).toBe(true);
  await expect(engine.runs.download({ run, name: '../summary.json' })).rejects.toMatchObject({
    data: { code: 'BAD_CALL' },
  });
  const closer = await engine.runs.series({ run, from: 30, to: 40, points: 64 });
  expect(closer.buckets).toBe(11);

  const renamed = await engine.runs.rename({ run, name: 'the first' });
  await engine.runs.note({ run: renamed.run, notes: 'learned well' });
  const { runs } = await engine.runs.watch({});
  expect(runs).toMatchObject([{ name: 'the first', folder: renamed.run, status: 'completed', notes: 'learned well' }]);
  const trashed = await engine.runs.remove(renamed);
  expect((await engine.runs.watch({})).runs).toEqual([]);
  expect((await engine.runs.restore(trashed)).run).toBe(renamed.run);
  const report = await engine.devices.list({});
  expect(report.devices.map(({ name: device }) => device)).toContain('cpu');
  expect(report.findings.length).toBeGreaterThan(5);
});

test('what cannot begin says why, and leaves nothing', async () => {
  const { home, connect } = await serve();
  const { engine } = await connect();
  const { file, text } = await digits(engine, 1);
  for (const [broken, code] of [
    [text.replace('Linear', 'Lineer'), 'PROJECT_INVALID'],
    [text.slice(1), 'PROJECT_SYNTAX'],
    [text.replace('data/digits', 'data/nothing'), 'DATA_MISSING'],
    [text.replace('"auto"', '"tpu:7"'), 'DEVICE_UNKNOWN'],
  ] as const) {
    await expect(engine.runs.start({ file, text: broken })).rejects.toMatchObject({ data: { code } });
  }
  expect((await engine.runs.watch({})).runs).toEqual([]);
  expect(existsSync(path.join(home, 'runs'))).toBe(false);
  await engine.settings.set({ device: 'cuda:77' });
  await expect(engine.runs.start({ file, text })).rejects.toMatchObject({ data: { code: 'DEVICE_UNAVAILABLE' } });
});

test('two windows on one project: the later save is refused, told, and can be made a copy', async () => {
  const { connect } = await serve();
  const [one, two] = [(await connect()).engine, (await connect()).engine];
  const project = await digits(one, 3);
  const seen = await two.projects.open(project);
  const told = two.projects.watch(seen);
  const saved = await one.projects.save({ ...project, text: project.text.replace('0.001', '0.002') });
  expect(await told).toEqual({ revision: saved.revision });
  const mine = seen.text.replace('0.001', '0.003');
  await expect(two.projects.save({ ...seen, text: mine })).rejects.toMatchObject({ data: { code: 'STALE_REVISION' } });
  expect(readFileSync(project.file, 'utf8')).toBe(saved.text);
  const copy = await two.projects.saveCopy({ file: project.file, text: mine });
  expect(path.basename(copy.file)).toBe('digits-mlp-2.gradloom.json');
  writeFileSync(copy.file, '{}'); // another program
  expect((await two.projects.watch(copy)).revision).not.toBe(copy.revision);
});

describe('states', () => {
  test('starts and stops in a row end in the right state, whichever of them comes first', async () => {
    const { connect } = await serve();
    const { engine } = await connect();
    const { file, text } = await digits(engine, 500);
    for (const action of ['stop', 'pause', 'park', 'discard', 'stop', 'stop'] as const) {
      const { run } = await engine.runs.start({ file, text });
      const expected = { stop: 'stopped', pause: 'paused', park: 'parked', discard: 'stopped' }[action];
      expect(await engine.runs.act({ run, action })).toEqual({ status: expected });
      if (action === 'pause' || action === 'park') {
        expect(await engine.runs.act({ run, action: 'continue' })).toEqual({ status: 'running' });
        expect(await engine.runs.act({ run, action: 'stop' })).toEqual({ status: 'stopped' });
      }
      if (action === 'discard') {
        await expect(engine.runs.follow({ run, points: 64, cursor: null })).rejects.toMatchObject({
          data: { code: 'RUN_NOT_FOUND' },
        });
      } else {
        expect(await engine.runs.follow({ run, points: 64, cursor: null })).toMatchObject({ status: 'stopped' });
      }
      await expect(engine.runs.act({ run, action: 'pause' })).rejects.toMatchObject({
        data: { code: action === 'discard' ? 'RUN_NOT_FOUND' : 'RUN_NOT_LIVE' },
      });
    }
    const { runs } = await engine.runs.watch({});
    expect(runs.map(({ status }) => status)).toEqual(Array(5).fill('stopped'));
  });

  test('a worker that is killed: told in the list and to who follows, and resumed without a gap', async () => {
    const { connect } = await serve();
    const { engine } = await connect();
    const project = await digits(engine, 40);
    const { run } = await engine.runs.start(project);
    const curve = new Curve();
    await curve.until(engine, run, ({ epochs, epoch }) => epochs.length > 0 || epoch > 1);
    process.kill(JSON.parse(readFileSync(path.join(run, 'live.json'), 'utf8')).pid, 'SIGKILL');
    const died = await curve.until(engine, run, ({ status }) => status === 'interrupted');
    expect(died.error?.code).toBe('WORKER_DIED');
    await expect
      .poll(async () => (await engine.runs.watch({})).runs[0]?.status, { timeout: 10_000 })
      .toBe('interrupted');
    expect(await engine.runs.resume({ run })).toEqual({ run });
    const end = await curve.until(engine, run, ({ status }) => status === 'completed');
    expect(end.error).toBe(null);
    expect(curve.steps).toEqual(upTo(40 * 32));
    expect(curve.epochs.map(({ epoch }) => epoch)).toEqual(upTo(40));
    const extended = await engine.runs.resume({ run, epochs: 41 });
    await curve.until(engine, extended.run, ({ step, status }) => step === 41 * 32 && status === 'completed');
    expect(curve.steps).toEqual(upTo(41 * 32));
  });

  test('a live run takes changes and snapshots, and shows them; an extension is shown before it is started', async () => {
    const { connect } = await serve();
    const { engine } = await connect();
    const { run } = await engine.runs.start(await digits(engine, 300));
    const curve = new Curve();
    await curve.until(engine, run, ({ step }) => step > 0);
    const shot = await engine.runs.snapshot({ run });
    expect(shot.step).toBeGreaterThan(0);
    const refused = engine.runs.set({ run, epochs: 301, lr: -1 });
    await expect(refused).rejects.toThrow();
    const change = await engine.runs.set({ run, lr: 0.0005, epochs: 400 });
    expect(change).toMatchObject({ lr: 0.0005, epochs: 400 });
    const { notes, total_epochs } = await curve.until(engine, run, ({ step }) => step > change.step);
    expect(total_epochs).toBe(400);
    expect(notes.map(({ kind }) => kind)).toContain('change');
    await engine.runs.act({ run, action: 'stop' });
    const { checkpoints, summary: kept } = await engine.runs.details({ run });
    expect(checkpoints.find(({ folder }) => folder === shot.folder)?.roles).toContain('snapshot');
    expect(kept?.changes).toEqual([{ step: change.step, epoch: change.epoch, lr: 0.0005, epochs: 400 }]);
    expect(await engine.runs.extension({ run, epochs: 500 })).toMatchObject({ epochs_before: 400, epochs: 500 });
    await expect(engine.runs.set({ run, lr: 0.1 })).rejects.toMatchObject({ data: { code: 'RUN_NOT_LIVE' } });
  });

  test('a run of another process is listed, followed and steered too', async () => {
    const { home, connect } = await serve();
    const { engine } = await connect();
    const { file } = await digits(engine, 500);
    const outside = start(home, ['train', file, '--json']);
    const run = String((await outside.until(({ type }) => type === 'start')).run);
    await expect.poll(async () => (await engine.runs.watch({})).runs[0]?.status, { timeout: 10_000 }).toBe('running');
    await new Curve().until(engine, run, ({ step, eta }) => step > 0 && eta !== null);
    expect(await engine.runs.act({ run: path.basename(run), action: 'pause' })).toEqual({ status: 'paused' });
    await expect(engine.runs.remove({ run })).rejects.toMatchObject({ data: { code: 'RUN_LOCKED' } });
    expect(await engine.runs.act({ run, action: 'stop' })).toEqual({ status: 'stopped' });
    expect((await outside.ended).code).toBe(0);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s lets live runs save and ends with %i', async (signal, code) => {
    const { connect, service } = await serve();
    const { engine } = await connect();
    const project = await digits(engine, 500);
    const { run } = await engine.runs.start(project);
    const following = new Curve();
    await following.until(engine, run, ({ step }) => step > 0);
    const waiting = following.until(engine, run, () => false).catch((error: unknown) => error);
    service.kill(signal);
    expect((await service.ended).code).toBe(code);
    expect(await waiting).toBeInstanceOf(Error);
    expect(summary(run)).toMatchObject({ status: 'interrupted' });
    expect(existsSync(path.join(run, 'live.json'))).toBe(false);
  });
});
