/** The commands that help after an error or a note: its own text is read in the window too, and names none. */
import { commandLine } from '../command-line.ts';
import type { ErrorCode } from '../contract/errors.ts';

/** `run`: the run's folder, where it is known. */
export function commandsFor(code: ErrorCode | (string & {}), run: string = 'RUN'): string | null {
  switch (code) {
    case 'NON_FINITE':
      return commandLine('autopsy', run);
    case 'EARLY_STOPPED':
      return commandLine('resume', run, '--epochs', 'N');
    case 'RUN_NOT_FOUND':
      return commandLine('runs');
    case 'RUN_LOCKED':
      return `${commandLine('watch', run)}, or ${commandLine('stop', run)}`;
    case 'RUN_NOT_LIVE':
      return `${commandLine('resume', run)}, with --epochs N for more of them; ${commandLine('runs')}`;
    case 'DEVICE_UNAVAILABLE':
      return commandLine('doctor');
    default:
      return null;
  }
}
