/** How long an epoch may take here, from earlier runs of the same network on the same device. Pure. */
import type { RunRow } from './api.ts';

/** What is asked of a run. */
export type TimedRun = Pick<RunRow, 'name' | 'summary'>;

export interface EpochEstimate {
  /** Seconds of training an epoch, validation not counted. */
  seconds: number;
  /** The run whose rate it is. */
  run: string;
}

export interface EstimateOf {
  /** The project's name, as summaries of its runs hold it. */
  project: string;
  parameters: number;
  /** Of training, an epoch. */
  samples: number;
  /** null: on whichever it was. */
  device: string | null;
}

/** `runs`: latest first. One of this very project counts before another of the same size. */
export function epochEstimate(runs: readonly TimedRun[], wanted: EstimateOf): EpochEstimate | null {
  if (wanted.samples <= 0 || wanted.parameters <= 0) return null;
  const fitting = runs.filter(
    ({ summary }) =>
      summary !== null &&
      summary.parameters === wanted.parameters &&
      (wanted.device === null || summary.device === wanted.device) &&
      (summary.samples_per_second ?? 0) > 0,
  );
  const run = fitting.find(({ summary }) => summary?.name === wanted.project) ?? fitting[0];
  const rate = run?.summary?.samples_per_second;
  return run && rate ? { seconds: wanted.samples / rate, run: run.name } : null;
}

/** What a template's epoch is expected to take, on two CPU cores. */
export interface Expected {
  wanted: EstimateOf;
  seconds: number;
}

/**
 * How many times as long epochs take here as expected, from the templates that were trained on the device of the latest run; null: none
 * was. Networks differ in what they gain from a computer: it is a guess for the others, and none is made from another device's runs.
 */
export function speedHere(runs: readonly TimedRun[], expected: readonly Expected[]): number | null {
  const device = runs.find(({ summary }) => summary !== null)?.summary?.device ?? null;
  if (device === null) return null;
  const ratios = expected.flatMap(({ wanted, seconds }) => {
    const measured = epochEstimate(runs, { ...wanted, device });
    return measured && seconds > 0 ? [Math.log(measured.seconds / seconds)] : [];
  });
  return ratios.length === 0 ? null : Math.exp(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length);
}
