/** Where the time of the latest epoch went, as one bar. */
import { phasesOf } from '../run-parts/words.ts';
import type { RunHead } from '../state/live.ts';
import { duration, Panel, StackedBar } from '../ui/index.ts';
import styles from './monitor.module.css';

export function Breakdown({ breakdown, epoch }: { breakdown: RunHead['breakdown']; epoch: unknown }) {
  const phases = breakdown ? phasesOf(breakdown) : [];
  return (
    <Panel title="Where the time goes" {...(typeof epoch === 'number' ? { hint: `epoch ${epoch}` } : {})}>
      {phases.length === 0 ? (
        <p className={styles.nothing}>Told at the end of the first epoch.</p>
      ) : (
        <StackedBar
          label="Where the time goes"
          parts={phases.map(({ label, seconds, color }) => ({ label, value: seconds, color }))}
          format={duration}
        />
      )}
    </Panel>
  );
}
