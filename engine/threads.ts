/** Refuses more threads than this machine can use. */
import { availableParallelism } from 'node:os';
import { GradloomError } from './contract/errors.ts';
import { mostThreads } from './contract/threads.ts';

export function threadsHere(): number {
  return mostThreads(availableParallelism());
}

/** @throws GradloomError BAD_CALL */
export function checkThreads(threads: number): number {
  const most = threadsHere();
  if (Number.isInteger(threads) && threads >= 1 && threads <= most) return threads;
  throw new GradloomError('BAD_CALL', `A run cannot be given ${threads} threads on this machine: 1 to ${most} can be`, {
    hint: 'Give none for one on each physical core, which is the fastest for most networks.',
  });
}
