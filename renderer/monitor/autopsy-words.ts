/** An autopsy as facts that a person reads and as lines of a chart. Pure. */
import type { Autopsy } from '../../engine/contract/autopsy.ts';
import { fromNum, type Num } from '../../engine/contract/events.ts';
import { integer, type LineSeries, number, plural } from '../ui/index.ts';

const phases: Record<Autopsy['phase'], string> = {
  input: 'the batch itself',
  forward: 'the output of a layer',
  loss: 'the loss',
  backward: 'a gradient',
  update: 'what the optimizer made of a gradient',
  parameters: 'the weights, after an earlier step',
  evaluation: 'the validation',
  none: 'not found again',
};

export function autopsyFacts(found: Autopsy): [string, string][] {
  const { layer, kind, name, tensor, values, step, epoch, batch, batches, lr, precision, checkpoint } = found;
  const facts: [string, string | null][] = [
    ['First in', phases[found.phase]],
    ['Layer', layer === null ? null : [`${layer}: ${kind ?? 'layer'}`, name && `“${name}”`].filter(Boolean).join(' ')],
    ['Tensor', tensor],
    ['Its values', values && valueWords(values)],
    ['Step', `${integer(step)}, in epoch ${integer(epoch)}`],
    [
      'Batch',
      batch === null
        ? null
        : `${integer(batch)} of ${integer(batches)}, ${plural(found.samples.length, 'sample')} of ${found.part}`,
    ],
    ['Not finite in the data', found.faulty.length === 0 ? null : faultyWords(found)],
    ['Learning rate', lr === null ? null : number(lr)],
    ['Precision', precision],
    ['Last good state', checkpoint === null ? 'none' : `step ${integer(checkpoint.step)}`],
    ['Batch kept in', found.batch_file],
  ];
  return facts.flatMap(([label, text]) => (text === null || text === '' ? [] : [[label, text]]));
}

function valueWords({ elements, nan, positive_infinity, negative_infinity, min, max }: NonNullable<Autopsy['values']>) {
  const counts = [
    [nan, 'NaN'],
    [positive_infinity, '∞'],
    [negative_infinity, '−∞'],
  ] as const;
  const bad = counts.flatMap(([count, what]) => (count > 0 ? [`${integer(count)} ${what}`] : []));
  const rest = min === null || max === null ? 'none finite' : `the others from ${number(min)} to ${number(max)}`;
  return `${bad.length === 0 ? 'all finite' : bad.join(', ')} of ${integer(elements)}, ${rest}`;
}

/** As many are named. */
const mostNamed = 5;

function faultyWords({ faulty }: Autopsy): string {
  const named = faulty.slice(0, mostNamed).map(({ sample, column }) => `sample ${integer(sample)} (${column})`);
  const more = faulty.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${integer(more)} more` : ''}`;
}

/** What the last steps had: their loss, and the gradient's norm where it was measured. */
export function recentLines({ recent }: Autopsy): LineSeries[] {
  const line = (key: string, label: string, color: string, values: readonly Num[]): LineSeries => ({
    key,
    label,
    color,
    x: recent.step,
    mean: values.map(fromNum),
  });
  if (recent.step.length < 2) return [];
  return [
    line('loss', 'Loss', 'var(--series-0)', recent.loss),
    ...(recent.grad_norm ? [line('grad_norm', 'Gradient norm', 'var(--series-3)', recent.grad_norm)] : []),
  ];
}
