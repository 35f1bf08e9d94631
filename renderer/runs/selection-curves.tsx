/** The curves of the selected runs, always on top: loss and a metric, each run in its colour. */

import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import { xWords, yFormat } from '../run-parts/chart-view.tsx';
import { useKept } from '../run-parts/kept.ts';
import { apart, runLine } from '../run-parts/lines.ts';
import { LiveChart } from '../run-parts/live-chart.tsx';
import { metricKeys, quantity } from '../run-parts/quantities.ts';
import { curvesOf, type FollowedRun, useFollowedRuns, useValueNames } from '../run-parts/use-curves.ts';
import { isLive } from '../state/runs.ts';
import { IconButton, plural } from '../ui/index.ts';
import styles from './runs.module.css';

/** More lines than this are not told apart. */
const mostRuns = 8;
const height = 150;

export function SelectionCurves({ runs }: { runs: readonly RunRow[] }) {
  const [open, setOpen] = useKept<boolean>('runs.curves', true);
  const drawn = useMemo(() => runs.slice(0, mostRuns), [runs]);
  const followed = useFollowedRuns(open ? drawn : none);
  const [metric] = metricKeys(useValueNames(followed));
  return (
    <section className={styles.curves} aria-label="Curves of the selection">
      <header className={styles.curvesHead}>
        <IconButton
          label={open ? 'Fold the curves' : 'Show the curves'}
          icon={open ? IconChevronDown : IconChevronRight}
          size={24}
          onClick={() => setOpen(!open)}
        />
        <span>
          {runs.length === 0
            ? 'Select runs to see their curves'
            : runs.length > mostRuns
              ? `Curves of ${mostRuns} of ${plural(runs.length, 'selected run')}`
              : `Curves of ${runs.length === 1 ? runs[0]?.name : plural(runs.length, 'selected run')}`}
        </span>
      </header>
      {open && runs.length > 0 && (
        <div className={styles.curvesCharts}>
          {['loss', ...(metric === undefined ? [] : [metric])].map((key) => (
            <SelectionChart key={key} quantityKey={key} followed={followed} />
          ))}
        </div>
      )}
    </section>
  );
}

const none: readonly RunRow[] = [];

function SelectionChart({ quantityKey, followed }: { quantityKey: string; followed: readonly FollowedRun[] }) {
  const lives = useMemo(() => followed.map(({ live }) => live), [followed]);
  const build = useCallback(
    () => apart(followed.flatMap(({ run, live }) => runLine(run.name, curvesOf(live), quantityKey, 'epoch') ?? [])),
    [followed, quantityKey],
  );
  return (
    <LiveChart
      title={quantity(quantityKey).label}
      build={build}
      runs={lives}
      height={height}
      live={followed.some(({ run }) => isLive(run.status))}
      yFormat={yFormat(quantityKey)}
      compact
      {...xWords('epoch')}
    />
  );
}
