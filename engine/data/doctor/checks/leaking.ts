/** Columns that give the target away, or only number the rows. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { plural } from '../../../format.ts';
import type { InputColumn } from '../../open-source.ts';
import { type Check, named, type Patient } from '../check.ts';
import { ColumnSample } from '../column-sample.ts';
import { ignoreColumns } from '../columns.ts';

/** One rule on one column that is right so often, or a correlation that high. */
const tooGood = 0.999;
/** Where one class is that frequent, guessing it is nearly as good. */
const oneClass = 0.99;
const fewestRows = 20;
/** Each value must have come so often that a rule made of it means something. */
const fewestPerValue = 4;
/** On average, before thresholds between them mean something. */
const fewestPerClass = 4;
const mostColumns = 512;

export const leaking: Check = {
  title: 'Columns that give the target away',
  begin(patient) {
    const { kind, columns, pack, dims } = patient;
    const { target } = pack.facts;
    if (kind !== 'columns') return null;
    const autoencoder = target.kind === 'vector' && target.dims.length === 1 && target.dims[0] === dims[0];
    if (autoencoder || (target.kind !== 'class' && target.kind !== 'vector')) return null;
    if (columns.length > mostColumns) return `Leaking columns: not looked for in more than ${mostColumns} columns`;
    const sample = new ColumnSample(patient);
    return {
      row: (row) => sample.look(row),
      done: () => (sample.count < fewestRows ? [] : findings(patient, sample)),
    };
  },
};

function findings(patient: Patient, sample: ColumnSample): Finding[] {
  const isClass = patient.pack.facts.target.kind === 'class';
  const leaks: Offender[] = [];
  const counting: Offender[] = [];
  for (const column of sample.columns) {
    const values = sample.codes(column);
    const name = `column ${column.name}`;
    if (column.width === 1 && numbersRows(values, sample.positions.subarray(0, sample.count))) {
      counting.push({ name, detail: 'rises by the same step from row to row' });
      continue;
    }
    const why = isClass ? givesClass(values, sample, column) : givesNumber(values, sample);
    if (why !== null) leaks.push({ name, detail: why });
  }
  return [
    ...found(
      patient,
      leaks,
      'warning',
      (count) => `${plural(count, 'column')} alone ${count === 1 ? 'gives' : 'give'} the target away`,
      'Is it known before the answer is? If not, the network will learn it and nothing else, and fail where it counts.',
    ),
    ...found(
      patient,
      counting,
      'note',
      (count) => `${plural(count, 'column')} only ${count === 1 ? 'numbers' : 'number'} the rows`,
      'What is learnt from the place in a file holds in this file only.',
    ),
  ];
}

function found(
  patient: Patient,
  offenders: Offender[],
  severity: Finding['severity'],
  message: (count: number) => string,
  hint: string,
): Finding[] {
  if (offenders.length === 0) return [];
  const names = offenders.map(({ name }) => name.replace(/^column /, ''));
  const fixes = ignoreColumns(patient, names);
  return [
    {
      code: 'LEAKING',
      severity,
      message: message(offenders.length),
      hint,
      count: offenders.length,
      offenders: named(offenders),
      fixes,
    },
  ];
}

/** A running number, whatever its unit. */
function numbersRows(values: Float32Array, positions: Float64Array): boolean {
  const last = values.length - 1;
  const slope =
    ((values[last] as number) - (values[0] as number)) / ((positions[last] as number) - (positions[0] as number));
  if (!Number.isFinite(slope) || slope === 0) return false;
  return values.every((value, i) => {
    const expected = (values[0] as number) + slope * ((positions[i] as number) - (positions[0] as number));
    return Math.abs(value - expected) < 0.25 * Math.abs(slope) + 1e-6 * Math.abs(value);
  });
}

function givesClass(values: Float32Array, { labels, count }: ColumnSample, { kind }: InputColumn): string | null {
  const own = labels.subarray(0, count);
  const classes = new Set(own).size;
  const byClass = new Map<number, number>();
  for (const label of own) byClass.set(label, (byClass.get(label) ?? 0) + 1);
  // Of a sample or two a class anything tells them apart.
  if (classes < 2 || count < fewestPerClass * classes || Math.max(...byClass.values()) > oneClass * count) return null;
  const rule = new Map<number, Map<number, number>>();
  for (let i = 0; i < count; i++) {
    const value = values[i] as number;
    const at = rule.get(value) ?? new Map<number, number>();
    at.set(own[i] as number, (at.get(own[i] as number) ?? 0) + 1);
    rule.set(value, at);
  }
  if (rule.size <= count / fewestPerValue) {
    let right = 0;
    for (const counts of rule.values()) right += Math.max(...counts.values());
    return right >= tooGood * count
      ? `each value has one class: right for ${((100 * right) / count).toFixed(1)}% of the rows`
      : null;
  }
  if (kind === 'category') return null;
  // Of many values: cut into as many stretches as there are classes, or a few more, each of one class.
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => (values[a] as number) - (values[b] as number),
  );
  let changes = 0;
  for (let i = 1; i < count; i++) {
    if (own[order[i] as number] !== own[order[i - 1] as number]) changes++;
  }
  return changes < 2 * classes - 1
    ? `${plural(changes, 'threshold')} on it ${changes === 1 ? 'tells' : 'tell'} all classes apart`
    : null;
}

function givesNumber(values: Float32Array, { targets }: ColumnSample): string | null {
  const width = targets[0]?.length ?? 0;
  for (let at = 0; at < width; at++) {
    const r = correlation(values, targets, at);
    if (Math.abs(r) >= tooGood)
      return `correlation ${r.toFixed(4)}${width > 1 ? ` with value ${at} of the target` : ''}`;
  }
  return null;
}

export function correlation(values: Float32Array, targets: readonly Float32Array[], at: number): number {
  const count = Math.min(values.length, targets.length);
  let [x, y] = [0, 0];
  for (let i = 0; i < count; i++) {
    x += values[i] as number;
    y += targets[i]?.[at] as number;
  }
  x /= count;
  y /= count;
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const dx = (values[i] as number) - x;
    const dy = (targets[i]?.[at] as number) - y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}
