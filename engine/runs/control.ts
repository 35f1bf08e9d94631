/** What a person wants of a live run: set from a signal handler, a socket or a window, obeyed by the trainer at its next step. */
import type { LiveAnswer, LiveRequest, PassingRequest } from '../contract/control.ts';
import { GradloomError } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';

/** The last thing asked for. `run` goes on; `interrupt` is a signal or a lost parent. */
export type Wish = 'run' | 'pause' | 'park' | 'stop' | 'discard' | 'interrupt';

/** Leaving wishes in the order in which one may replace another: a discarded run is never un-discarded. */
const rank: Record<Wish, number> = { run: 0, pause: 0, stop: 1, park: 2, interrupt: 3, discard: 4 };

const leftAs: Partial<Record<Wish, RunState>> = {
  stop: 'stopped',
  park: 'parked',
  interrupt: 'interrupted',
  discard: 'stopped',
};

/** A request that waits for the end of the trainer's step. */
export interface Waiting {
  request: PassingRequest;
  answer(answer: Omit<LiveAnswer, 'status'>): void;
  refuse(error: GradloomError): void;
}

/**
 * Every method answers when its wish has taken effect, with the state that the run is then in. None rejects, but for what is asked with
 * `request` and cannot be done.
 */
export class RunControl {
  #wish: Wish = 'run';
  #state: RunState = 'preparing';
  #reason: string | undefined;
  #ended = false;
  #waiting: { wish: Wish; answer: (state: RunState) => void }[] = [];
  #requests: Waiting[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #leaving = new AbortController();

  get wish(): Wish {
    return this.#wish;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Why the run was interrupted: `SIGINT`, `parent lost`… */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Whether the run is to end as soon as it can. */
  get leaving(): boolean {
    return rank[this.#wish] > 0;
  }

  /** Aborted once the run is to be left: for preparations that take long. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The state in which a run is left. */
  get leftAs(): RunState {
    return leftAs[this.#wish] ?? this.#state;
  }

  pause(): Promise<RunState> {
    return this.#ask('pause');
  }

  continue(): Promise<RunState> {
    return this.#ask('run');
  }

  /** Save, and end the process that holds the run. */
  park(): Promise<RunState> {
    return this.#ask('park');
  }

  /** Save, and end; the result is kept. */
  stop(): Promise<RunState> {
    return this.#ask('stop');
  }

  /** End and delete the run. */
  discard(): Promise<RunState> {
    return this.#ask('discard');
  }

  interrupt(reason: string): Promise<RunState> {
    this.#reason ??= reason;
    return this.#ask('interrupt');
  }

  /** @throws GradloomError RUN_NOT_LIVE when the run has ended before, BAD_CALL, DISK_FULL… */
  async request(request: LiveRequest): Promise<LiveAnswer> {
    if (request.action !== 'snapshot' && request.action !== 'set') return { status: await this[request.action]() };
    if (this.#ended) throw tooLate(request);
    return new Promise((resolve, reject) => {
      this.#requests.push({
        request,
        answer: (answer) => resolve({ status: this.#state, ...answer }),
        refuse: reject,
      });
      this.#tell();
    });
  }

  /** For the trainer: what is to be done before its next step. */
  takeRequests(): Waiting[] {
    const taken = this.#requests;
    this.#requests = [];
    return taken;
  }

  /** Calls `listener` at each new wish; answers how to end that. */
  onWish(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the wish is no longer `pause`, or when there is a request to be done meanwhile. */
  async unpaused(): Promise<void> {
    while (this.#wish === 'pause' && this.#requests.length === 0) {
      await new Promise<void>((resolve) => {
        this.#tell = () => {
          off();
          resolve();
        };
        const off = this.onWish(this.#tell);
      });
      this.#tell = () => {};
    }
  }

  /** Tells a paused trainer of a request. */
  #tell: () => void = () => {};

  /** For the trainer: the run is now in `state`; whoever waited for it is answered. */
  reached(state: RunState, ended = false): void {
    this.#state = state;
    this.#ended ||= ended;
    const holds = (wish: Wish) =>
      this.#ended || (wish === 'pause' ? state === 'paused' : wish === 'run' && state === 'running');
    const answered = this.#waiting.filter(({ wish }) => holds(wish));
    this.#waiting = this.#waiting.filter(({ wish }) => !holds(wish));
    for (const { answer } of answered) answer(state);
    if (this.#ended) for (const { request, refuse } of this.takeRequests()) refuse(tooLate(request));
  }

  #ask(wish: Wish): Promise<RunState> {
    if (this.#ended) return Promise.resolve(this.#state);
    const replaces = rank[wish] >= rank[this.#wish];
    const asked = new Promise<RunState>((answer) => {
      this.#waiting.push({ wish: replaces ? wish : this.#wish, answer });
    });
    if (replaces && wish !== this.#wish) {
      this.#wish = wish;
      // A pause that was overtaken is answered with what comes instead.
      this.#waiting = this.#waiting.map((one) => (one.wish === 'pause' || one.wish === 'run' ? { ...one, wish } : one));
      if (this.leaving) this.#leaving.abort();
      for (const listener of [...this.#listeners]) listener();
    }
    this.reached(this.#state);
    return asked;
  }
}

function tooLate({ action }: PassingRequest): GradloomError {
  const what = action === 'set' ? 'be changed' : 'save a snapshot';
  return new GradloomError('RUN_NOT_LIVE', `The run ended before it could ${what}`, {
    hint: 'A run that has ended can be resumed, also with more epochs.',
  });
}
