/** A layer's row for who hears it: everything that its card shows, in one sentence. Pure. */
import type { LayerRow, Tensor } from '../state/stack-rows.ts';
import { count, tensorWords } from '../ui/index.ts';
import { insideWords } from './inside-words.ts';
import { labelOf, nameOf, noteOf, summaryOf } from './words.ts';

export function shapeWords({ dims, dtype, padded }: Tensor): string {
  return tensorWords(dims, dtype === 'int64', padded);
}

/** "Convolution 2D, Conv2d, 4 channels · 3×3, layer 0, answers 4×6×6, 112 parameters". */
export function rowName(row: LayerRow): string {
  const { layer, kind, output, costs } = row;
  const label = nameOf(layer) || labelOf(kind);
  const note = noteOf(layer);
  return [
    label,
    label === kind ? '' : kind,
    summaryOf(layer),
    row.uses > 1 ? `used ${row.uses} times` : '',
    row.elsewhere ? 'layers shown at its first use' : '',
    row.holds.length > 0 ? `holds ${insideWords(row.holds)}` : '',
    row.disabled ? 'disabled' : '',
    row.frozen ? 'frozen' : '',
    row.number === null ? '' : `layer ${row.number}`,
    row.dimmed ? '' : `answers ${output === null ? 'a shape that is not known' : shapeWords(output)}`,
    costs && costs.parameters > 0 ? `${count(costs.parameters)} parameters` : '',
    note === '' ? '' : `note: ${note}`,
    ...row.problems.map(({ severity, message }) => `${severity}: ${message}`),
  ]
    .filter((part) => part !== '')
    .join(', ');
}
