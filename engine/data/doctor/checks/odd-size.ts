/** Images whose files have a size unlike the others': an icon among photos, a strip. */
import type { Offender } from '../../../contract/data/doctor.ts';
import { integer, plural } from '../../../format.ts';
import { type Check, leaveOut, named, type Sample, sampleOffender } from '../check.ts';

/** So many times as wide to high, or high to wide, as the median image. */
const oddShape = 3;
/** Of a sample's own side: enlarged so far, little is to be seen. */
const tooSmall = 0.25;

export const oddSize: Check = {
  title: 'Images of odd sizes',
  begin(patient) {
    const { kind, dims, sizes } = patient;
    if (kind !== 'image' || !sizes) return null;
    const [, height = 1, width = 1] = dims;
    return {
      async done() {
        const odd: { sample: Sample; detail: string }[] = [];
        for (const part of patient.parts) {
          const own = await sizes(part.name);
          const shape = (index: number) => (own[2 * index] as number) / Math.max(1, own[2 * index + 1] as number);
          const there = Array.from({ length: part.count }, (_, index) => index).filter(
            (index) => part.splits[index] !== 0 && (own[2 * index] as number) > 0,
          );
          const shapes = there.map(shape).sort((a, b) => a - b);
          const median = shapes[shapes.length >> 1] ?? 1;
          for (const index of there) {
            const [w, h] = [own[2 * index] as number, own[2 * index + 1] as number];
            const times = Math.max(shape(index) / median, median / shape(index));
            const small = Math.min(w, h) < tooSmall * Math.min(width, height);
            if (times < oddShape && !small) continue;
            const why = small ? `, enlarged to ${width} × ${height}` : '';
            odd.push({ sample: { part, index }, detail: `${integer(w)} × ${integer(h)} pixels${why}` });
          }
        }
        if (odd.length === 0) return [];
        return [
          {
            code: 'ODD_SIZE',
            severity: 'warning',
            message: `${plural(odd.length, 'image')} ${odd.length === 1 ? 'has' : 'have'} a size unlike the others`,
            hint: 'Cut or stretched to the size of all samples, little may be left of what they show. Look at them.',
            count: odd.length,
            offenders: named(odd.map(({ sample, detail }): Offender => sampleOffender(patient, sample, detail))),
            fixes: leaveOut(
              patient,
              odd.map(({ sample }) => sample),
            ),
          },
        ];
      },
    };
  },
};
