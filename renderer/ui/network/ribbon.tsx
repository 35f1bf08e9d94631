/** What flows from one layer to the next: a ribbon as wide as the tensor is large, with its shape. */
import { dims as showDims } from '../format.ts';
import { logShare } from './measure.ts';
import classes from './network.module.css';

export interface ShapeRibbonProps {
  /** One sample's shape; null while it cannot be found. */
  dims: readonly number[] | null;
  /** Values of the network's largest tensor: it is as wide as a ribbon gets. */
  scale: number;
  /** Values that the layer before hands on in another shape only. */
  height?: number;
}

const [narrowest, widest] = [6, 96];

export function ShapeRibbon({ dims, scale, height = 20 }: ShapeRibbonProps) {
  const size = dims === null ? 0 : dims.reduce((product, each) => product * each, 1);
  const width = Math.round(narrowest + (widest - narrowest) * logShare(size, scale));
  const text = dims === null ? '?' : showDims(dims);
  return (
    <div className={classes.ribbon} style={{ height }}>
      <svg width={widest} height={height} aria-hidden className={classes.ribbonBand}>
        <rect
          x={(widest - width) / 2}
          width={width}
          height={height}
          fill={dims === null ? 'none' : 'var(--border)'}
          stroke={dims === null ? 'var(--border-strong)' : 'none'}
          strokeDasharray="3 3"
        />
      </svg>
      <span className={classes.ribbonText}>{text}</span>
    </div>
  );
}
