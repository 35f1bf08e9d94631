/** The memory that training is estimated to take, by part: the same parts in the same colours wherever they are shown. */
import { useLocation } from 'wouter';
import type { MemoryEstimate, MemoryPhase, MemoryParts as Parts } from '../../engine/contract/estimate-types.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { layerNumbered, showLayerAt } from '../state/stack-structure.ts';
import { bytes, StackedBar } from '../ui/index.ts';
import styles from './project-parts.module.css';

const parts = [
  { key: 'activations', label: 'Activations', color: 'var(--series-2)' },
  { key: 'weights', label: 'Weights', color: 'var(--series-0)' },
  { key: 'gradients', label: 'Gradients', color: 'var(--series-3)' },
  { key: 'optimizer', label: 'Optimizer', color: 'var(--series-4)' },
  { key: 'workspace', label: 'Workspace', color: 'var(--series-5)' },
  { key: 'input', label: 'Batch', color: 'var(--series-7)' },
] as const;

/** Of a moment of the training, or of a layer: then those parts that it has. */
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

const phases: Record<MemoryPhase, string> = {
  forward: 'the forward pass',
  backward: 'the backward pass',
  update: 'the update of the weights',
  evaluation: 'validation',
};

/** Which moment is the fullest, but for the layer: "the backward pass". */
export function momentWords({ phase, path }: MemoryEstimate['peak']): string {
  // On the way back no layer is named where gradients meet, either.
  const atLoss = path === null && (phase === 'forward' || phase === 'evaluation');
  return atLoss ? `${phases[phase]}, at the loss` : phases[phase];
}

/** Of the whole training at its fullest moment, and which moment that is. */
export function PeakParts({ peak }: { peak: MemoryEstimate['peak'] }) {
  return (
    <div className={styles.peak}>
      <p className={styles.quiet}>
        Estimated parts at the fullest moment: {momentWords(peak)}
        {peak.path !== null && (
          <>
            , at <LayerLink number={peak.path} />
          </>
        )}
        .
      </p>
      <MemoryParts parts={peak.parts} />
    </div>
  );
}

/** A layer by its name, which leads to it. */
function LayerLink({ number }: { number: string }) {
  const [, navigate] = useLocation();
  const found = layerNumbered(number);
  if (!found) return `layer ${number}`;
  const show = () => {
    navigate('/build');
    showLayerAt(found.path.join('.'));
  };
  return (
    <button type="button" className={styles.toLayer} title={`Layer ${number}`} onClick={show}>
      {found.name || (layerTable.get(found.kind)?.label ?? found.kind)}
    </button>
  );
}
