/** A temporary folder that goes with the work, however that ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeError } from '../runs/durable.ts';

/** @throws GradloomError NOT_WRITABLE, DISK_FULL */
export async function inWorkFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  let folder: string;
  try {
    folder = mkdtempSync(path.join(os.tmpdir(), `gradloom-${name}-`));
  } catch (thrown) {
    throw writeError(thrown, os.tmpdir());
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove); // a second Ctrl+C ends the process at once
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
