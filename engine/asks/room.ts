/** The worker's end: answers what it is asked, and ends when nobody has asked for a while. */
import { rmSync } from 'node:fs';
import { GradloomError } from '../contract/errors.ts';
import type { TaskProgress } from '../contract/finders.ts';
import type { FromWorker, ToWorker } from '../runs/protocol.ts';
import type { AskContext } from './ask.ts';

/** What a warm worker keeps takes some hundred megabytes. */
const idleMs = 90_000;
/** Progress is told at most so often; the newest counts. */
const tellMs = 100;

export type AskMessage = Extract<ToWorker, { type: 'ask' }>;

/** Whoever knows the answers, with what is kept between them. */
export interface Answerer {
  answer(name: string, args: unknown, context: AskContext): Promise<unknown>;
  close(): Promise<void>;
}

interface Asked {
  ask: AskMessage;
  abort: AbortController;
}

export class Room {
  readonly #tell: (message: FromWorker) => void;
  readonly #open: (folder: string) => Answerer;
  readonly #atOnce: number;
  readonly #waiting: Asked[] = [];
  readonly #current = new Map<Asked, Promise<void>>();
  #wake: () => void = () => {};

  /** `open` is given a folder for temporary files; it goes with the room. At most `atOnce` asks are answered at a time, in their order. */
  constructor(tell: (message: FromWorker) => void, open: (folder: string) => Answerer, atOnce: number) {
    this.#tell = tell;
    this.#open = open;
    this.#atOnce = atOnce;
  }

  ask(ask: AskMessage): void {
    this.#waiting.push({ ask, abort: new AbortController() });
    this.#wake();
  }

  /** Nobody waits for this answer any more. */
  forget(id: number): void {
    const at = this.#waiting.findIndex(({ ask }) => ask.id === id);
    if (at >= 0) {
      this.#waiting.splice(at, 1);
      const error = new GradloomError('CANCELLED', 'It was cancelled before it began').toInfo();
      this.#tell({ type: 'refused', id, error });
    }
    for (const { ask, abort } of this.#current.keys()) if (ask.id === id) abort.abort();
  }

  /** Ends when nobody asks for some time, or when `signal` aborts. */
  async run(folder: string, signal: AbortSignal, idle = idleMs): Promise<null> {
    const stop = () => {
      for (const { abort } of this.#current.keys()) abort.abort();
      this.#wake();
    };
    signal.addEventListener('abort', stop);
    const answerer = this.#open(folder);
    try {
      while (!signal.aborted) {
        while (this.#current.size < this.#atOnce && this.#waiting.length > 0) {
          const next = this.#waiting.shift() as Asked;
          this.#current.set(next, this.#answer(answerer, next));
        }
        if (!(await this.#stirred(this.#current.size > 0 ? null : idle))) break;
      }
      await Promise.all(this.#current.values());
    } finally {
      signal.removeEventListener('abort', stop);
      await answerer.close();
      rmSync(folder, { recursive: true, force: true }); // whoever made it may be gone
    }
    return null;
  }

  /** Whether somebody asked, or an answer was given, before the time was over. */
  #stirred(idle: number | null): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = idle === null ? undefined : setTimeout(() => resolve(false), idle);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  async #answer(answerer: Answerer, asked: Asked): Promise<void> {
    const { id, name, args } = asked.ask;
    let told = 0;
    const onProgress = (progress: TaskProgress) => {
      const now = performance.now();
      if (now - told < tellMs) return;
      told = now;
      this.#tell({ type: 'far', id, progress });
    };
    try {
      const value = await answerer.answer(name, args, { signal: asked.abort.signal, onProgress });
      this.#tell({ type: 'told', id, value });
    } catch (thrown) {
      this.#tell({ type: 'refused', id, error: GradloomError.from(thrown).toInfo() });
    } finally {
      this.#current.delete(asked);
      this.#wake();
    }
  }
}
