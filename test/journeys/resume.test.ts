/** Whatever ends a run, going on with it gives the uninterrupted run, bit for bit on the CPU. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { holdAt, journal, outcome, run, start, statefulProject, summary, temporaryFolder } from './command-line.ts';
import { trainKilled } from './kill-and-resume.ts';

let base: string;
let project: string;
let expected: ReturnType<typeof outcome>;

beforeAll(async () => {
  base = mkdtempSync(path.join(os.tmpdir(), 'gradloom-journey-'));
  project = statefulProject(base, {}, 3000);
  const straight = await run(['train', project, '--run', path.join(base, 'straight')], base);
  expect(straight.stderr + straight.code).toMatch(/0$/);
  expected = outcome(path.join(base, 'straight'));
  return () => rmSync(base, { recursive: true, force: true });
}, 120_000);

const steps = () => expected.steps.step?.length as number;

describe('a run that was ended', () => {
  test('by kill -9 at any moment, again and again', async () => {
    const folder = path.join(temporaryFolder(), 'run');
    const kills = await trainKilled(project, folder, base, [-150, 15, 160, 90, 230]);
    expect(kills).toBeGreaterThan(1);
    expect(outcome(folder)).toEqual(expected);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s in mid-epoch: saved at that step, exit %i', async (signal, code) => {
    const folder = path.join(temporaryFolder(), 'run');
    const life = start(['train', project, '--run', folder], base);
    await life.until(({ type }) => type === 'steps');
    life.child.kill(signal);
    expect((await life.exit).code).toBe(code);
    const end = life.events.at(-1);
    expect(end).toMatchObject({ type: 'end', status: 'interrupted', run: folder });
    expect(summary(folder)).toMatchObject({ status: 'interrupted', reason: signal });
    const resumed = await run(['resume', folder], base);
    const from = resumed.events.find((event) => event.type === 'resume');
    expect(from).toMatchObject({ from_step: (end as { step: number }).step });
    expect(resumed.code).toBe(0);
    expect(summary(folder)).not.toHaveProperty('reason');
    expect(outcome(folder)).toEqual(expected);
  });

  test('by park, continued in a new process', async () => {
    const folder = path.join(temporaryFolder(), 'run');
    const life = start(['train', project, '--run', folder], base);
    await holdAt(life, folder, ({ type }) => type === 'steps');
    expect((await run(['park', folder], base)).code).toBe(0);
    expect((await life.exit).code).toBe(0);
    expect(summary(folder).status).toBe('parked');
    expect((await run(['continue', folder], base)).events.at(-1)).toMatchObject({ type: 'end', status: 'completed' });
    expect(outcome(folder)).toEqual(expected);
  });

  test('by stop: what it learned is kept, and it can go on', async () => {
    const folder = path.join(temporaryFolder(), 'run');
    const life = start(['train', project, '--run', folder], base);
    await holdAt(life, folder, ({ type }) => type === 'epoch');
    expect((await run(['stop', folder], base)).code).toBe(0);
    expect((await life.exit).code).toBe(0);
    expect(life.events.at(-1)).toMatchObject({ type: 'end', status: 'stopped' });
    const measured = await run(['evaluate', folder], base);
    expect(measured.events[0]).toMatchObject({ type: 'evaluate', split: 'val', checkpoint: 'best' });
    expect((await run(['resume', folder], base)).code).toBe(0);
    expect(outcome(folder)).toEqual(expected);
  });
});

test('a paused run holds still, saves, and goes on in the same process', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  const life = start(['train', project, '--run', folder], base);
  await holdAt(life, folder, ({ type }) => type === 'steps');
  expect(summary(folder).status).toBe('paused');
  const before = journal(folder).length;
  expect(before).toBeGreaterThan(0);
  await sleep(300);
  expect(journal(folder)).toHaveLength(before);
  expect((await run(['continue', folder], base)).code).toBe(0);
  expect((await life.exit).code).toBe(0);
  expect(outcome(folder)).toEqual(expected);
});

test('a finished run has nothing left to do; extended, it is the longer run', async () => {
  const folder = path.join(temporaryFolder(), 'run');
  expect((await run(['train', project, '--run', folder, '--epochs', '2'], base)).code).toBe(0);
  const before = readFileSync(path.join(folder, 'metrics.jsonl'));
  const nothing = await run(['resume', folder], base);
  expect([nothing.code, nothing.events]).toEqual([
    0,
    [expect.objectContaining({ type: 'end', status: 'completed', epoch: 2 })],
  ]);
  expect(readFileSync(path.join(folder, 'metrics.jsonl'))).toEqual(before);
  const extended = await run(['resume', folder, '--epochs', '4'], base);
  expect(extended.events.at(-1)).toMatchObject({ type: 'end', status: 'completed', epoch: 4, step: steps() });
  expect(outcome(folder)).toEqual(expected);
});
