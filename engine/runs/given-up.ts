/** The state in which a run stopped being finite: with other settings it is no place to go on from, for its weights answer the same again. */
import { isDeepStrictEqual } from 'node:util';
import type { ResolvedProject } from '../contract/project.ts';
import { readAutopsy } from './autopsy.ts';
import { readSummary } from './summary.ts';

/** What went wrong here lies in the weights: no learning rate and no clipping changes what this batch makes of them. */
const inTheWeights = new Set(['forward', 'loss', 'backward', 'evaluation', 'none']);
/** Settings that change nothing of the way to such a state, or may cure it as it stands (the precision). */
const harmless = new Set(['epochs', 'device', 'precision', 'checkpoint', 'early_stopping', 'metrics']);

export interface GivenUp {
  /** The checkpoint's. */
  folder: string;
  step: number;
}

/** The checkpoint that a run goes back beyond, since somebody has changed how it trains; null: there is none. */
export function givenUp(run: string, before: ResolvedProject | null, now: ResolvedProject): GivenUp | null {
  if (before === null || readSummary(run)?.error?.code !== 'NON_FINITE') return null;
  const autopsy = readAutopsy(run);
  if (!autopsy?.checkpoint || !inTheWeights.has(autopsy.phase) || autopsy.faulty.length > 0) return null;
  const way = ({ training }: ResolvedProject) => Object.entries(training).filter(([key]) => !harmless.has(key));
  return isDeepStrictEqual(way(before), way(now)) ? null : autopsy.checkpoint;
}
