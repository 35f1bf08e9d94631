/** The run lock: one holder among all processes, released by `release` or by the process's end, however it comes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadAddon, nativeFiles } from '../../engine/native/load.ts';
import { temporaryFolder } from './folders.ts';

const addon = loadAddon();
const script = fileURLToPath(new URL('children/hold-lock.mjs', import.meta.url));

/** A process that holds the lock, ready. */
async function holder(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--expose-gc', script, nativeFiles().addon, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(String(line).trim()).toBe('locked');
  return child;
}

test('is refused to a second holder in the same process until released', () => {
  const file = path.join(temporaryFolder(), 'run.lock');
  const lock = addon.lock(file);
  expect(() => addon.lock(file)).toThrow(expect.objectContaining({ code: 'RUN_LOCKED', path: file }));
  lock.release();
  lock.release();
  addon.lock(file).release();
});

test('is refused while another process holds it, and free after that one was killed', async () => {
  const file = path.join(temporaryFolder(), 'run.lock');
  const child = await holder(file);
  expect(() => addon.lock(file)).toThrow(expect.objectContaining({ code: 'RUN_LOCKED' }));
  child.kill('SIGKILL');
  await once(child, 'exit');
  addon.lock(file).release();
});

test('cannot be taken where nothing can be written', () => {
  const file = path.join(temporaryFolder(), 'nowhere', 'run.lock');
  expect(() => addon.lock(file)).toThrow(expect.objectContaining({ code: 'NOT_WRITABLE', path: file }));
});
