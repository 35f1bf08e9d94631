/** The service's end of looking inside: one worker at a time, started at the first look and kept until it ends by itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import type { Look, LookOptions } from '../contract/look.ts';
import { inWorkFolder } from '../finders/work-folder.ts';
import type { TrainRequest } from '../runs/types.ts';
import type { Service } from '../service.ts';

/** A look that nobody waits for any more may go on for so long, since the next one profits from its warm worker. */
const graceMs = 2000;

interface Asked {
  request: TrainRequest;
  options: LookOptions;
  signal: AbortSignal | undefined;
  resolve: (look: Look) => void;
  reject: (error: GradloomError) => void;
}

interface Open {
  send: ReturnType<Service['converse']>['send'];
  end: AbortController;
  asked: Map<number, Asked>;
}

export class LookKeeper {
  readonly #service: Pick<Service, 'converse'>;
  #open: Open | null = null;
  #last = 0;

  constructor(service: Pick<Service, 'converse'>) {
    this.#service = service;
  }

  /** @throws GradloomError what `Looker.look` throws, WORKER_DIED, CANCELLED once `signal` aborts */
  look(request: TrainRequest, options: LookOptions, signal?: AbortSignal): Promise<Look> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new GradloomError('CANCELLED', 'It was cancelled before it began'));
      const id = ++this.#last;
      const cancel = () => {
        reject(new GradloomError('CANCELLED', 'It was cancelled'));
        void this.#forget(id);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      const settled = () => signal?.removeEventListener('abort', cancel);
      this.#ask(id, {
        request,
        options,
        signal,
        resolve: (look) => {
          settled();
          resolve(look);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
    });
  }

  #ask(id: number, asked: Asked): void {
    this.#open ??= this.#start();
    const { request, options } = asked;
    this.#open.asked.set(id, asked);
    this.#open.send({ type: 'ask', id, request, options });
  }

  #start(): Open {
    const asked: Open['asked'] = new Map();
    const end = new AbortController();
    const open: Open = { send: () => {}, end, asked };
    // Made here: a worker that is ended while it computes takes nothing away.
    const ended = inWorkFolder('look', (folder) => {
      const talk = this.#service.converse(
        { type: 'look', folder },
        {
          signal: end.signal,
          onTold: (message) => {
            const to = asked.get(message.id);
            asked.delete(message.id);
            if (message.type === 'told') to?.resolve(message.value);
            else to?.reject(GradloomError.fromInfo(message.error));
          },
        },
      );
      open.send = talk.send;
      return talk.ended;
    });
    const closed = () => {
      if (this.#open === open) this.#open = null;
    };
    void ended.then(
      () => {
        closed();
        // It ended by itself just as somebody asked.
        this.#askAgain(asked);
      },
      (thrown: unknown) => {
        closed();
        for (const left of asked.values()) left.reject(GradloomError.from(thrown));
      },
    );
    return open;
  }

  async #forget(id: number): Promise<void> {
    const open = this.#open;
    if (!open?.asked.has(id)) return;
    open.send({ type: 'forget', id });
    await sleep(graceMs, undefined, { ref: false });
    const still = open.asked.get(id);
    if (!still) return;
    // It computes something long: whoever asked meanwhile is better off with a new one.
    open.asked.delete(id);
    if (this.#open === open) this.#open = null;
    const others = [...open.asked];
    open.asked.clear();
    open.end.abort();
    this.#askAgain(others);
  }

  /** Of another worker, what somebody still waits for. */
  #askAgain(left: Iterable<[number, Asked]>): void {
    for (const [id, asked] of left) if (!asked.signal?.aborted) this.#ask(id, asked);
  }
}
