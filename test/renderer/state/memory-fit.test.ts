/** Whether training fits into a device's memory, and the ways that make it fit. */
import { describe, expect, test } from 'vitest';
import { applied } from '../../../engine/contract/edits.ts';
import type { NativeDevice } from '../../../engine/contract/native.ts';
import { planProject } from '../../../engine/contract/plan.ts';
import type { Project } from '../../../engine/contract/project.ts';
import {
  expectedMemory,
  fitOf,
  memoryRange,
  type Room,
  roomOn,
  type Way,
  waysToFit,
} from '../../../renderer/state/memory-fit.ts';

test('memory fits, is tight, or is too large', () => {
  const gib = 2 ** 30;
  const device = {
    name: 'cuda:0',
    label: 'GPU',
    memory_total: 8 * gib,
    memory_free: 6 * gib,
    capability: null,
    half: [],
  };
  const host = { cpu: '', cores: 2, memory_total: 16 * gib, memory_free: 4 * gib };
  const room = roomOn(device, host) as Room;
  expect(room).toEqual({ free: 6 * gib, total: 8 * gib, name: 'cuda:0' });
  expect(fitOf(gib, room)).toBe('fits');
  expect(fitOf(5 * gib, room)).toBe('tight');
  expect(fitOf(6.1 * gib, room)).toBe('too large');
  expect(roomOn({ ...device, memory_free: null }, host)?.free).toBe(8 * gib);
  expect(roomOn({ ...device, memory_total: null }, host)).toBeNull();
  expect(roomOn({ ...device, name: 'cpu' }, host)).toEqual({ free: 4 * gib, total: 16 * gib, name: 'this computer' });
  expect(roomOn(undefined, host)).toBeNull();
});

const gib = 2 ** 30;
const correction = { device: 'cuda:0', networks: 3, same: false, factor: 1.25, residual: 0.1 };

function device(half: NativeDevice['half'] = []): NativeDevice {
  return { name: 'cuda:0', label: 'GPU', memory_total: 2 * gib, memory_free: 2 * gib, capability: null, half };
}

function projectOf(batch: number, training: object = {}): Project {
  const blocks = Array.from({ length: 24 }, () => [
    { kind: 'Conv2d', out_channels: 32, kernel_size: 3, padding: 1 },
    { kind: 'ReLU' },
  ]);
  return {
    gradloom: 1,
    name: 'large',
    data: {
      source: { kind: 'random', shape: [3, 64, 64], classes: 10, samples: 5000 },
      loader: { batch_size: batch },
    },
    model: { layers: [...blocks.flat(), { kind: 'Flatten' }, { kind: 'Linear', out_features: 10 }] },
    training,
  } as unknown as Project;
}

function situation(project: Project, free: number, half: NativeDevice['half'] = []) {
  const plan = planProject(project, null);
  const room: Room = { free, total: free, name: 'cuda:0' };
  return { project, plan, facts: null, device: device(half), room, correction };
}

const batchOf = (project: unknown) => {
  const { data, training } = project as { data: { loader: { batch_size: number } }; training: { accumulate?: number } };
  return [data.loader.batch_size, training.accumulate];
};

describe('ways to fit', () => {
  test('tell what they come to: their edits, planned again, take as much', () => {
    const { project, plan, ...rest } = situation(projectOf(512), 2 * gib, ['bf16']);
    const now = expectedMemory(plan.memory.total, correction).value;
    expect(fitOf(now, rest.room)).toBe('too large');
    const ways = waysToFit({ project, plan, ...rest });
    expect(ways.map(({ label }) => label.split(' ')[0])).toEqual(expect.arrayContaining(['Take', 'Checkpoint']));
    for (const way of ways) {
      const after = planProject(way.edits.reduce<unknown>(applied, project) as Project, null);
      expect(way.memory).toBe(expectedMemory(after.memory.total, correction).value);
      expect(way.memory).toBeLessThan(now);
      expect(way.fit).toBe(fitOf(way.memory, rest.room));
    }
    expect(ways[0]?.fit).toBe('fits');
  });

  test('a smaller batch is the largest half that fits, and as many of them make a step as before', () => {
    const { project, ...rest } = situation(projectOf(512, { accumulate: 2 }), 2 * gib);
    const way = waysToFit({ project, ...rest }).find(({ label }) => label.startsWith('Take')) as Way;
    const [batch, accumulate] = batchOf(way.edits.reduce<unknown>(applied, project));
    expect(Number(batch) * Number(accumulate)).toBe(1024);
    const twice = planProject(projectOf(2 * Number(batch), { accumulate: Number(accumulate) / 2 }), null);
    expect(fitOf(expectedMemory(twice.memory.total, correction).value, rest.room)).not.toBe('fits');
  });

  test('what is on already is no way, nor what the device calculates slowly', () => {
    const made = situation(projectOf(512, { activation_checkpointing: true }), 2 * gib);
    const labels = waysToFit(made).map(({ label }) => label);
    expect(labels.every((label) => label.startsWith('Take batches of'))).toBe(true);
    expect(labels).toHaveLength(1);
  });

  test('where nothing fits, the least that can be had is told with its verdict', () => {
    const { project, plan, ...rest } = situation(projectOf(8), 2 ** 20);
    const ways = waysToFit({ project, plan, ...rest });
    expect(ways.length).toBeGreaterThan(0);
    expect(ways.every(({ fit }) => fit === 'too large')).toBe(true);
    const [least] = memoryRange(ways[0]?.memory ?? 0);
    expect(least).toBeLessThan(plan.memory.total * correction.factor);
  });
});
