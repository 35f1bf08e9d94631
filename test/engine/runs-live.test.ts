/** Runs followed by frames: whatever was appended and resumed, and whenever a window looked, it holds what a plain computation gives. */
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FollowCursor, FollowFrame, SeriesWire } from '../../engine/contract/api.ts';
import type { RunEvent } from '../../engine/contract/events.ts';
import { Columns } from '../../engine/runs/columns.ts';
import { LiveRuns } from '../../engine/runs/live-runs.ts';
import { effectiveSeries } from './effective-series.ts';
import { temporaryFolder } from './runs-helpers.ts';

const now = { patience: 0, gap: 0 };

interface Shown {
  size: number;
  step: number[];
  epoch: number[];
  time: number[];
  columns: Record<string, { min: number[]; mean: number[]; max: number[] }>;
}

function read({ columns, buckets, size, values: text }: SeriesWire): Shown {
  const values = new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
  expect(values.length).toBe((3 + 3 * columns.length) * buckets);
  const part = (index: number) => Array.from(values.subarray(index * buckets, (index + 1) * buckets));
  return {
    size,
    step: part(0),
    epoch: part(1),
    time: part(2),
    columns: Object.fromEntries(
      columns.map((name, i) => [name, { min: part(3 + 3 * i), mean: part(4 + 3 * i), max: part(5 + 3 * i) }]),
    ),
  };
}

/** What a window does with frames. */
class Window {
  cursor: FollowCursor | null = null;
  shown: Shown | null = null;
  epochs: FollowFrame['epochs'] = [];
  notes: FollowFrame['notes'] = [];
  ghosts: Shown[] = [];
  last: FollowFrame | null = null;

  async take(frame: FollowFrame): Promise<void> {
    const tail = read(frame.series);
    const join = (before: number[], after: number[]) => [...before.slice(0, frame.from), ...after];
    if (frame.reset || this.shown === null) {
      expect(frame.from).toBe(0);
      this.shown = tail;
      this.epochs = frame.epochs;
      this.notes = frame.notes;
      this.ghosts = await Promise.all((frame.ghosts ?? []).map(({ series }) => read(series)));
    } else {
      const before = this.shown;
      expect(tail.size).toBe(before.size);
      expect(Object.keys(tail.columns)).toEqual(Object.keys(before.columns));
      this.shown = {
        size: tail.size,
        step: join(before.step, tail.step),
        epoch: join(before.epoch, tail.epoch),
        time: join(before.time, tail.time),
        columns: Object.fromEntries(
          Object.entries(tail.columns).map(([name, { min, mean, max }]) => [
            name,
            {
              min: join(before.columns[name]?.min ?? [], min),
              mean: join(before.columns[name]?.mean ?? [], mean),
              max: join(before.columns[name]?.max ?? [], max),
            },
          ]),
        ),
      };
      this.epochs = [...this.epochs, ...frame.epochs];
      this.notes = [...this.notes, ...frame.notes];
    }
    this.cursor = frame.cursor;
    this.last = frame;
  }
}

const time = '2026-01-01T00:00:00.000Z';
const start: RunEvent = {
  type: 'start',
  run: '/elsewhere',
  name: 'a',
  device: 'cpu',
  precision: 'fp32',
  seed: 1,
  epochs: 3,
  steps_per_epoch: 40,
  train_samples: 400,
  val_samples: 0,
  parameters: 1,
  versions: {},
  time,
};

function journalled() {
  const folder = path.join(temporaryFolder(), 'run');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'project.json'), '{"gradloom":1}');
  const events: RunEvent[] = [];
  return {
    folder,
    events,
    append(...more: RunEvent[]) {
      events.push(...more);
      appendFileSync(path.join(folder, 'metrics.jsonl'), more.map((event) => `${JSON.stringify(event)}\n`).join(''));
    },
  };
}

type Act = { steps: number; norm: boolean } | 'epoch' | { back: number } | 'look';

const acts = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 60 }), norm: fc.boolean() }) },
    { weight: 2, arbitrary: fc.constant('epoch' as const) },
    { weight: 1, arbitrary: fc.record({ back: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 3, arbitrary: fc.constant('look' as const) },
  ),
  { maxLength: 40, size: 'max' }, // or nearly all would be short
);

/** The plain computation: mean, least and greatest of what a bucket's points have. */
function plainly(values: number[], size: number) {
  const out = { min: [] as number[], mean: [] as number[], max: [] as number[] };
  for (let at = 0; at < values.length; at += size) {
    const there = values.slice(at, at + size).filter((value) => !Number.isNaN(value));
    const any = there.length > 0;
    out.min.push(any ? Math.min(...there) : Number.NaN);
    out.max.push(any ? Math.max(...there) : Number.NaN);
    out.mean.push(any ? there.reduce((a, b) => a + b, 0) / there.length : Number.NaN);
  }
  return out;
}

