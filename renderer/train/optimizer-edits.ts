/** Values that a finder suggests, as edits of the project. Pure. */
import type { Edit } from '../../engine/contract/problems.ts';
import { isObject, setEdit } from '../../engine/contract/report.ts';

const optimizer = ['training', 'optimizer'];

/** The learning rate needs its optimizer's kind, written or not. */
export function learningRateEdits(written: unknown, kind: string, lr: number): Edit[] {
  const has = isObject(written) && typeof written.kind === 'string';
  return [has ? setEdit([...optimizer, 'lr'], lr) : setEdit(optimizer, { kind, lr })];
}

/** A suggestion is no more exact than its curve: two digits. */
export function roundRate(lr: number): number {
  return Number(lr.toPrecision(2));
}
