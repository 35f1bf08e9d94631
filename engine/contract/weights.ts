/** Weights to start from, compared with a planned network: what fits, what is missing, what is left over, what has another shape. */
import { z } from 'zod';
import { capital } from './format.ts';
import type { LoadReport } from './native.ts';
import type { PlannedTensor } from './plan-types.ts';

const names = z.array(z.string());

/** `weights-report.json` of a run, and what a window is told before the start. */
export const weightsReportSchema = z.object({
  /** Absolute. */
  file: z.string(),
  /** The run that the file belongs to, and the checkpoint's folder name; null: it lies in none. */
  run: z.string().nullable(),
  checkpoint: z.string().nullable(),
  /** Taken from the file. */
  matched: names,
  /** Not in the file: they stay as freshly initialised. */
  missing: names,
  /** In the file only: left out. */
  unexpected: names,
  /** Of another shape in the file: they stay as freshly initialised. */
  mismatched: z.array(z.object({ name: z.string(), expected: z.array(z.number()), found: z.array(z.number()) })),
});
export type WeightsReport = z.infer<typeof weightsReportSchema>;

/** By name and shape alone, in the network's order; no tensor is read. */
export function compareWeights(
  found: readonly { name: string; shape: readonly number[] }[],
  planned: readonly Pick<PlannedTensor, 'name' | 'shape'>[],
): LoadReport {
  const there = new Map(found.map(({ name, shape }) => [name, shape]));
  const report: LoadReport = { matched: [], missing: [], unexpected: [], mismatched: [] };
  for (const { name, shape } of planned) {
    const other = there.get(name);
    if (other === undefined) report.missing.push(name);
    else if (other.length === shape.length && other.every((size, dim) => size === shape[dim]))
      report.matched.push(name);
    else report.mismatched.push({ name, expected: [...shape], found: [...other] });
  }
  const known = new Set(planned.map(({ name }) => name));
  report.unexpected = found.map(({ name }) => name).filter((name) => !known.has(name));
  return report;
}

/** One sentence with counts and names; `file` as it should be called. */
export function describeWeights({ matched, missing, unexpected, mismatched }: LoadReport, file: string): string {
  const all = matched.length + missing.length + mismatched.length;
  const shapes = mismatched.map(({ name, expected, found }) => `${name} [${found}] there, [${expected}] here`);
  const count = matched.length === all ? `all ${all} tensors were` : `${matched.length} of ${all} tensors were`;
  const parts = [
    `${capital(count)} taken from ${file}`,
    ...(missing.length ? [`${missing.length} not in the file, so freshly initialised: ${someOf(missing)}`] : []),
    ...(shapes.length ? [`${shapes.length} of another shape, so freshly initialised: ${someOf(shapes, '; ')}`] : []),
    ...(unexpected.length ? [`${unexpected.length} in the file only, so left out: ${someOf(unexpected)}`] : []),
  ];
  return parts.join('; ');
}

/** The first of many names. */
export function someOf(list: readonly string[], between = ', ', most = 8): string {
  const more = list.length > most ? ` and ${list.length - most} more` : '';
  return `${list.slice(0, most).join(between)}${more}` || 'nothing';
}
