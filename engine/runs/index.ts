/** The runs, as the command line, the worker and the service see them. */
export { RunControl } from './control.ts';
export { evaluateRun, predictRun } from './evaluate.ts';
export { followJournal, readJournal } from './journal-reader.ts';
export { sendAction } from './live.ts';
export { findRun, listRuns, nextRunFolder } from './registry.ts';
export { resumeRun, trainRun } from './trainer.ts';
export type * from './types.ts';
