/** Weights in and out of the studio. */
export { type Certificate, type Exported, type ExportFormat, type ExportOptions, exportRun } from './export-run.ts';
export { readSafetensors, writeSafetensors } from './safetensors.ts';
export { readWeights, toSafetensors } from './weights.ts';
