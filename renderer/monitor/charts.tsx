/** The curves of a run: loss and metrics large, learning rate, gradient norm and throughput small; all zoom together. */
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { type AxisKind, stepsWithin } from '../run-parts/axes.ts';
import { type ChartView, xWords, yWords } from '../run-parts/chart-view.tsx';
import { type LineColors, quantityLines, throughputLine } from '../run-parts/lines.ts';
import { LiveChart, type LiveChartProps } from '../run-parts/live-chart.tsx';
import type { PlannedCurve } from '../run-parts/planned-rate.ts';
import { metricKeys, quantity } from '../run-parts/quantities.ts';
import { samplesPerStep } from '../run-parts/settings.ts';
import { curvesOf, useValueNames } from '../run-parts/use-curves.ts';
import { useSame } from '../run-parts/use-same.ts';
import type { LiveRun, RunHead, Series } from '../state/live.ts';
import { closerLook } from '../state/run-details.ts';
import { type LineSeries, seriesCount, seriesIndex } from '../ui/index.ts';
import { markersOf, type RunMarker } from './markers.ts';
import { Memory } from './memory.tsx';
import styles from './monitor.module.css';
import { plannedLine, skippedLine } from './rate-lines.ts';

type Zoom = readonly [number, number] | null;

/** Buckets of a closer look. */
const points = 1024;
const largeHeight = 260;
const smallHeight = 120;

interface ChartsProps {
  name: string;
  folder: string;
  live: LiveRun;
  running: boolean;
  device: string | null;
  ghosts: RunHead['ghosts'];
  notes: RunHead['notes'];
  /** How many epochs have ended: where marks stand is worked out anew. */
  epochs: number;
  details: RunDetails | null;
  /** The learning rate over the whole run, where something moves it. */
  planned: PlannedCurve | null;
  view: ChartView;
}

/** Drawn again only when something other than the run's values changes: those are painted. */
export const Charts = memo(function Charts(props: ChartsProps) {
  const { name, folder, live, running, device, details, planned, view } = props;
  const runs = useMemo(() => [live], [live]);
  const names = useValueNames(runs);
  const [zoom, setZoom] = useState<Zoom>(null);
  const detail = useCloserLook(folder, live, view, zoom);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a range of one axis says nothing on another
  useEffect(() => setZoom(null), [view.axis]);
  const markers = useMarkers(props);
  const colors = useMemo(() => colorsOf(name), [name]);
  const project = details?.project;
  const perStep = useMemo(() => (project === undefined ? null : samplesPerStep(project)), [project]);
  const metrics = metricKeys(names);

  const { log, smoothing, axis } = view;
  const shared = {
    runs,
    domain: zoom,
    onZoom: setZoom,
    live: running,
    ...xWords(axis),
  };
  const buildThroughput = useCallback(() => {
    const line = throughputLine(detail ?? live.series(), perStep, axis, colors.train);
    return line ? [line] : [];
  }, [detail, live, perStep, axis, colors]);
  const buildSkipped = useCallback(
    () => skippedLine(detail ?? live.series(), axis, colors.train),
    [detail, live, axis, colors],
  );
  const of = useMemo(() => ({ live, detail, axis, colors }), [live, detail, axis, colors]);
  const underRate = useMemo(() => plannedLine(planned, axis), [planned, axis]);
  const changes = useMemo(() => markers.filter(({ change }) => change), [markers]);
  const small = ['lr', 'grad_norm', 'scale'].filter((key) => key === 'lr' || names.includes(key));
  const scaled = names.includes('scale');
  // Throughput stands beside them, and the skipped steps beside the scale.
  const many = small.length + 1 + (scaled ? 1 : 0);
  return (
    <>
      <div className={styles.charts}>
        {['loss', ...metrics].map((key) => (
          <div key={key} className={styles.chart}>
            <Curve
              {...shared}
              of={of}
              quantityKey={key}
              height={largeHeight}
              logY={log && !quantity(key).share}
              smoothing={smoothing}
              markers={markers}
              empty="Values appear with the first steps."
            />
          </div>
        ))}
      </div>
      <div className={styles.smallBox}>
        <div className={styles.smallCharts} data-few={many === 2 || undefined} data-odd={many % 2 === 1 || undefined}>
          {small.map((key) => (
            <div key={key} className={styles.chart}>
              <Curve
                {...shared}
                of={of}
                under={key === 'lr' ? underRate : none}
                quantityKey={key}
                height={smallHeight}
                logY={(log && key === 'grad_norm') || key === 'scale'}
                smoothing={key === 'grad_norm' ? smoothing : 0}
                markers={key === 'lr' ? changes : noMarkers}
                compact
              />
            </div>
          ))}
          {scaled && (
            <div className={styles.chart}>
              <LiveChart
                {...shared}
                title="Skipped steps"
                {...yWords('skipped')}
                build={buildSkipped}
                height={smallHeight}
                yDomain={fromZero}
                compact
              />
            </div>
          )}
          <div className={styles.chart}>
            <LiveChart
              {...shared}
              title="Throughput"
              yLabel="samples/s"
              {...yWords('samples_per_second')}
              build={buildThroughput}
              height={smallHeight}
              yDomain={fromZero}
              smoothing={smoothing}
              compact
            />
          </div>
          <Memory live={live} device={device} axis={axis} height={smallHeight} />
        </div>
      </div>
    </>
  );
});

