/** What a layer costs: parameters, operations and memory as thin bars, all layers on one scale. */
import { bytes, count, flops as showFlops } from '../format.ts';
import classes from './network.module.css';

export interface Costs {
  parameters: number;
  flops: number;
  /** Bytes. */
  memory: number;
}

export interface CostBarsProps extends Costs {
  /** The network's largest of each. */
  max: Costs;
  width?: number;
}

const rows = [
  { key: 'parameters', label: 'Parameters', format: count, color: 'var(--series-0)' },
  { key: 'flops', label: 'Operations', format: showFlops, color: 'var(--series-4)' },
  { key: 'memory', label: 'Memory', format: bytes, color: 'var(--series-2)' },
] as const;

export function CostBars({ max, width = 56, ...costs }: CostBarsProps) {
  const summary = rows.map(({ key, label, format }) => `${label} ${format(costs[key])}`).join(', ');
  return (
    // In little room the bars shrink together, so that they still tell one from the other.
    <svg
      className={classes.costs}
      width={width}
      height={16}
      viewBox={`0 0 ${width} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
    >
      <title>{rows.map(({ key, label, format }) => `${label}: ${format(costs[key])}`).join('\n')}</title>
      {rows.map(({ key, color }, row) => {
        const share = max[key] > 0 ? Math.min(1, costs[key] / max[key]) : 0;
        // What is there is seen, however small.
        const long = costs[key] > 0 ? Math.max(1.5, share * width) : 0;
        return (
          <g key={key}>
            <rect y={row * 6} width={width} height={3} rx={1.5} fill="var(--track)" opacity={0.6} />
            <rect y={row * 6} width={long} height={3} rx={1.5} fill={color} />
          </g>
        );
      })}
    </svg>
  );
}
