/** The memory of training as `plan` shows it: the estimate, what was measured, and what has been learned on the device. */
import { type MemoryCorrection, percentOff } from '../contract/estimate-correction.ts';
import type { MemoryEstimate } from '../contract/estimate-types.ts';
import type { MemoryFinding } from '../contract/finders.ts';
import { howMeasured } from '../contract/memory-words.ts';
import { bytes, plural, table } from '../format.ts';
import type { Output } from './output.ts';

interface Told {
  finding: MemoryFinding | null;
  correction: MemoryCorrection | null;
  /** The last layer whose memory is known; null: all of it is. */
  known: string | null;
}

export function showMemory(out: Output, memory: MemoryEstimate, { finding, correction, known }: Told): void {
  const named = Object.entries(memory.peak.parts).map(([part, value]) => `${part} ${bytes(value)}`);
  out.say();
  if (known !== null) {
    out.say(`Memory in training: up to layer ${known} ${bytes(memory.total)}, not known beyond`);
    return;
  }
  out.say(`Memory in training: ${bytes(memory.total)} at most, ${momentName(memory.peak)} (${named.join(', ')})`);
  if (finding) showFinding(out, finding);
  if (correction) out.say(sentenceOf(memory.total, correction));
}

function momentName({ phase, path }: MemoryEstimate['peak']): string {
  const at = path === null ? '' : ` at layer ${path}`;
  if (phase === 'update') return 'in the update of the weights';
  return phase === 'evaluation' ? `in an evaluation${at}` : `in the ${phase} pass${at}`;
}

function showFinding(out: Output, finding: MemoryFinding): void {
  const { probes, batch_size, phases, total, estimated, device } = finding;
  const row = (size: string, { forward, backward, update, evaluation }: MemoryFinding['phases']) => [
    size,
    bytes(forward),
    bytes(backward),
    bytes(update),
    evaluation > 0 ? bytes(evaluation) : 'none',
  ];
  const rows = probes.map((probe) => row(String(probe.batch_size), probe));
  out.say();
  out.say(`Measured on ${device}:`);
  out.say(
    table(
      [['batch', 'forward', 'backward', 'update', 'evaluation'], ...rows, row(`${batch_size}, expected`, phases)],
      [0, 1, 2, 3, 4],
    ),
  );
  out.say(howMeasured(finding));
  out.say(`Expected: ${bytes(total)}; the estimate is ${apart(estimated / total)}.`);
}

/** What to expect by what was learned. */
function sentenceOf(estimated: number, correction: MemoryCorrection): string {
  const { device, networks, same, factor } = correction;
  const from = same ? 'this network was measured' : `${plural(networks, 'network')} measured`;
  return `On ${device} expect ${bytes(estimated * factor)}, within ${percentOff(correction)} %: ${from} there.`;
}

function apart(ratio: number): string {
  const percent = Math.abs(100 * (ratio - 1));
  if (percent < 0.05) return 'the same';
  return `${percent.toFixed(1)} % ${ratio > 1 ? 'more' : 'less'}`;
}
