/** The engine's calls, typed by the contract, and the loop for the calls that wait. */
import { type ClientLink, createORPCClient } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import type { api } from '../../engine/contract/api.ts';
import { GradloomError } from '../../engine/contract/errors.ts';
import { Connection } from './connection.ts';

export type Engine = ContractRouterClient<typeof api>;

export const connection = new Connection();

const link: ClientLink<Record<never, never>> = {
  call: (path, input, options) =>
    connection.call(path, input, options.signal === undefined ? {} : { signal: options.signal }),
};

export const engine: Engine = createORPCClient(link);

/** Until a call that could not be made is made again. */
export const retryMs = 1000;

/**
 * Asks again and again until `signal` aborts: `ask` is a call that waits and shows what it answers. A lost connection is waited for; another
 * error is told, and asking goes on after a while unless `onError` answers false.
 */
export async function keepAsking(
  ask: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  onError: (error: GradloomError) => boolean,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await connection.ready(signal);
      await ask(signal);
    } catch (thrown) {
      if (signal.aborted) return;
      const error = GradloomError.from(thrown);
      if (error.code !== 'CLOSED' && !onError(error)) return;
      await new Promise((resolve) => setTimeout(resolve, error.code === 'CLOSED' ? 0 : retryMs));
    }
  }
}

export type { ConnectionStatus } from './connection.ts';
