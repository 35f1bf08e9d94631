/** Samples with the very same input: repeated in a split, on both sides of one, or with different labels. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { plural } from '../../../format.ts';
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
  splitWords,
} from '../check.ts';
import { fingerprint } from '../hash.ts';

/** Rows of so few different values that they repeat by chance are no news. */
const byChance = 0.05;

interface Seen extends Sample {
  splits: number;
  label: number | null;
}

export const duplicates: Check = {
  title: 'Equal samples: within a split, across splits, with different labels',
  begin(patient) {
    const fingerprints = new Fingerprints(patient);
    return {
      row: (row) => fingerprints.add(row),
      done() {
        const groups = fingerprints.groups();
        const copies = groups.reduce((sum, group) => sum + group.length - 1, 0);
        const chance = patient.kind !== 'image' && copies > byChance * fingerprints.count;
        return [
          ...repeated(patient, groups, chance),
          ...across(patient, groups, chance),
          ...conflicting(patient, groups),
        ];
      },
    };
  },
};

/** 12 bytes a sample. */
class Fingerprints {
  readonly #patient: Patient;
  readonly #starts = new Map<string, number>();
  readonly #keys: Float64Array;
  readonly #checks: Uint32Array;
  count = 0;

  constructor(patient: Patient) {
    this.#patient = patient;
    let total = 0;
    for (const { name, count } of patient.parts) {
      this.#starts.set(name, total);
      total += count;
    }
    this.#keys = new Float64Array(total).fill(-1);
    this.#checks = new Uint32Array(total);
  }

  add({ part, index, input }: Row): void {
    const { key, check } = fingerprint(input);
    const at = (this.#starts.get(part.name) as number) + index;
    this.#keys[at] = key;
    this.#checks[at] = check;
    this.count++;
  }

  /** Samples that are equal, two and more, in the order of the first. */
  groups(): Seen[][] {
    const sorted = this.#keys.slice().sort();
    const repeated = new Set<number>();
    for (let i = 1; i < sorted.length; i++) {
      if (sorted[i] === sorted[i - 1] && sorted[i] !== -1) repeated.add(sorted[i] as number);
    }
    const groups = new Map<string, Seen[]>();
    if (repeated.size === 0) return [];
    for (const part of this.#patient.parts) {
      const start = this.#starts.get(part.name) as number;
      for (let index = 0; index < part.count; index++) {
        const key = this.#keys[start + index] as number;
        if (!repeated.has(key)) continue;
        const name = `${key}:${this.#checks[start + index]}`;
        const seen = { part, index, splits: part.splits[index] as number, label: part.labels?.[index] ?? null };
        const group = groups.get(name);
        if (group) group.push(seen);
        else groups.set(name, [seen]);
      }
    }
    return [...groups.values()].filter((group) => group.length > 1);
  }
}

const inTraining = ({ splits }: Seen) => (splits & splitBit.train) !== 0;

/** All but the first of each split. */
function repeated(patient: Patient, groups: Seen[][], chance: boolean): Finding[] {
  const copies = groups.flatMap((group) =>
    group.flatMap((sample, at) => {
      const first = group.find(({ splits }) => splits === sample.splits) as Seen;
      return group.indexOf(first) < at ? [{ sample, first }] : [];
    }),
  );
  if (copies.length === 0) return [];
  const word = sampleWord(patient);
  const offenders = copies.map(({ sample, first }) =>
    sampleOffender(patient, sample, `the same as ${patient.nameOf(first.part.name, first.index)}`),
  );
  return [
    {
      code: 'EXACT_DUPLICATE',
      severity: patient.kind === 'columns' || chance ? 'note' : 'warning',
      message: `${plural(copies.length, word)} ${copies.length === 1 ? 'repeats' : 'repeat'} another of the same split`,
      hint: chance
        ? 'With so many of them, they are likely different samples that happen to have equal values.'
        : 'Each counts as often as it is there, in training and in validation.',
      count: copies.length,
      offenders: named(offenders),
      fixes: leaveOut(
        patient,
        copies.map(({ sample }) => sample),
        `Leave out ${plural(copies.length, 'repeat')}`,
      ),
    },
  ];
}

/** Training samples that validate or test as well. */
function across(patient: Patient, groups: Seen[][], chance: boolean): Finding[] {
  const met: { sample: Seen; other: Seen }[] = [];
  let sides = 0;
  for (const group of groups) {
    const other = group.find((each) => !inTraining(each));
    if (!other) continue;
    for (const sample of group) {
      if (inTraining(sample)) met.push({ sample, other });
      else sides |= sample.splits;
    }
  }
  const training = met.filter(({ sample }) => inTraining(sample));
  if (training.length === 0) return [];
  const word = sampleWord(patient);
  const offenders = training.map(({ sample, other }): Offender => {
    const name = patient.nameOf(other.part.name, other.index);
    return sampleOffender(patient, sample, `the same as ${name} of ${splitWords(other.splits)}`);
  });
  return [
    {
      code: 'ACROSS_SPLITS',
      severity: chance ? 'note' : 'warning',
      message: `${plural(training.length, word)} of training ${training.length === 1 ? 'is' : 'are'} in ${splitWords(sides)} too`,
      hint: chance
        ? 'With so many of them, they are likely different samples that happen to have equal values.'
        : 'The network has seen them, so the score promises too much. Leave them out of training.',
      count: training.length,
      offenders: named(offenders),
      fixes: leaveOut(
        patient,
        training.map(({ sample }) => sample),
        `Leave ${training.length === 1 ? 'it' : `these ${plural(training.length, word)}`} out of training`,
      ),
    },
  ];
}

function conflicting(patient: Patient, groups: Seen[][]): Finding[] {
  const { classes } = patient;
  if (!classes) return [];
  const torn = groups.filter((group) => new Set(group.map(({ label }) => label)).size > 1);
  const samples = torn.flat();
  if (samples.length === 0) return [];
  const className = (label: number | null) => (label === null ? 'no class' : (classes[label] ?? String(label)));
  const offenders = torn.flatMap((group) =>
    group.map((sample) => {
      const other = group.find(({ label }) => label !== sample.label) as Seen;
      const name = patient.nameOf(other.part.name, other.index);
      return sampleOffender(
        patient,
        sample,
        `${className(sample.label)}; the same as ${name}: ${className(other.label)}`,
      );
    }),
  );
  const word = sampleWord(patient);
  return [
    {
      code: 'CONFLICTING_LABELS',
      severity: patient.kind === 'image' ? 'warning' : 'note',
      message: `${plural(samples.length, word)} ${samples.length === 1 ? 'is' : 'are'} equal to others of another class`,
      hint: 'At most one of the labels is right: correct them, or leave the samples out.',
      count: samples.length,
      offenders: named(offenders),
      fixes: leaveOut(patient, samples),
    },
  ];
}
