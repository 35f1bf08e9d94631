/** Work on many items at once whose results come out one by one, in the items' order: files decoded on all cores within bounded memory. */
import { availableParallelism } from 'node:os';

/** Enough to keep libuv's and sharp's threads busy while results are written. */
export const defaultInFlight = Math.max(4, 2 * availableParallelism());

export interface InOrderOptions {
  /** At most so many items are worked on or wait for their turn: what bounds the memory. */
  inFlight?: number;
  signal?: AbortSignal | undefined;
}

/** Yields `work(item)` of each item. The first work that fails ends it, once what is under way has ended; so does leaving the loop. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item, index: number) => Promise<Result>,
  { inFlight = defaultInFlight, signal }: InOrderOptions = {},
): AsyncGenerator<Result, void, void> {
  const pending: Promise<Result>[] = [];
  let index = 0;
  try {
    for await (const item of items) {
      signal?.throwIfAborted();
      const started = work(item, index++);
      started.catch(() => {}); // told when its turn comes
      pending.push(started);
      if (pending.length >= inFlight) yield await (pending.shift() as Promise<Result>);
    }
    while (pending.length > 0) {
      signal?.throwIfAborted();
      yield await (pending.shift() as Promise<Result>);
    }
  } finally {
    await Promise.allSettled(pending);
  }
}
