/** Files that survive a crash: synced, or written under another name and renamed. Small ones, so all is synchronous. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { GradloomError } from '../contract/errors.ts';
import { systemError } from '../files.ts';

/** A failed write as a GradloomError. */
export function writeError(thrown: unknown, file: string): GradloomError {
  return systemError(thrown, file, 'write');
}

/** Makes the names in a folder durable. Windows neither needs nor allows it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

export function writeDurable(file: string, text: string): void {
  const fd = openSync(file, 'w');
  try {
    writeAll(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file as a whole: a reader, and a crash, see the old or the new one. `sync: false` for what can be told again from the journal:
 * then a loss of power may bring the old one back.
 */
export function replaceFile(file: string, text: string, { sync = true } = {}): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const fd = openSync(temporary, 'w');
    try {
      writeAll(fd, text);
      if (sync) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    if (sync) syncFolder(path.dirname(file));
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw writeError(thrown, file);
  }
}

export function replaceJson(file: string, value: unknown, options?: { sync: boolean }): void {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, options);
}
