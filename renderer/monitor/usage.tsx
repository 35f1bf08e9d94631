/** What a run uses: memory over its course, and where the time of a step goes. */
import { useEffect, useMemo, useState } from 'react';
import { type ChartView, xWords } from '../run-parts/chart-view.tsx';
import { memoryCurves } from '../run-parts/lines.ts';
import { curvesOf } from '../run-parts/use-curves.ts';
import { phasesOf } from '../run-parts/words.ts';
import { startDevices, useDevices } from '../state/devices.ts';
import type { LiveRun, RunHead } from '../state/live.ts';
import { AreaChart, bytes, duration, Panel, StackedBar } from '../ui/index.ts';
import { byteTicks } from './byte-ticks.ts';
import styles from './monitor.module.css';

/** Memory changes slowly, and its chart is drawn by React. */
const memoryMs = 1000;
const height = 160;

export function Usage({ live, head, view }: { live: LiveRun; head: RunHead; view: ChartView }) {
  return (
    <div className={styles.usage}>
      <Memory live={live} head={head} view={view} />
      <Breakdown head={head} />
    </div>
  );
}

function Memory({ live, head, view: { axis } }: { live: LiveRun; head: RunHead; view: ChartView }) {
  const report = useDevices((state) => state.report);
  useEffect(startDevices, []);
  const device = report?.devices.find(({ name }) => name === head.device);
  const onHost = head.device === 'cpu';
  const tick = useTicks(live, memoryMs);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run's values change in place
  const memory = useMemo(() => memoryCurves(curvesOf(live), onHost, axis), [live, onHost, axis, tick]);
  const series = useMemo(
    () =>
      (memory?.parts ?? []).map(({ label, values }, index) => ({
        key: label,
        label,
        color: colors[index % colors.length] as string,
        values,
      })),
    [memory],
  );
  const total = device?.memory_total ?? (onHost ? report?.host.memory_total : null) ?? null;
  const peak = Math.max(0, ...(memory ? sums(memory.parts.map(({ values }) => values)) : []));
  return (
    <Panel>
      <AreaChart
        title="Memory"
        x={memory?.x ?? []}
        series={series}
        xLabel={axis}
        xFormat={xWords(axis).xFormat}
        yFormat={bytes}
        yTicks={byteTicks(total !== null && total <= peak * 4 ? Math.max(peak, total) : peak, Math.floor(height / 44))}
        limit={total === null ? undefined : { value: total, label: onHost ? 'of this computer' : `of ${head.device}` }}
        height={height}
        empty="Memory is told with the first steps."
      />
    </Panel>
  );
}

const colors = ['var(--series-0)', 'var(--series-5)', 'var(--series-7)'];

function sums(columns: readonly Float64Array[]): number[] {
  return Array.from(columns[0] ?? [], (_, index) =>
    columns.reduce((sum, values) => sum + (Number.isFinite(values[index]) ? (values[index] as number) : 0), 0),
  );
}

/** Counts frames of a run, at most one in `ms`. */
function useTicks(live: LiveRun, ms: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setTick((before) => before + 1);
      }, ms);
    };
    const ends = [live.onFrame(later), live.head.subscribe(later)];
    later();
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [live, ms]);
  return tick;
}

function Breakdown({ head }: { head: RunHead }) {
  const phases = head.breakdown ? phasesOf(head.breakdown) : [];
  const epoch = head.epochs.at(-1)?.epoch;
  return (
    <Panel title="Where a step's time goes" {...(typeof epoch === 'number' ? { hint: `epoch ${epoch}` } : {})}>
      {phases.length === 0 ? (
        <p className={styles.nothing}>Told at the end of the first epoch.</p>
      ) : (
        <StackedBar
          label="Where a step's time goes"
          parts={phases.map(({ label, seconds, color }) => ({ label, value: seconds, color }))}
          format={duration}
        />
      )}
    </Panel>
  );
}
