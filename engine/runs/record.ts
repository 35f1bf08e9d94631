/** What a live run tells: each event to its journal, its log and whoever listens, and its state to `summary.json`. */
import path from 'node:path';
import type { RunEvent, RunState } from '../contract/events.ts';
import { replaceJson } from './durable.ts';
import { Journal } from './journal.ts';
import { appendLog, logLines } from './log.ts';
import { type RunSummary, summaryName } from './summary.ts';
import type { EventSink } from './types.ts';

/** Events of the union, without the time that `emit` adds. */
type Timeless<Event> = Event extends RunEvent ? Omit<Event, 'time'> : never;
export type NewEvent = Timeless<RunEvent>;

const now = (): string => new Date().toISOString();

export class RunRecord {
  readonly folder: string;
  readonly journal: Journal;
  readonly #sink: EventSink;
  #summary: RunSummary;

  constructor(folder: string, summary: RunSummary, sink: EventSink) {
    this.folder = folder;
    this.#summary = summary;
    this.#sink = sink;
    this.journal = new Journal(folder);
  }

  /** Writes first, then tells: what a listener knows, a reader of the folder can know too. */
  emit<E extends NewEvent>(event: E): E & { time: string } {
    const timed = { ...event, time: now() };
    this.journal.add(timed as RunEvent);
    this.journal.flush();
    this.#tell(timed as RunEvent);
    return timed;
  }

  /** Not to the journal: progress of preparations, and what can no longer be written. */
  tell<E extends NewEvent>(event: E): E & { time: string } {
    const timed = { ...event, time: now() };
    this.#tell(timed as RunEvent);
    return timed;
  }

  get summary(): RunSummary {
    return this.#summary;
  }

  update(changes: Partial<RunSummary>): void {
    this.#summary = { ...this.#summary, ...changes, updated: now() };
    replaceJson(path.join(this.folder, summaryName), this.#summary, { sync: false });
  }

  enter(status: RunState): void {
    this.update({ status });
    this.emit({ type: 'state', status });
  }

  #tell(event: RunEvent): void {
    appendLog(this.folder, logLines(event, this.#summary), event.time);
    this.#sink(event);
  }
}

const progressMs = 250;

/** Tells how far packing is, a few times a second, and nothing when it is done at once. */
export function packingProgress(record: RunRecord): (done: number, total: number) => void {
  let told = performance.now();
  return (done, total) => {
    if (performance.now() - told < progressMs) return;
    told = performance.now();
    record.tell({ type: 'progress', run: record.folder, stage: 'packing the data', done, total });
  };
}
