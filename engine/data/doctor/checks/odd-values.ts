/** Values that no computation survives, and numbers far away from all the others. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { mostNamed } from '../../../contract/data/inspect.ts';
import { plural, short } from '../../../format.ts';
import { type Check, leaveOut, named, type Patient, type Row, type Sample, sampleOffender } from '../check.ts';
import { ColumnSample } from '../column-sample.ts';
import { Extremes } from '../extremes.ts';

export const oddValues: Check = {
  title: 'NaN, infinities and far outliers',
  begin(patient) {
    const { input, target } = patient.pack.parts.train ?? {};
    const floats = input?.dtype === 'float32';
    const floatTargets = target?.dtype === 'float32';
    if (!floats && !floatTargets) return null;
    const notFinite = new NotFinite();
    const targetsNotFinite = new NotFinite();
    const numbers = patient.kind === 'columns' && floats ? new Outliers(patient) : null;
    return {
      row(row) {
        if (floats) notFinite.look(row, row.values());
        if (floatTargets) targetsNotFinite.look(row, row.targetValues());
        numbers?.look(row);
      },
      done: () => [
        ...notFinite.findings(patient, 'input'),
        ...targetsNotFinite.findings(patient, 'target'),
        ...(numbers?.findings() ?? []),
      ],
    };
  },
};

class NotFinite {
  readonly #found: (Sample & { nan: number; infinite: number })[] = [];

  look({ part, index }: Row, values: Float32Array): void {
    let [nan, infinite] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value - value === 0) continue;
      if (Number.isNaN(value)) nan++;
      else infinite++;
    }
    if (nan + infinite > 0) this.#found.push({ part, index, nan, infinite });
  }

  findings(patient: Patient, what: 'input' | 'target'): Finding[] {
    const found = this.#found;
    if (found.length === 0) return [];
    const offenders = found.map((each) => {
      const parts = [
        each.nan > 0 ? `${each.nan} NaN` : '',
        each.infinite > 0 ? plural(each.infinite, 'infinity', 'infinities') : '',
      ];
      return sampleOffender(patient, each, parts.filter(Boolean).join(', '));
    });
    return [
      {
        code: 'ODD_VALUES',
        severity: 'error',
        message: `${plural(found.length, 'sample')} ${found.length === 1 ? 'has' : 'have'} NaN or infinities in the ${what}`,
        hint: 'One of them makes the loss NaN, and training ends there. Mend the values, or leave the samples out.',
        count: found.length,
        offenders: named(offenders),
        fixes: leaveOut(patient, found),
      },
    ];
  }
}

/** Deviations from the median in units of what they mostly are: of a normal distribution, standard deviations. */
const farAway = 12;
/** And so many times as far as the next one, so that long tails are none. */
const alone = 3;

class Outliers {
  readonly #patient: Patient;
  readonly #sample: ColumnSample;
  readonly #extremes: Extremes[];

  constructor(patient: Patient) {
    this.#patient = patient;
    this.#sample = new ColumnSample(patient);
    this.#extremes = this.#sample.columns.map(() => new Extremes());
  }

  look(row: Row): void {
    this.#sample.look(row);
    const values = row.values();
    for (const [i, { at, width }] of this.#sample.columns.entries()) {
      if (width === 1) this.#extremes[i]?.add(values[at] as number, row.part, row.index);
    }
  }

  findings(): Finding[] {
    const offenders: Offender[] = [];
    const samples = new Map<string, Sample>();
    let count = 0;
    for (const [i, { name, width }] of this.#sample.columns.entries()) {
      if (width !== 1) continue;
      const robust = this.#sample.robust(i);
      if (!robust) continue;
      for (const far of this.#extremes[i]?.beyond(robust, farAway, alone) ?? []) {
        count += far.count;
        const times = far.count > 1 ? `, ${plural(far.count, 'time')}` : '';
        for (const { part, index } of far.samples) {
          samples.set(`${part.name} ${index}`, { part, index });
          const detail = `column ${name} is ${short(far.value, 5)}, most are near ${short(robust.median, 5)}${times}`;
          if (offenders.length < mostNamed) offenders.push(sampleOffender(this.#patient, { part, index }, detail));
        }
      }
    }
    if (count === 0) return [];
    return [
      {
        code: 'ODD_VALUES',
        severity: 'warning',
        message: `${plural(count, 'value')} ${count === 1 ? 'is' : 'are'} far away from all others of the column`,
        hint: 'A typing error, or a number that stands for "unknown" (999, -1)? It squeezes the others together when the column is scaled.',
        count,
        offenders: named(offenders),
        fixes: leaveOut(this.#patient, [...samples.values()]),
      },
    ];
  }
}
