/** However a process or a worker ends, sessions end in order first: no crash, no hang, no thread left. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nativeFiles } from '../../engine/native/load.ts';
import { longPlan, longSteps } from './plans.ts';

const script = fileURLToPath(new URL('children/teardown.mjs', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-teardown-'));
  writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(longPlan(folder)));
  // What oneDNN makes while a convolution runs for the first time goes before what was made when the addon was loaded.
  const convolutions = longPlan(
    path.join(folder, 'images'),
    [1, 32, 32],
    [
      { kind: 'Conv2d', out_channels: 16, kernel_size: 3 },
      { kind: 'ReLU' },
      { kind: 'MaxPool2d', kernel_size: 2 },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 5 },
    ],
  );
  writeFileSync(path.join(folder, 'convolutions.json'), JSON.stringify(convolutions));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  'exit in mid-chunk',
  'exit while building',
  'exit while writing random data',
  'exception in mid-chunk',
  'end with an idle session',
  'end with a running session',
  'unclosed sessions are collected',
  'a running session is not collected',
  'a worker ends in mid-chunk',
  'a worker ends by itself',
  'exit beside a working worker',
])('%s', { timeout: 60_000 }, (way) => expectToEnd('plan.json', way));

test('exit in a chunk of convolutions', { timeout: 60_000 }, () =>
  expectToEnd('convolutions.json', 'exit in mid-chunk'),
);

function expectToEnd(plan: string, way: string) {
  const words = ['--expose-gc', script, nativeFiles().addon, path.join(folder, plan), String(longSteps), way];
  const { status, signal, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 50_000 });
  expect({ status, signal, stderr: stderr.includes('on purpose') ? '' : stderr }).toEqual({
    status: 7,
    signal: null,
    stderr: '',
  });
}
