/** The table of optimizers: PyTorch's names, arguments, defaults and bounds. */
import { adamKinds } from './optimizers/adam.ts';
import { adaptiveKinds } from './optimizers/adaptive.ts';
import { descentKinds } from './optimizers/descent.ts';
import type { OptimizerKind } from './optimizers/kind.ts';
import { tableOf } from './table.ts';

export type { OptimizerKind } from './optimizers/kind.ts';

export const optimizerKinds: readonly OptimizerKind[] = [...adamKinds, ...descentKinds, ...adaptiveKinds];

export const optimizers = tableOf(optimizerKinds);
