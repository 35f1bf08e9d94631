/** The curves of the selected runs, always on top: loss and a metric, each run in its colour. */

import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import { xWords, yWords } from '../run-parts/chart-view.tsx';
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

/** `selected`: how many of `runs` a person chose; none: the latest is shown. */
export function SelectionCurves({ runs, selected }: { runs: readonly RunRow[]; selected: number }) {
  const [open, setOpen] = useKept<boolean>('runs.curves', true);
  const drawn = useMemo(() => runs.slice(0, mostRuns), [runs]);
  const followed = useFollowedRuns(open ? drawn : none);
  const lives = useMemo(() => followed.map(({ live }) => live), [followed]);
  const [metric] = metricKeys(useValueNames(lives));
  return (
    <section className={styles.curves} aria-label="Curves of the selection">
      <header className={styles.curvesHead}>
        <IconButton
          label={open ? 'Fold the curves' : 'Show the curves'}
          icon={open ? IconChevronDown : IconChevronRight}
          size={24}
          onClick={() => setOpen(!open)}
        />
        <span>{titleOf(runs, selected)}</span>
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

function titleOf(runs: readonly RunRow[], selected: number): string {
  const [first] = runs;
  if (selected === 0) return `Curves of the latest run, ${first?.name}`;
  if (selected === 1) return `Curves of ${first?.name}`;
  return `Curves of ${selected > mostRuns ? `${mostRuns} of ` : ''}${plural(selected, 'selected run')}`;
}

function SelectionChart({ quantityKey, followed }: { quantityKey: string; followed: readonly FollowedRun[] }) {
  const lives = useMemo(() => followed.map(({ live }) => live), [followed]);
  const build = useCallback(
    () => apart(followed.flatMap(({ run, live }) => runLine(run, curvesOf(live), quantityKey, 'epoch') ?? [])),
    [followed, quantityKey],
  );
  return (
    <LiveChart
      title={quantity(quantityKey).label}
      build={build}
      runs={lives}
      height={height}
      live={followed.some(({ run }) => isLive(run.status))}
      {...yWords(quantityKey)}
      compact
      {...xWords('epoch')}
    />
  );
}
