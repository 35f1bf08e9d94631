/** What every command is given, and how commands are added to the program. */
import type { Command } from 'commander';
import { ignoresHangup } from '../hangup.ts';
import { type Signal, signalCode } from './exit-codes.ts';
import type { Output } from './output.ts';

export interface Context {
  out: Output;
  /** The exit code if nothing throws. */
  exitCode: number;
}

/** Adds one command (or a family of like ones) to the program. */
export type AddCommand = (program: Command, context: Context) => void;

/**
 * While `work` runs, the first SIGINT, SIGTERM or SIGHUP (a terminal that was closed, unless `nohup` was asked for) is told to `onSignal`, so that the work can save and end by itself; the second ends the
 * process at once. Answers which came.
 */
export async function withSignals<T>(
  onSignal: (signal: Signal) => void,
  work: (received: () => Signal | null) => Promise<T>,
): Promise<T> {
  let received: Signal | null = null;
  const listener = (signal: Signal) => {
    if (received) process.exit(signalCode[signal]);
    received = signal;
    onSignal(signal);
  };
  const ignored = () => {}; // unheard, it would end the process
  const hangup = ignoresHangup() ? ignored : listener;
  process.on('SIGINT', listener).on('SIGTERM', listener).on('SIGHUP', hangup);
  try {
    return await work(() => received);
  } finally {
    process.off('SIGINT', listener).off('SIGTERM', listener).off('SIGHUP', hangup);
  }
}

/** Runs work that saves nothing and can simply be aborted; an aborted one sets the signal's exit code. */
export async function abortable(context: Context, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const abort = new AbortController();
  await withSignals(
    () => abort.abort(),
    async (received) => {
      try {
        await work(abort.signal);
      } catch (thrown) {
        if (!received()) throw thrown;
      }
      const signal = received();
      if (signal) context.exitCode = signalCode[signal];
    },
  );
}
