/** The search for a batch size: doubled until something does not fit, then bisected. Each size is answered by a probe of its own. */
import type { BatchFinding, BatchProbe } from '../contract/finders.ts';

const firstSize = 16;
/** The search ends when the gap is an eighth of the size that fits: no training depends on less. */
const fineness = 8;
/** A size is as fast as the fastest when it reaches this share of its rate. */
const asFast = 0.95;

interface Search {
  /** The largest size to try. */
  max: number;
  probe: (size: number) => Promise<BatchProbe>;
}

/** Every probe in its order, and whether memory ended it. */
export async function searchBatch({ max, probe }: Search): Promise<{ probes: BatchProbe[]; ranOut: boolean }> {
  const probes: BatchProbe[] = [];
  const fits = async (size: number): Promise<boolean> => {
    const answer = await probe(size);
    probes.push(answer);
    return answer.fits;
  };
  let good = 0;
  let bad = Number.POSITIVE_INFINITY;
  for (let size = Math.min(firstSize, max); ; size = Math.min(size * 2, max)) {
    if (!(await fits(size))) {
      bad = size;
      break;
    }
    good = size;
    if (size === max) break;
  }
  while (good === 0 && bad > 1) {
    const half = Math.floor(bad / 2);
    if (await fits(half)) good = half;
    else bad = half;
  }
  if (good === 0 || bad === Number.POSITIVE_INFINITY) return { probes, ranOut: bad !== Number.POSITIVE_INFINITY };
  const grain = Math.max(1, 2 ** Math.floor(Math.log2(good / fineness)));
  while (bad - good > grain) {
    const middle = Math.round((good + bad) / 2 / grain) * grain;
    const size = middle <= good || middle >= bad ? good + grain : middle;
    if (await fits(size)) good = size;
    else bad = size;
  }
  return { probes, ranOut: true };
}

/** The smallest size that is as fast as the fastest, among those that the project takes without a problem. */
export function suggestBatch(
  probes: readonly BatchProbe[],
  problemOf: (size: number) => string | null,
): Pick<BatchFinding, 'largest' | 'suggestion' | 'reason'> {
  const ran = probes.filter(({ fits }) => fits).sort((a, b) => a.batch_size - b.batch_size);
  const largest = ran.at(-1)?.batch_size ?? null;
  if (largest === null) {
    const smallest = [...probes].sort((a, b) => a.batch_size - b.batch_size)[0];
    const why = smallest?.problem ?? 'it did not run';
    return { largest, suggestion: null, reason: `Not even ${smallest?.batch_size ?? 1} fits: ${why}` };
  }
  const allowed = ran.filter(({ batch_size }) => problemOf(batch_size) === null);
  const best = Math.max(...allowed.map(({ samples_per_second: rate }) => rate ?? 0));
  const chosen = allowed.find(({ samples_per_second: rate }) => (rate ?? 0) >= asFast * best);
  if (!chosen) {
    return {
      largest,
      suggestion: null,
      reason: `None of the sizes that ran suits the project: ${problemOf(largest) ?? ''}`,
    };
  }
  const size = chosen.batch_size;
  return {
    largest,
    suggestion: size,
    reason:
      size === largest
        ? 'The largest that ran, and the fastest.'
        : `As fast as any larger one; up to ${largest} runs, but that brings no more samples a second.`,
  };
}
