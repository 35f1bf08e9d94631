/** The commands that help after an error or a note: its own text is read in the window too, and names none. */
import type { ErrorCode } from '../contract/errors.ts';

/** `run`: the run's folder, where it is known. */
export function commandsFor(code: ErrorCode | (string & {}), run: string = 'RUN'): string | null {
  switch (code) {
    case 'NON_FINITE':
      return `gradloom autopsy ${run}`;
    case 'EARLY_STOPPED':
      return `gradloom resume ${run} --epochs N`;
    case 'RUN_NOT_FOUND':
      return 'gradloom runs';
    case 'RUN_LOCKED':
      return `gradloom watch ${run}, or gradloom stop ${run}`;
    case 'RUN_NOT_LIVE':
      return `gradloom resume ${run}, with --epochs N for more of them; gradloom runs`;
    case 'DEVICE_UNAVAILABLE':
      return 'gradloom doctor';
    default:
      return null;
  }
}
