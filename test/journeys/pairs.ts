/** Every optimizer with every schedule, as projects of a few dozen steps. */
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import { scheduleKinds } from '../../engine/contract/schedules.ts';
import { type Settings, tinyProject } from './interrupted.ts';

export interface Pair {
  name: string;
  project: object;
  seed: number;
}

const schedulesTried: (Settings & { kind: string })[] = scheduleKinds.map(({ kind, adaptive, suggest }, i) => {
  if (adaptive) return { kind, patience: 0, threshold: 0.05, factor: 0.5, cooldown: 1 };
  const byStep = i % 2 === 1 || kind === 'OneCycleLR';
  const warmup = i % 3 === 0 ? { warmup: { steps: 4 + i, start_factor: 0.2 } } : {};
  return { kind, unit: byStep ? 'step' : 'epoch', ...suggest(byStep ? 36 : 4), ...warmup };
});

function pair(optimizer: number, schedule: number): Pair {
  const kind = optimizerKinds[optimizer]?.kind as string;
  const chosen = schedulesTried[schedule] as (typeof schedulesTried)[number];
  const momentum = kind === 'SGD' ? { momentum: 0.9 } : {};
  return {
    name: `${kind} × ${chosen.kind}`,
    project: tinyProject({ optimizer: { kind, lr: 0.01, ...momentum }, schedule: chosen }),
    seed: 1000 * optimizer + schedule,
  };
}

export const allPairs: Pair[] = optimizerKinds.flatMap((_, optimizer) =>
  schedulesTried.map((_schedule, schedule) => pair(optimizer, schedule)),
);

/** Each optimizer and each schedule at least once. */
export const somePairs: Pair[] = Array.from(
  { length: Math.max(optimizerKinds.length, schedulesTried.length) },
  (_, i) => pair(i % optimizerKinds.length, i % schedulesTried.length),
);
