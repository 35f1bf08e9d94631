/** A line without axes, as large as a word. */
import classes from './chart.module.css';
import { lastFinite } from './model.ts';
import { paddedRange, scaleOf } from './scale.ts';

export interface SparklineProps {
  label: string;
  values: ArrayLike<number>;
  width?: number;
  height?: number;
  color?: string;
  /** Fixed limits; the values' own unless said. */
  min?: number;
  max?: number;
  /** Shades the area below. */
  fill?: boolean;
  format?: (value: number) => string;
}

export function Sparkline({
  label,
  values,
  width = 80,
  height = 20,
  color = 'var(--text-2)',
  min,
  max,
  fill = false,
  format = String,
}: SparklineProps) {
  const all = Array.from(values);
  const finite = all.filter(Number.isFinite);
  const [low, high] = paddedRange(Math.min(...finite), Math.max(...finite), false);
  const toX = scaleOf([0, Math.max(1, all.length - 1)], [1, width - 1], false);
  const toY = scaleOf([min ?? low, max ?? high], [height - 1.5, 1.5], false);
  let path = '';
  let pen = false;
  for (const [index, value] of all.entries()) {
    if (!Number.isFinite(value)) {
      pen = false;
      continue;
    }
    path += `${pen ? 'L' : 'M'}${toX(index).toFixed(1)} ${toY(value).toFixed(1)}`;
    pen = true;
  }
  const last = lastFinite(all);
  const summary = finite.length === 0 ? `${label}: no values yet` : `${label}: ${format(last)}`;
  return (
    <svg className={classes.sparkline} width={width} height={height} role="img" aria-label={summary}>
      {fill && path !== '' && finite.length === all.length && (
        <path d={`${path}L${width - 1} ${height}L1 ${height}Z`} fill={color} opacity={0.15} />
      )}
      <path d={path} fill="none" stroke={color} strokeWidth={1.25} strokeLinejoin="round" />
    </svg>
  );
}
