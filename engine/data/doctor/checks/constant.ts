/** What never changes: all values of a sample, a column or channel over all samples that train, all targets. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { plural, short } from '../../../format.ts';
import {
  type Check,
  leaveOut,
  named,
  type Patient,
  type Row,
  type Sample,
  sampleOffender,
  sampleWord,
  splitBit,
} from '../check.ts';
import { ignoreColumns } from '../columns.ts';

/** An image that is one colour but for so few of its pixels is nearly empty. */
const mostlyOne = 0.995;

export const constants: Check = {
  title: 'Constant samples, columns and targets; images nearly all one colour',
  begin(patient) {
    const { kind, dims, pack } = patient;
    const size = dims.reduce((product, dim) => product * dim, 1);
    const [channels = 1] = dims;
    const perChannel = kind === 'image' ? size / channels : 1;
    const watched = kind === 'image' ? channels : kind === 'columns' ? size : 0;
    const lows = new Float64Array(watched).fill(Number.POSITIVE_INFINITY);
    const highs = new Float64Array(watched).fill(Number.NEGATIVE_INFINITY);
    const blank: (Sample & { value: number })[] = [];
    const nearly: Sample[] = [];
    const targets = pack.facts.target.kind === 'vector' ? { low: Infinity, high: -Infinity, count: 0 } : null;

    const watch = (values: Float32Array) => {
      for (let i = 0; i < values.length; i++) {
        const at = kind === 'image' ? Math.floor(i / perChannel) : i;
        const value = values[i] as number;
        if (value < (lows[at] as number)) lows[at] = value;
        if (value > (highs[at] as number)) highs[at] = value;
      }
    };
    return {
      row(row) {
        if (kind !== 'tokens') {
          const values = row.values();
          if (row.splits & splitBit.train && stillConstant(lows, highs)) watch(values);
          if (kind !== 'columns' && size > 1) {
            if (isConstant(values)) blank.push({ part: row.part, index: row.index, value: values[0] as number });
            else if (kind === 'image' && nearlyConstant(values, channels, perChannel))
              nearly.push({ part: row.part, index: row.index });
          }
        }
        if (targets && row.splits & splitBit.train) note(targets, row);
      },
      done: () => [
        ...blankFinding(patient, blank),
        ...nearlyFinding(patient, nearly),
        ...columnFinding(patient, lows, highs),
        ...targetFinding(targets),
      ],
    };
  },
};

function note(targets: { low: number; high: number; count: number }, row: Row): void {
  targets.count++;
  for (const value of row.targetValues()) {
    if (value < targets.low) targets.low = value;
    if (value > targets.high) targets.high = value;
  }
}

/** Once every column has changed nothing more is to be learnt. */
function stillConstant(lows: Float64Array, highs: Float64Array): boolean {
  for (let i = 0; i < lows.length; i++) if (!((highs[i] as number) > (lows[i] as number))) return true;
  return false;
}

function isConstant(values: Float32Array): boolean {
  const [first] = values;
  for (const value of values) if (value !== first) return false;
  return true;
}

/** All channels of a pixel count together; the corner and the middle are likely to be of the colour. */
function nearlyConstant(values: Float32Array, channels: number, pixels: number): boolean {
  const others = Math.floor(pixels * (1 - mostlyOne));
  for (const start of [0, Math.floor(pixels / 2)]) {
    let different = 0;
    for (let pixel = 0; pixel < pixels && different <= others; pixel++) {
      for (let channel = 0; channel < channels; channel++) {
        const at = channel * pixels;
        if (values[at + pixel] !== values[at + start]) {
          different++;
          break;
        }
      }
    }
    if (different <= others && others > 0) return true;
  }
  return false;
}

function blankFinding(patient: Patient, blank: (Sample & { value: number })[]): Finding[] {
  if (blank.length === 0) return [];
  const word = sampleWord(patient);
  return [
    {
      code: 'CONSTANT',
      severity: 'warning',
      message: `${plural(blank.length, word)} ${blank.length === 1 ? 'holds' : 'hold'} one value everywhere`,
      hint: 'There is nothing to be seen in them: an empty file, or one that was not saved whole.',
      count: blank.length,
      offenders: named(blank.map((each) => sampleOffender(patient, each, `all ${short(each.value, 4)}`))),
      fixes: leaveOut(patient, blank),
    },
  ];
}

function nearlyFinding(patient: Patient, nearly: Sample[]): Finding[] {
  if (nearly.length === 0) return [];
  return [
    {
      code: 'ODD_VALUES',
      severity: 'note',
      message: `${plural(nearly.length, 'image')} ${nearly.length === 1 ? 'is' : 'are'} nearly all one colour`,
      hint: 'Look at them: they may be empty.',
      count: nearly.length,
      offenders: named(nearly.map((each) => sampleOffender(patient, each))),
      fixes: leaveOut(patient, nearly),
    },
  ];
}

function columnFinding(patient: Patient, lows: Float64Array, highs: Float64Array): Finding[] {
  const { kind, columns } = patient;
  const same = (at: number) => lows[at] === highs[at];
  const offenders: Offender[] =
    kind === 'image'
      ? Array.from(lows, (low, at) => ({ name: `channel ${at}`, detail: `always ${short(low, 4)}` })).filter((_, at) =>
          same(at),
        )
      : columns
          .filter(({ at, width }) => Array.from({ length: width }, (_, i) => at + i).every(same))
          .map(({ name, at }) => ({ name: `column ${name}`, detail: `always ${short(lows[at] as number, 4)}` }));
  if (offenders.length === 0 || offenders.length === (kind === 'image' ? lows.length : columns.length)) return [];
  const word = kind === 'image' ? 'channel' : 'column';
  return [
    {
      code: 'CONSTANT',
      severity: 'note',
      message: `${plural(offenders.length, word)} ${offenders.length === 1 ? 'is' : 'are'} the same for all samples that train`,
      hint: 'Nothing can be learnt from it; it costs a little.',
      count: offenders.length,
      offenders: named(offenders),
      fixes: ignoreColumns(
        patient,
        offenders.map(({ name }) => name.replace(/^column /, '')),
      ),
    },
  ];
}

function targetFinding(targets: { low: number; high: number; count: number } | null): Finding[] {
  if (!targets || targets.count < 2 || targets.low !== targets.high) return [];
  return [
    {
      code: 'CONSTANT',
      severity: 'error',
      message: `All targets that train are ${short(targets.low, 4)}`,
      hint: 'There is nothing to learn: check which column is the target.',
      count: targets.count,
      offenders: [],
      fixes: [],
    },
  ];
}
