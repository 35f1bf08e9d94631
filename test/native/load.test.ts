/** What the loader says when there is no addon, no libtorch, or the wrong ones. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import { load, loadAddon, nativeFiles } from '../../engine/native/load.ts';
import { threadingEnvironment } from '../../engine/native/threading.ts';
import { temporaryFolder } from './folders.ts';

function failure(files: Parameters<typeof load>[0]): GradloomError {
  try {
    load(files);
  } catch (error) {
    if (error instanceof GradloomError) return error;
  }
  throw new Error('It loaded');
}

function noAddon(): string {
  const file = path.join(temporaryFolder(), 'gradloom.node');
  writeFileSync(file, 'not a library');
  return file;
}

test('an addon that is not there', () => {
  const addon = path.join(temporaryFolder(), 'gradloom.node');
  const error = failure({ ...nativeFiles(), addon });
  expect(error).toMatchObject({ code: 'ADDON_MISSING', path: addon, hint: expect.stringContaining('npm run setup') });
});

test('libtorch that is not there', () => {
  const folder = path.join(temporaryFolder(), 'torch');
  const error = failure({ ...nativeFiles(), addon: noAddon(), libtorch: { path: folder, version: '2.15.0' } });
  expect(error).toMatchObject({
    code: 'LIBTORCH_MISSING',
    path: folder,
    hint: expect.stringContaining('npm run setup'),
  });
});

test('libtorch that became too old', () => {
  const folder = path.join(temporaryFolder(), 'torch');
  mkdirSync(path.join(folder, 'lib'), { recursive: true });
  for (const file of readdirSync(path.join(nativeFiles().libtorch.path, 'lib'), { withFileTypes: true })) {
    if (file.isFile()) writeFileSync(path.join(folder, 'lib', file.name), '');
  }
  writeFileSync(path.join(folder, 'version.py'), "__version__ = '2.9.1'\n");
  const error = failure({ ...nativeFiles(), addon: noAddon(), libtorch: { path: folder, version: '2.15.0' } });
  expect(error).toMatchObject({ code: 'LIBTORCH_TOO_OLD', message: expect.stringContaining('2.9.1') });
});

test('an addon that does not load although libtorch is whole', () => {
  const error = failure({ ...nativeFiles(), addon: noAddon() });
  expect(error).toMatchObject({ code: 'ADDON_MISMATCH', hint: expect.stringContaining('npm run setup') });
});

test('the addon describes the same tables, and the CPU is always a device', () => {
  const addon = loadAddon();
  expect(loadAddon()).toBe(addon);
  expect(addon.describe()).toMatchObject({ abi: 1, cpu: { threads: expect.any(Number) } });
  expect(addon.devices()[0]).toMatchObject({ name: 'cpu', memory_total: expect.any(Number) });
});

test('what a person has set about threads stays', () => {
  expect(threadingEnvironment({})).toEqual({ GOMP_SPINCOUNT: expect.any(String) });
  expect(threadingEnvironment({ GOMP_SPINCOUNT: '7' })).toEqual({});
  expect(threadingEnvironment({ OMP_WAIT_POLICY: 'active' })).toEqual({});
});
