/** The memory of a run over its course, under the limit of its device. */
import { memo, useEffect, useMemo, useState } from 'react';
import type { AxisKind } from '../run-parts/axes.ts';
import { xWords } from '../run-parts/chart-view.tsx';
import { memoryCurves } from '../run-parts/lines.ts';
import { curvesOf } from '../run-parts/use-curves.ts';
import { startDevices, useDevices } from '../state/devices.ts';
import type { LiveRun } from '../state/live.ts';
import { AreaChart, bytes } from '../ui/index.ts';
import { byteTicks } from './byte-ticks.ts';
import styles from './monitor.module.css';

/** Memory changes slowly, and its chart is drawn whole. */
const memoryMs = 2000;
/** A line of help below the chart: the charts beside it have none, and are as high. */
const noteHeight = 20;

export const Memory = memo(function Memory({
  live,
  device: name,
  axis,
  height,
}: {
  live: LiveRun;
  device: string | null;
  axis: AxisKind;
  height: number;
}) {
  const report = useDevices((state) => state.report);
  useEffect(startDevices, []);
  const device = report?.devices.find((each) => each.name === name);
  const onHost = name === 'cpu';
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
  const drawn = height - noteHeight;
  const total = device?.memory_total ?? (onHost ? report?.host.memory_total : null) ?? null;
  const peak = Math.max(0, ...(memory ? sums(memory.parts.map(({ values }) => values)) : []));
  return (
    <div className={styles.memory}>
      <AreaChart
        title="Memory"
        x={memory?.x ?? []}
        series={series}
        xLabel={axis}
        xFormat={xWords(axis).xFormat}
        yFormat={bytes}
        yTicks={byteTicks(total !== null && total <= peak * 4 ? Math.max(peak, total) : peak, Math.floor(drawn / 44))}
        limit={total === null ? undefined : { value: total, label: 'of' }}
        height={drawn}
        empty="Memory is told with the first steps."
      />
      <p className={styles.note}>The estimate is of the tensors; what is cached is kept for the next ones.</p>
    </div>
  );
});

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
