/** The service's end of looking inside: one worker at a time, warm from one look to the next. */
import { AskKeeper } from '../asks/keeper.ts';
import type { Look, LookOptions } from '../contract/look.ts';
import type { TrainRequest } from '../runs/types.ts';
import type { Service } from '../service.ts';
import type { LookAsks } from './room.ts';

const graceMs = 2000;

export class LookKeeper {
  readonly #keeper: AskKeeper<LookAsks>;

  constructor(service: Pick<Service, 'converse'>) {
    this.#keeper = new AskKeeper(service, { room: 'look', graceMs });
  }

  /** @throws GradloomError what `Looker.look` throws, WORKER_DIED, CANCELLED once `signal` aborts */
  look(request: TrainRequest, options: LookOptions, signal?: AbortSignal): Promise<Look> {
    return this.#keeper.ask('look', { request, options }, { signal });
  }
}
