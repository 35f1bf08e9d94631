/** The memory that training is estimated to take, by part: the same parts in the same colours wherever they are shown. */
import type { MemoryParts as Parts } from '../../engine/contract/estimate-types.ts';
import { bytes, StackedBar } from '../ui/index.ts';

const parts = [
  { key: 'activations', label: 'Activations', color: 'var(--series-2)' },
  { key: 'weights', label: 'Weights', color: 'var(--series-0)' },
  { key: 'gradients', label: 'Gradients', color: 'var(--series-3)' },
  { key: 'optimizer', label: 'Optimizer', color: 'var(--series-4)' },
  { key: 'workspace', label: 'Workspace', color: 'var(--series-5)' },
  { key: 'input', label: 'Batch', color: 'var(--series-7)' },
] as const;

/** Of the whole training at its highest moment, or of a layer: then those parts that it has. */
export function MemoryParts({ parts: given }: { parts: Partial<Parts> }) {
  return (
    <StackedBar
      label="Memory in training"
      format={bytes}
      parts={parts.flatMap(({ key, label, color }) => {
        const value = given[key];
        return value === undefined ? [] : [{ label, color, value }];
      })}
    />
  );
}
