/** Data, as the rest of the engine sees it: what a source holds, its pack, its splits. */
export { type DataPack, type PackOptions, packSource } from './pack.ts';
export { Previews } from './preview.ts';
export { describeSource } from './source.ts';
export { makeSplits, type SplitName, type Splits } from './split.ts';
