/** A chart of runs that go on: each frame of theirs is painted without React. */
import { memo, useEffect, useMemo, useRef } from 'react';
import type { LiveRun } from '../state/live.ts';
import { LineChart, type LineChartHandle, type LineChartProps, type LineSeries } from '../ui/index.ts';

export interface LiveChartProps extends Omit<LineChartProps, 'series' | 'ref'> {
  /** The lines now. A new function: all is drawn anew. */
  build: () => LineSeries[];
  runs: readonly LiveRun[];
}

export const LiveChart = memo(function LiveChart({ build, runs, ...chart }: LiveChartProps) {
  const handle = useRef<LineChartHandle>(null);
  const first = useMemo(build, [build]);
  useEffect(() => {
    const paint = () => handle.current?.update(build());
    // Steps come with the frames, epochs with the head, which is told less often.
    const ends = runs.flatMap((live) => [live.onFrame(paint), live.head.subscribe(paint)]);
    paint();
    return () => {
      for (const end of ends) end();
    };
  }, [build, runs]);
  return <LineChart {...chart} ref={handle} series={first} />;
});
