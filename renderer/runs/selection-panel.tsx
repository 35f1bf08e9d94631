/** At the right of the table where not one run is selected: what a selection is for, or which runs it holds. */
import { IconX } from '@tabler/icons-react';
import type { RunRow } from '../../engine/contract/api.ts';
import { nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import { runColor } from '../run-parts/run-color.ts';
import { EmptyState, IconButton, Num, plural } from '../ui/index.ts';
import styles from './runs.module.css';

/** As many are listed: a thousand would keep the window busy, and are looked for in the table. */
const mostListed = 100;

export function SelectionPanel({ runs, onLeave }: { runs: readonly RunRow[]; onLeave: (run: RunRow) => void }) {
  if (runs.length === 0) {
    return (
      <EmptyState title="No run is selected">
        Select one to see its settings, checkpoints, exports and notes. Select more with Ctrl or Shift to compare them.
        A double click opens a run in Monitor.
      </EmptyState>
    );
  }
  return (
    <div className={styles.details}>
      <h2 className={styles.detailsName}>{plural(runs.length, 'run')} selected</h2>
      <ul className={styles.list}>
        {runs.slice(0, mostListed).map((run) => (
          <li key={run.folder} className={styles.item}>
            <span className={styles.name} title={run.name}>
              <span className={styles.dot} style={{ background: runColor(run) }} aria-hidden />
              <span className={styles.file}>{run.name}</span>
            </span>
            <Best run={run} />
            <IconButton
              label={`Take ${run.name} out of the selection`}
              icon={IconX}
              size={24}
              onClick={() => onLeave(run)}
            />
          </li>
        ))}
      </ul>
      {runs.length > mostListed && <p className={styles.missing}>and {plural(runs.length - mostListed, 'run')} more</p>}
    </div>
  );
}

function Best({ run: { summary } }: { run: RunRow }) {
  const best = summary?.best;
  if (!best) return null;
  const { label, format } = quantity(partOf(best.monitor).key);
  return (
    <span title={`Best ${nameLabel(best.monitor).toLowerCase()}, epoch ${best.epoch}`}>
      <span className={styles.quiet}>Best {label.toLowerCase()}</span> <Num>{format(best.value)}</Num>
    </span>
  );
}
