/** Data, as the rest of the engine sees it: what a source holds, its pack, its splits. */

export { describeSource } from './describe.ts';
export { leftOut } from './import-state.ts';
export { honourMarks, marksOfRun } from './marked.ts';
export { changeMarks, needMarksFile, readMarks } from './marks.ts';
export { type DataPack, type PackOptions, packSource } from './pack.ts';
export { packBytes } from './pack-limit.ts';
export { Previews } from './preview.ts';
export { makeSplits, type SplitName, type Splits } from './split.ts';
export { type Fitted, fits, fitTransforms, withFitted } from './transform.ts';
