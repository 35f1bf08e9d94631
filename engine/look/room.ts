/** The worker's end of looking inside: answers one ask after the other, and ends when nobody has asked for a while. */
import { rmSync } from 'node:fs';
import { GradloomError } from '../contract/errors.ts';
import type { Ask, FromWorker } from '../runs/protocol.ts';
import { Looker } from './looker.ts';

/** libtorch and the sessions hold some hundred megabytes. */
const idleMs = 90_000;

export class LookRoom {
  readonly #tell: (message: FromWorker) => void;
  readonly #waiting: { ask: Ask; abort: AbortController }[] = [];
  #current: { ask: Ask; abort: AbortController } | null = null;
  #wake: () => void = () => {};

  constructor(tell: (message: FromWorker) => void) {
    this.#tell = tell;
  }

  ask(ask: Ask): void {
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
    if (this.#current?.ask.id === id) this.#current.abort.abort();
  }

  /** Ends when nobody asks for some time, or when `signal` aborts. `folder`: for temporary files; it goes with the room. */
  async run(folder: string, signal: AbortSignal, idle = idleMs): Promise<null> {
    const stop = () => {
      this.#current?.abort.abort();
      this.#wake();
    };
    signal.addEventListener('abort', stop);
    const looker = new Looker(folder);
    try {
      while (!signal.aborted) {
        const next = this.#waiting.shift();
        if (next) await this.#answer(looker, next);
        else if (!(await this.#asked(idle))) break;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await looker.close();
      rmSync(folder, { recursive: true, force: true }); // whoever made it may be gone
    }
    return null;
  }

  /** Whether somebody did before the time was over. */
  #asked(idle: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), idle);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  async #answer(looker: Looker, asked: { ask: Ask; abort: AbortController }): Promise<void> {
    this.#current = asked;
    const { id, request, options } = asked.ask;
    try {
      this.#tell({ type: 'told', id, value: await looker.look(request, options, asked.abort.signal) });
    } catch (thrown) {
      this.#tell({ type: 'refused', id, error: GradloomError.from(thrown).toInfo() });
    } finally {
      this.#current = null;
    }
  }
}
