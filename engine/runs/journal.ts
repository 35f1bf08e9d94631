/** Writes a run's journal `metrics.jsonl`: append-only, one event a line, never truncated. */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../contract/events.ts';
import { syncFolder, writeAll, writeError } from './durable.ts';

export const journalName = 'metrics.jsonl';

export class Journal {
  readonly #file: string;
  readonly #fd: number;
  #pending = '';
  #open = true;

  constructor(runFolder: string) {
    this.#file = path.join(runFolder, journalName);
    try {
      const isNew = !existsSync(this.#file);
      this.#fd = openSync(this.#file, 'a+');
      if (isNew) syncFolder(runFolder);
      if (this.#isCut()) this.#pending = '\n';
    } catch (thrown) {
      throw writeError(thrown, this.#file);
    }
  }

  /** Buffers a line; `flush` hands it to the system. */
  add(event: RunEvent): void {
    this.#pending += `${JSON.stringify(event)}\n`;
  }

  /** Once a chunk: survives the process's death. */
  flush(): void {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    try {
      writeAll(this.#fd, text);
    } catch (thrown) {
      this.#pending = '\n'; // the line may be cut: whatever follows starts on its own
      throw writeError(thrown, this.#file);
    }
  }

  /** At checkpoints and at the end: survives the machine's death. */
  sync(): void {
    this.flush();
    try {
      fsyncSync(this.#fd);
    } catch (thrown) {
      throw writeError(thrown, this.#file);
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  /** Whether a process died in the middle of a line. */
  #isCut(): boolean {
    const { size } = fstatSync(this.#fd);
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    readSync(this.#fd, last, 0, 1, size - 1);
    return last[0] !== 10;
  }
}
