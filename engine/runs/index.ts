/** The runs, as the command line, the worker and the service see them. */

export { trainRun } from './begin.ts';
export { RunControl } from './control.ts';
export { evaluateRun, predictRun } from './evaluate.ts';
export { type ExportOptions, exportRun } from './export.ts';
export { findRun } from './folder.ts';
export { followJournal, readJournal } from './journal-reader.ts';
export { sendAction, sendRequest } from './live.ts';
export { predictFiles } from './predict-files.ts';
export { describeRun, listRuns } from './registry.ts';
export { resumeRun } from './resume.ts';
export type * from './types.ts';
