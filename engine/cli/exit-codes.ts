/** What the process's exit code says: 0 done, 1 the work failed, 2 the input or the call is wrong, 129, 130 and 143 after a signal. */
import type { ErrorCode } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';

export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

export const signalCode: Record<Signal, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Errors that no other call or input would have avoided; every other code means that one would. */
const failures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CANCELLED',
  'CLOSED',
  'DISK_FULL',
  'OUT_OF_MEMORY',
  'NON_FINITE',
  'SHAPE_MISMATCH',
  'LIBTORCH_MISSING',
  'LIBTORCH_TOO_OLD',
  'ADDON_MISSING',
  'ADDON_MISMATCH',
  'RUN_DAMAGED',
  'CHECKPOINT_DAMAGED',
  'WORKER_DIED',
  'INTERNAL',
]);

export function codeOfError(code: ErrorCode): number {
  return failures.has(code) ? 1 : 2;
}

/** How a run ended that was trained here, or watched; `signal` is what made it end, if one did. */
export function codeOfEnd(status: RunState, signal: Signal | null): number {
  if (status === 'interrupted') return signal ? signalCode[signal] : 1;
  return status === 'failed' ? 1 : 0;
}