function expectClose(actual: number[] | undefined, expected: number[]): void {
  expect(actual?.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) {
    if (Number.isNaN(value)) expect(actual?.[i]).toBeNaN();
    else expect(Math.abs((actual?.[i] as number) - value)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(value)));
  }
}

describe('follow', () => {
  test('random appends and resumes, looked at at random times, from one service or after another', async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.integer({ min: 16, max: 40 }), fc.boolean(), async (script, points, restarts) => {
        const run = journalled();
        let service = new LiveRuns();
        const window = new Window();
        let [step, epoch, seed] = [0, 1, 1];
        const random = () => {
          seed = (seed * 16807) % 2147483647;
          return seed / 2147483647;
        };
        run.append(start);
        for (const act of script as Act[]) {
          if (act === 'look') {
            if (restarts) service = new LiveRuns();
            await window.take(await service.follow(run.folder, points, window.cursor, now));
          } else if (act === 'epoch') {
            const numbers = { train_loss: 1, lr: 0.1, seconds: 1, samples_per_second: 5, breakdown: {} };
            const memory = { allocated: 1, reserved: 1, peak: 1, rss: 1 };
            run.append({ type: 'epoch', epoch, step, ...numbers, memory, time });
            epoch += 1;
          } else if ('back' in act) {
            step = Math.floor(step * act.back);
            run.append(start, { type: 'resume', from_step: step, time });
            epoch = (effectiveSeries(run.events).epochs.at(-1)?.epoch ?? 0) + 1;
          } else {
            const steps = Array.from({ length: act.steps }, () => {
              step += 1;
              return step;
            });
            run.append({
              type: 'steps',
              epoch,
              step: steps,
              train_loss: steps.map(() => (random() < 0.05 ? 'NaN' : random())),
              lr: steps.map(() => random()),
              ...(act.norm ? { grad_norm: steps.map(() => random()) } : {}),
              seconds: 0.5,
              time,
            });
          }
        }
        await window.take(await service.follow(run.folder, points, window.cursor, now));

        const expected = effectiveSeries(run.events);
        const { shown } = window;
        const steps = expected.steps.step as number[];
        const size = Columns.sizeFor(steps.length, points);
        expect(shown?.size).toBe(size);
        expect(shown?.step.length).toBeLessThanOrEqual(points);
        expect(shown?.step).toEqual(steps.filter((_, i) => (i + 1) % size === 0 || i === steps.length - 1));
        for (const name of ['train_loss', 'lr']) {
          if (steps.length === 0) continue;
          const plain = plainly(expected.steps[name] as number[], size);
          expect(shown?.columns[name]?.min).toEqual(plain.min);
          expect(shown?.columns[name]?.max).toEqual(plain.max);
          expectClose(shown?.columns[name]?.mean, plain.mean);
        }
        expect(window.epochs.map((row) => row.epoch)).toEqual(expected.epochs.map((row) => row.epoch));
        expect(window.notes.length).toBe(run.events.filter(({ type }) => type === 'start' || type === 'resume').length);
        const ghosts = expected.ghosts.slice(-8);
        expect(window.ghosts.map((ghost) => ghost.step.at(-1))).toEqual(
          ghosts.map((ghost) => ghost.steps.step?.at(-1)),
        );
        const times = shown?.time ?? [];
        expect([...times].sort((a, b) => a - b)).toEqual(times);
      }),
      { numRuns: 60 },
    );
  });

  test('a window that comes back gets what it lacks and no more; nothing new is answered unchanged', async () => {
    const run = journalled();
    const live = new LiveRuns();
    const window = new Window();
    const steps = (from: number, count: number): RunEvent => {
      const step = Array.from({ length: count }, (_, i) => from + i);
      return { type: 'steps', epoch: 1, step, train_loss: step, lr: step, seconds: 1, time };
    };
    run.append(start, steps(1, 10));
    await window.take(await live.follow(run.folder, 64, null, now));
    expect(window.last).toMatchObject({ reset: true, step: 10, seconds: 1, total_epochs: 3, device: 'cpu' });
    const still = await live.follow(run.folder, 64, window.cursor, now);
    expect(still).toMatchObject({ reset: false, from: 10, epochs: [], notes: [], cursor: window.cursor });
    expect(still.series.buckets).toBe(0);
    run.append(steps(11, 5));
    const more = await new LiveRuns().follow(run.folder, 64, window.cursor, now);
    expect(more).toMatchObject({ reset: false, from: 10 });
    expect(more.series.buckets).toBe(5);
    await window.take(more);
    expect(window.shown?.columns.train_loss?.mean).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
  });

  test('rate, time left, memory and the steps of an older journal without seconds', async () => {
    const run = journalled();
    const at = (second: number) => new Date(Date.parse(time) + 1000 * second).toISOString();
    const steps = (from: number, count: number, second: number, more: object = {}): RunEvent => {
      const step = Array.from({ length: count }, (_, i) => from + i);
      return { type: 'steps', epoch: 1, step, train_loss: step, lr: step, time: at(second), ...more };
    };
    const memory = { allocated: 5, reserved: 6, peak: 7, rss: 8 };
    run.append(start, steps(1, 10, 2), { type: 'state', status: 'paused', time: at(3) });
    run.append({ type: 'state', status: 'running', time: at(100) }, steps(11, 10, 102, { seconds: 1, memory }));
    const frame = await new LiveRuns().follow(run.folder, 64, null, now);
    // 400 samples in 40 steps; 20 steps of 120 are done. The pause of 97 seconds does not count, the 2 seconds before it do.
    expect(frame).toMatchObject({ samples_per_second: 100, seconds: 3, memory, status: 'interrupted', eta: null });
    const shown = read(frame.series);
    expect(shown.columns.memory_rss?.max.slice(8, 12)).toEqual([Number.NaN, Number.NaN, 8, 8]);
    expect(shown.epoch[19]).toBeCloseTo(0.5, 12);
    expect(shown.time[9]).toBe(2);
    expect(shown.time[19]).toBe(3);
  });

  test('a run that is deleted ends the following; another of its name is another run', async () => {
    const run = journalled();
    const live = new LiveRuns();
    run.append(start, { type: 'end', status: 'completed', run: run.folder, epoch: 1, step: 1, seconds: 1, time });
    const first = await live.follow(run.folder, 64, null, now);
    expect(first.status).toBe('completed');
    renameSync(path.join(run.folder, 'metrics.jsonl'), path.join(run.folder, 'old'));
    run.append({ ...start, time: '2026-02-02T00:00:00.000Z' });
    const second = await live.follow(run.folder, 64, first.cursor, now);
    expect(second).toMatchObject({ reset: true, notes: [{ kind: 'start', time: '2026-02-02T00:00:00.000Z' }] });
    rmSync(run.folder, { recursive: true });
    await expect(live.follow(run.folder, 64, second.cursor, now)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('a closer look gives exact points, thinned only where there are too many', async () => {
    const run = journalled();
    const step = Array.from({ length: 300 }, (_, i) => i + 1);
    run.append(start, { type: 'steps', epoch: 1, step, train_loss: step, lr: step, seconds: 1, time });
    const live = new LiveRuns();
    const few = read(await live.series(run.folder, 11, 20, 16));
    expect(few.step).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(few.columns.train_loss?.mean).toEqual(few.step);
    const many = read(await live.series(run.folder, 100, 300, 16));
    expect(many.size).toBe(16);
    expect(many.columns.train_loss?.min[0]).toBe(100);
    expect(many.columns.train_loss?.max.at(-1)).toBe(300);
    expect((await live.series(run.folder, 900, 950, 16)).buckets).toBe(0);
  });
});

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

test('a million steps open in a moment, and a frame of them costs next to nothing', async () => {
  const run = journalled();
  run.append({ ...start, epochs: 1, steps_per_epoch: 1_000_000 });
  let text = '';
  for (let first = 1; first <= 1_000_000; first += 100) {
    const step = Array.from({ length: 100 }, (_, i) => first + i);
    const train_loss = step.map((value) => 1 / Math.sqrt(value));
    text += `${JSON.stringify({ type: 'steps', epoch: 1, step, train_loss, train_accuracy: train_loss, lr: step.map(() => 0.001), seconds: 0.1, time })}\n`;
  }
  appendFileSync(path.join(run.folder, 'metrics.jsonl'), text);
  const live = new LiveRuns();
  let before = process.cpuUsage();
  const opened = await live.follow(run.folder, 1024, null, now);
  const opening = cpuSince(before);
  expect(opened.series).toMatchObject({ buckets: 977, size: 1024 });
  run.append({ type: 'steps', epoch: 1, step: [1_000_001], train_loss: [1], lr: [1], seconds: 1, time });
  before = process.cpuUsage();
  const frame = await live.follow(run.folder, 1024, opened.cursor, now);
  expect(frame.series.buckets).toBe(1);
  const framing = cpuSince(before);
  // The budgets are 1 s and 5 ms on a machine at rest. Here it is the processor's time that counts, with room for busy neighbours.
  expect(opening).toBeLessThan(3000);
  expect(framing).toBeLessThan(50);
});
