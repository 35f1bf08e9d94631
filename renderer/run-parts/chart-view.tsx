/** How charts of runs are looked at: over which axis, logarithmic or not, how smooth. Kept from visit to visit. */
import { memo, useCallback, useMemo } from 'react';
import { duration, integer, number, percent, Segmented, Slider } from '../ui/index.ts';
import { type AxisKind, axisKinds } from './axes.ts';
import { useKept } from './kept.ts';
import { quantity } from './quantities.ts';
import styles from './run-parts.module.css';

export interface ChartView {
  axis: AxisKind;
  log: boolean;
  smoothing: number;
}

const mostSmoothing = 0.99;

export function useChartView(): [ChartView, (patch: Partial<ChartView>) => void] {
  const [axis, setAxis] = useKept<AxisKind>('charts.axis', 'step', (value) => axisKinds.includes(value as AxisKind));
  const [log, setLog] = useKept<boolean>('charts.log', false);
  const [smoothing, setSmoothing] = useKept<number>(
    'charts.smoothing',
    0.6,
    (value) => typeof value === 'number' && value >= 0 && value <= mostSmoothing,
  );
  const change = useCallback(
    (patch: Partial<ChartView>) => {
      if (patch.axis !== undefined) setAxis(patch.axis);
      if (patch.log !== undefined) setLog(patch.log);
      if (patch.smoothing !== undefined) setSmoothing(patch.smoothing);
    },
    [setAxis, setLog, setSmoothing],
  );
  return [useMemo(() => ({ axis, log, smoothing }), [axis, log, smoothing]), change];
}

const axisOptions = [
  { value: 'step', label: 'Step' },
  { value: 'epoch', label: 'Epoch' },
  { value: 'time', label: 'Time' },
] as const;

const scaleOptions = [
  { value: 'linear', label: 'Linear' },
  { value: 'log', label: 'Log' },
] as const;

interface ViewControlsProps {
  view: ChartView;
  onChange: (patch: Partial<ChartView>) => void;
}

export const ViewControls = memo(function ViewControls({ view, onChange }: ViewControlsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div className={styles.controls} role="group" aria-label="How charts are drawn">
      <Segmented
        label="Horizontal axis"
        value={view.axis}
        options={axisOptions}
        onChange={(axis) => onChange({ axis })}
      />
      <Segmented
        label="Vertical axis"
        value={view.log ? 'log' : 'linear'}
        options={scaleOptions}
        onChange={(scale) => onChange({ log: scale === 'log' })}
      />
      <div className={styles.smoothing}>
        <span>Smoothing</span>
        <Slider
          label="Smoothing"
          value={view.smoothing}
          min={0}
          max={mostSmoothing}
          step={0.01}
          format={(value) => value.toFixed(2)}
          onChange={(smoothing) => onChange({ smoothing })}
        />
        <span className={styles.smoothingValue}>{view.smoothing.toFixed(2)}</span>
      </div>
    </div>
  );
});

/** What the axis is called, and how its values are written. */
export function xWords(axis: AxisKind): { xLabel: string; xFormat: (value: number) => string; wholeX: boolean } {
  return { xLabel: axis, xFormat: xFormats[axis], wholeX: axis === 'step' };
}

const xFormats: Record<AxisKind, (value: number) => string> = {
  step: (value) => integer(value),
  epoch: (value) => number(Number(value.toFixed(3)), 6),
  time: duration,
};

/** How values of a quantity are written at a chart: shares without needless zeros at the axis, with them where they change. */
export function yWords(key: string): { yFormat: (value: number) => string; tellFormat?: (value: number) => string } {
  const { share, format } = quantity(key);
  return share ? { yFormat: shortPercent, tellFormat: format } : { yFormat: yFormats.get(key) ?? plain };
}

const shortPercent = (value: number) => percent(value).replace(/\.?0+(?= %)/, '');
const plain = (value: number) => number(value);
const yFormats = new Map<string, (value: number) => string>([['samples_per_second', plain]]);
