/** How many threads a run's computations may be given: one rule for the command line, the window's settings and the wire. */
import { availableParallelism } from 'node:os';
import { mostThreads } from './contract/api.ts';
import { GradloomError } from './contract/errors.ts';

/** More than a few on each core only wait for each other; 64 can be asked for anywhere, to repeat a run of a larger machine. */
export function threadsHere(): number {
  return Math.min(mostThreads, Math.max(64, 4 * availableParallelism()));
}

/** @throws GradloomError BAD_CALL */
export function checkThreads(threads: number): number {
  const most = threadsHere();
  if (Number.isInteger(threads) && threads >= 1 && threads <= most) return threads;
  throw new GradloomError('BAD_CALL', `A run cannot be given ${threads} threads on this machine: 1 to ${most} can be`, {
    hint: 'Give none for one on each physical core, which is the fastest for most networks.',
  });
}
