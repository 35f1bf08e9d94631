/** The service's end of a worker that stays: started at the first ask, kept until it ends by itself, replaced when it dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import type { TaskProgress } from '../contract/finders.ts';
import { inWorkFolder } from '../finders/work-folder.ts';
import type { Service } from '../service.ts';
import type { AnswerOf, ArgsOf, AskOptions, AskTable } from './ask.ts';

interface Asked {
  name: string;
  args: unknown;
  signal: AbortSignal | undefined;
  onProgress: ((progress: TaskProgress) => void) | undefined;
  /** It was under way when another worker died. */
  again: boolean;
  resolve: (answer: unknown) => void;
  reject: (error: GradloomError) => void;
}

interface Open {
  send: ReturnType<Service['converse']>['send'];
  end: AbortController;
  asked: Map<number, Asked>;
}

/** How a worker's death is told to those who were waiting. */
export interface Death {
  error: GradloomError;
  /** Whether this ask may have been its cause. */
  blames(name: string, args: unknown): boolean;
}

export interface KeeperOptions {
  room: Parameters<Service['converse']>[0]['type'];
  /** An ask that nobody waits for any more may go on for so long, since the next one profits from its warm worker; then the worker is ended. */
  graceMs: number;
  /** Reads what the worker left in its folder, which goes. */
  autopsy?: (error: GradloomError, folder: string) => Death;
}

export class AskKeeper<Asks extends AskTable> {
  readonly #service: Pick<Service, 'converse'>;
  readonly #options: KeeperOptions;
  #open: Open | null = null;
  #last = 0;

  constructor(service: Pick<Service, 'converse'>, options: KeeperOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** @throws GradloomError what the ask throws, WORKER_DIED, CANCELLED once `signal` aborts */
  ask<Name extends keyof Asks & string>(
    name: Name,
    args: ArgsOf<Asks, Name>,
    { signal, onProgress }: AskOptions = {},
  ): Promise<AnswerOf<Asks, Name>> {
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
        name,
        args,
        signal,
        onProgress,
        again: false,
        resolve: (answer) => {
          settled();
          resolve(answer as AnswerOf<Asks, Name>);
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
    const { name, args } = asked;
    this.#open.asked.set(id, asked);
    this.#open.send({ type: 'ask', id, name, args });
  }

  #start(): Open {
    const { room, autopsy } = this.#options;
    const asked: Open['asked'] = new Map();
    const end = new AbortController();
    const open: Open = { send: () => {}, end, asked };
    let death: Death | null = null;
    // Made here: a worker that is ended while it computes takes nothing away.
    const ended = inWorkFolder(room, async (folder) => {
      const talk = this.#service.converse(
        { type: room, folder },
        {
          signal: end.signal,
          onTold: (message) => {
            const to = asked.get(message.id);
            if (message.type === 'far') return to?.onProgress?.(message.progress);
            asked.delete(message.id);
            if (message.type === 'told') to?.resolve(message.value);
            else to?.reject(GradloomError.fromInfo(message.error));
          },
        },
      );
      open.send = talk.send;
      try {
        return await talk.ended;
      } catch (thrown) {
        death = autopsy?.(GradloomError.from(thrown), folder) ?? null;
        throw thrown;
      }
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
        this.#bury(asked, death ?? { error: GradloomError.from(thrown), blames: () => true });
      },
    );
    return open;
  }

  /** Whoever may be to blame for the worker's death is told of it; the others are asked again, once. */
  #bury(asked: Map<number, Asked>, { error, blames }: Death): void {
    const left = [...asked];
    const dead = error.code === 'WORKER_DIED';
    const guilty = left.filter(([, { name, args, again }]) => !dead || again || blames(name, args));
    const told = guilty.length > 0 ? guilty : left;
    for (const [, { reject }] of told) reject(error);
    const others = left.filter((each) => !told.includes(each));
    this.#askAgain(others.map(([id, each]): [number, Asked] => [id, { ...each, again: true }]));
  }

  async #forget(id: number): Promise<void> {
    const open = this.#open;
    if (!open?.asked.has(id)) return;
    open.send({ type: 'forget', id });
    await sleep(this.#options.graceMs, undefined, { ref: false });
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
