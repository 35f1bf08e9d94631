/** Images that are one picture twice: saved anew, resized, a little lighter. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { integer, plural } from '../../../format.ts';
import {
  type Check,
  leaveOut,
  named,
  type Patient,
  type ReadRow,
  type Sample,
  sampleOffender,
  splitBit,
  splitWords,
} from '../check.ts';
import { distanceBetween, makeThumbs, standardise } from '../thumbs.ts';

/**
 * How far two small pictures of 16 × 16 may be apart, light and contrast aside; 2 are opposite ones. Photos that were saved as JPEG of
 * quality 50 stay below half of it, the nearest two of ten thousand handwritten digits are twice as far.
 */
const nearSmall = 0.06;
/** And the images themselves: fine grain does not survive JPEG, small images are all that there is of them. Those two digits: 0.17. */
const nearWhole = (pixels: number) => (pixels <= 64 * 64 ? 0.12 : 0.3);
/** Bytes of small pictures that are kept. */
const mostBytes = 256 << 20;
/** Pairs that are looked at whole. */
const mostPairs = 20_000;

interface Pair {
  first: Sample;
  later: Sample;
  likeness: number;
}

export const nearDuplicates: Check = {
  title: 'Near duplicates of images: 16 × 16 pictures, then the images themselves',
  begin(patient) {
    if (patient.kind !== 'image') return null;
    const [, height = 0, width = 0] = patient.dims;
    const total = patient.parts.reduce((sum, { count }) => sum + count, 0);
    const most = Math.min(total, Math.floor(mostBytes / (16 * 16 * 4)));
    const thumbs = makeThumbs(patient.dims, most);
    if (!thumbs)
      return `Near duplicates: not looked for in images of ${width} × ${height}, which are too small to tell`;
    const samples: Sample[] = [];
    return {
      row({ part, index, values }) {
        if (thumbs.count < most && thumbs.add(values())) samples.push({ part, index });
      },
      async done(read) {
        const { pairs, all } = thumbs.near(nearSmall);
        const found = await verified(pairs.slice(0, mostPairs), samples, read, nearWhole(height * width));
        return found.length === 0 ? [] : [finding(patient, found, all && pairs.length <= mostPairs && most === total)];
      },
    };
  },
};

/** The first likeness of each later image whose pixels are near too; equal images are another check's. */
async function verified(
  pairs: readonly [number, number][],
  samples: readonly Sample[],
  read: ReadRow,
  limit: number,
): Promise<Pair[]> {
  const found = new Map<number, Pair>();
  const ordered = [...pairs].sort(([a, b], [c, d]) => b - d || a - c);
  for (const [at, other] of ordered) {
    if (found.has(other)) continue;
    const [first, later] = [samples[at] as Sample, samples[other] as Sample];
    const [a, b] = [await read(first.part, first.index), await read(later.part, later.index)];
    if (a.every((value, i) => value === b[i]) || !standardise(a) || !standardise(b)) continue;
    const distance = distanceBetween(a, b);
    if (distance <= limit) found.set(other, { first, later, likeness: 1 - (distance * distance) / 2 });
  }
  return [...found.values()];
}

function finding(patient: Patient, pairs: Pair[], all: boolean): Finding {
  const splitsOf = ({ part, index }: Sample) => part.splits[index] as number;
  const isTorn = ({ first, later }: Pair) => Boolean((splitsOf(first) ^ splitsOf(later)) & splitBit.train);
  const torn = pairs.filter(isTorn);
  const trained = torn.map(({ first, later }) => (splitsOf(first) & splitBit.train ? first : later));
  const unique = trained.filter((sample, at) => trained.findIndex((each) => same(each, sample)) === at);
  const offenders = pairs.map((pair): Offender => {
    const { first, later, likeness } = pair;
    const where = isTorn(pair) ? ` of ${splitWords(splitsOf(first))}` : '';
    const labels = labelWords(patient, first, later);
    const percent = `${(100 * likeness).toFixed(2)}% alike`;
    return sampleOffender(
      patient,
      later,
      `like ${patient.nameOf(first.part.name, first.index)}${where}, ${percent}${labels}`,
    );
  });
  const crossing =
    torn.length > 0 ? `; ${integer(torn.length)} of them across training and what validates or tests` : '';
  const fixes = [
    ...leaveOut(patient, unique, `Leave ${plural(unique.length, 'image')} out of training`),
    ...leaveOut(
      patient,
      pairs.map(({ later }) => later),
      `Leave out ${plural(pairs.length, 'later image')}`,
    ),
  ];
  return {
    code: 'NEAR_DUPLICATE',
    severity: torn.length > 0 ? 'warning' : 'note',
    message: `${all ? '' : 'At least '}${plural(pairs.length, 'image')} ${pairs.length === 1 ? 'looks' : 'look'} like an earlier one${crossing}`,
    hint:
      torn.length > 0
        ? 'What was trained on is no test. Look at them, and leave one side out.'
        : 'Look at them: one of each may do.',
    count: pairs.length,
    offenders: named(offenders),
    fixes,
  };
}

const same = (a: Sample, b: Sample) => a.part === b.part && a.index === b.index;

function labelWords({ classes }: Patient, first: Sample, later: Sample): string {
  const label = ({ part, index }: Sample) => part.labels?.[index] ?? null;
  const [a, b] = [label(first), label(later)];
  if (a === b || a === null || b === null) return '';
  return `, ${classes?.[a] ?? a} there and ${classes?.[b] ?? b} here`;
}