const fromZero = [0, null] as const;

const none: LineSeries[] = [];
const noMarkers: RunMarker[] = [];

interface CurveProps extends Omit<LiveChartProps, 'build' | 'title'> {
  quantityKey: string;
  /** Painted below it. */
  under?: LineSeries[];
  of: { live: LiveRun; detail: Series | null; axis: AxisKind; colors: LineColors };
}

const Curve = memo(function Curve({
  quantityKey,
  under = none,
  of: { live, detail, axis, colors },
  ...chart
}: CurveProps) {
  const build = useCallback(
    () => [...under, ...quantityLines({ ...curvesOf(live), detail }, quantityKey, axis, colors)],
    [live, detail, under, quantityKey, axis, colors],
  );
  return <LiveChart {...chart} title={quantity(quantityKey).label} {...yWords(quantityKey)} build={build} />;
});

/** The run's own colour is that of its validation, by which runs are compared; training has the next one. */
function colorsOf(name: string): LineColors {
  const index = seriesIndex(name);
  return { val: `var(--series-${index})`, train: `var(--series-${(index + 1) % seriesCount})` };
}

/** The zoomed stretch as exact as it can be drawn; null: what is there is exact already, or not read yet. */
function useCloserLook(folder: string, live: LiveRun, { axis }: ChartView, zoom: Zoom): Series | null {
  const [detail, setDetail] = useState<{ zoom: Zoom; series: Series } | null>(null);
  useEffect(() => {
    setDetail(null);
    const series = live.series();
    const steps = zoom && series.size > 1 ? stepsWithin(zoom, axis, series) : null;
    if (!steps) return;
    let wanted = true;
    // One bucket more at each side, so that lines leave the picture where they should.
    const { size } = series;
    void closerLook(folder, Math.max(1, steps.from - size), steps.to + size, points).then((closer) => {
      if (wanted && closer) setDetail({ zoom, series: closer });
    });
    return () => {
      wanted = false;
    };
  }, [folder, live, axis, zoom]);
  return detail && detail.zoom === zoom ? detail.series : null;
}

function useMarkers({ live, ghosts, notes, epochs, details, view: { axis } }: ChartsProps): RunMarker[] {
  const checkpoints = details?.checkpoints;
  // biome-ignore lint/correctness/useExhaustiveDependencies: where a step stands on the axis is known once the run has come there
  const markers = useMemo(
    () => markersOf({ ghosts, notes, checkpoints: checkpoints ?? [] }, axis, live.series()),
    [ghosts, notes, checkpoints, axis, live, epochs],
  );
  return useSame(markers);
}
