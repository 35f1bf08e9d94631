/** How the weights to start from fit the network, in words. Pure. */
import type { WeightsReport } from '../../engine/contract/weights.ts';
import { dims, integer, plural } from '../ui/format.ts';

/** "All 8 tensors fit" or "6 of 8 tensors fit". */
export function fitSentence({ matched, missing, mismatched }: WeightsReport): string {
  const all = matched.length + missing.length + mismatched.length;
  return matched.length === all
    ? `All ${plural(all, 'tensor')} fit`
    : `${integer(matched.length)} of ${plural(all, 'tensor')} fit`;
}

export interface ReportPart {
  title: string;
  what: string;
  lines: string[];
}

/** What does not fit, and what becomes of it. */
export function reportParts({ missing, unexpected, mismatched }: WeightsReport): ReportPart[] {
  return [
    { title: 'Missing', what: 'not among these weights, so they start afresh', lines: missing },
    {
      title: 'Differently shaped',
      what: 'of another shape, so they start afresh',
      lines: mismatched.map(({ name, expected, found }) => `${name}: ${dims(found)} there, ${dims(expected)} here`),
    },
    { title: 'Unexpected', what: 'only among these weights, so they are left out', lines: unexpected },
  ].filter(({ lines }) => lines.length > 0);
}

/** "Fresh weights", "weights of best.pt". */
export function weightsSentence(weights: string | null, report: WeightsReport | null): string {
  if (weights === null) return 'Fresh weights';
  const name = weights.split(/[\\/]/).findLast((part) => part !== '') ?? weights;
  return `Those of ${report?.run ?? name}${report === null ? '' : `, ${fitSentence(report).toLowerCase()}`}`;
}
