/** Values that a finder suggests, as edits of the project. Pure. */
import type { Edit } from '../../engine/contract/problems.ts';
import type { ResolvedProject } from '../../engine/contract/project.ts';
import { isObject, setEdit } from '../../engine/contract/report.ts';

const optimizer = ['training', 'optimizer'];

/** Where the schedule climbs to a peak of its own, that is the rate; else the optimizer's, which needs its kind, written or not. */
export function learningRateEdits(
  written: unknown,
  { optimizer: { kind }, schedule }: Pick<ResolvedProject['training'], 'optimizer' | 'schedule'>,
  lr: number,
): Edit[] {
  if (typeof schedule?.args.max_lr === 'number') return [setEdit(['training', 'schedule', 'max_lr'], lr)];
  const has = isObject(written) && typeof written.kind === 'string';
  return [has ? setEdit([...optimizer, 'lr'], lr) : setEdit(optimizer, { kind, lr })];
}

/** A suggestion is no more exact than its curve: two digits. */
export function roundRate(lr: number): number {
  return Number(lr.toPrecision(2));
}
