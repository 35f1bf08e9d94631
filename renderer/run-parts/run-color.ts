/** The colour of a run, the same everywhere and for as long as it lives, whatever it is called by now. */
import type { RunRow } from '../../engine/contract/api.ts';
import { seriesColor } from '../ui/theme/colors.ts';

export interface NamedRun {
  name: string;
  summary?: Pick<NonNullable<RunRow['summary']>, 'first_name'> | null;
}

/** The name that it began with. */
export function firstName({ name, summary }: NamedRun): string {
  return summary?.first_name ?? name;
}

export function runColor(run: NamedRun): string {
  return seriesColor(firstName(run));
}
