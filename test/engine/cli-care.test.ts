/** Runs compared, renamed, noted on, deleted and restored from the command line. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gradloom, quickProject } from './cli-process.ts';

const home = mkdtempSync(join(tmpdir(), 'gradloom-care-'));
const runs = join(home, 'runs');
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  const project = quickProject(home, 'quick', 2);
  await gradloom(home, ['train', project]);
  await gradloom(home, ['train', project, '--epochs', '1', '--threads', '1', '--set', 'training.optimizer.lr=0.05']);
}, 60_000);

test('compare: how runs stand, and no more settings than those that differ', async () => {
  const { code, lines, stderr } = await gradloom(home, ['compare', 'quick-001', 'quick-002', '--json']);
  expect(code).toBe(0);
  const [line] = lines;
  const row = { status: 'completed', last: { train_loss: expect.any(Number), val_loss: expect.any(Number) } };
  expect(line).toMatchObject({
    type: 'compare',
    runs: [
      { ...row, run: join(runs, 'quick-001'), name: 'quick-001', epoch: 2 },
      { ...row, run: join(runs, 'quick-002'), name: 'quick-002', epoch: 1 },
    ],
  });
  const settings = line?.settings as { path: string; values: unknown[] }[];
  const threads = settings.find(({ path }) => path === 'ran on.threads');
  if (threads) expect(threads.values[1]).toBe(1); // equal on a computer with one core
  expect(settings.filter((one) => one !== threads)).toEqual([
    { path: 'training.epochs', values: [2, 1] },
    { path: 'training.optimizer.lr', values: [0.01, 0.05] },
  ]);
  expect(stderr).toMatch(/training\.optimizer\.lr +0\.01 +0\.05$/m);
  expect((await gradloom(home, ['compare', 'quick-001', 'nowhere'])).code).toBe(2);
  expect((await gradloom(home, ['compare', 'quick-001'])).code).toBe(2);
});

test('rename: refused for names that are none or taken, else the run is found by its new name', async () => {
  for (const [name, error] of [
    ['quick-002', 'RUN_EXISTS'],
    ['a/b', 'BAD_CALL'],
  ] as const) {
    const { code, lines } = await gradloom(home, ['rename', 'quick-001', name, '--json']);
    expect(code).toBe(2);
    expect(lines[0]).toMatchObject({ code: error });
  }
  expect((await gradloom(home, ['rename', 'quick-001', 'Größe 1'])).code).toBe(0);
  expect(existsSync(join(runs, 'quick-001'))).toBe(false);
  const evaluated = await gradloom(home, ['evaluate', 'Größe 1', '--json']);
  expect(evaluated.code, evaluated.stderr).toBe(0);
  expect((await gradloom(home, ['rename', 'Größe 1', 'quick-001'])).code).toBe(0);
});

test('note, delete, restore: what is deleted comes back where it was, or beside what has taken its place', async () => {
  expect((await gradloom(home, ['note', 'quick-002', 'the faster one'])).code).toBe(0);
  const deleted = await gradloom(home, ['delete', 'quick-002', '--json']);
  expect(deleted.code).toBe(0);
  const trashed = deleted.lines[0]?.trashed as string;
  expect(trashed.startsWith(join(home, 'trash'))).toBe(true);
  expect(existsSync(join(runs, 'quick-002'))).toBe(false);
  expect((await gradloom(home, ['runs', '--json'])).lines.map(({ name }) => name)).toEqual(['quick-001']);
  mkdirSync(join(runs, 'quick-002'));
  writeFileSync(join(runs, 'quick-002', 'mine'), '');
  const restored = await gradloom(home, ['restore', 'quick-002', '--json']);
  expect(restored.lines[0]?.run).toBe(join(runs, 'quick-002 (2)'));
  expect(readFileSync(join(runs, 'quick-002 (2)', 'notes.txt'), 'utf8')).toBe('the faster one');
  expect((await gradloom(home, ['restore', 'quick-002'])).code).toBe(2);
  expect((await gradloom(home, ['delete', 'nowhere'])).code).toBe(2);
});
