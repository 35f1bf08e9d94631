/** Runs the Data Doctor on data that a test has made. */
import type { DoctorReport, Finding, FindingCode } from '../../engine/contract/data/doctor.ts';
import type { TaskProgress } from '../../engine/contract/finders.ts';
import type { Addon } from '../../engine/contract/native.ts';
import { examineData } from '../../engine/data/doctor/examine.ts';
import { testFolder } from './idx-writer.ts';

/** A permutation by the seed; test/parity/splits.test.ts compares the addon's with PyTorch's. */
export function randperm(n: number, seed: number): Float64Array {
  const order = Float64Array.from({ length: n }, (_, i) => i);
  let state = (seed % 2147483646) + 1;
  for (let i = n - 1; i > 0; i--) {
    state = (state * 48271) % 2147483647;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

export const addon = { randperm } as unknown as Addon;

/** Numbers in [0, 1) from a seed. */
export function noise(seed: number): () => number {
  let state = seed * 7919 + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

export function examine(
  source: { kind: string; [key: string]: unknown },
  more: { split?: object; training?: object; signal?: AbortSignal; onProgress?: (progress: TaskProgress) => void } = {},
): Promise<DoctorReport> {
  const { split = { val: 0 }, training = {}, signal = new AbortController().signal, onProgress = () => {} } = more;
  return examineData(JSON.stringify({ gradloom: 1, data: { source, split }, training }), '/', {
    addon,
    cacheDir: testFolder(),
    signal,
    onProgress,
  });
}

/** The one finding of a code; fails where there is another number of them. */
export function only({ findings }: DoctorReport, code: FindingCode): Finding {
  const found = findings.filter((finding) => finding.code === code);
  if (found.length !== 1) throw new Error(`${found.length} findings of ${code}: ${JSON.stringify(findings)}`);
  return found[0] as Finding;
}

export const codes = ({ findings }: DoctorReport): FindingCode[] => findings.map(({ code }) => code);
