/** Folders that go away with the test that made them. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-native-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
