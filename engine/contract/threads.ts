/** How many threads a run's computations may be given: one rule for the command line, the window's settings and the wire. */

/** On any machine. */
const most = 1024;

/** More than a few on each core only wait for each other; 64 can be asked for anywhere, to repeat a run of a larger machine. */
export function mostThreads(cores: number): number {
  return Math.min(most, Math.max(64, 4 * cores));
}
