/** What flows from one layer to the next: a ribbon as wide as the tensor is large, with its shape. */
import { integer, dims as showDims } from '../format.ts';
import { logShare } from './measure.ts';
import classes from './network.module.css';

export interface ShapeRibbonProps {
  /** One sample's shape; null while it cannot be found. */
  dims: readonly number[] | null;
  /** Whole numbers that name things: tokens, classes. */
  indices?: boolean;
  /** Some positions may be padding. */
  padded?: boolean;
  /** Values of the network's largest tensor: it is as wide as a ribbon gets. */
  scale: number;
  height?: number;
  /** Without its shape in words. */
  bare?: boolean;
}

const [narrowest, widest] = [6, 96];
/** Indices are drawn as single strokes: they are no measurements, one beside the other. */
const stroke = { width: 3, gap: 3 };

/** "28×28", "128 tokens"; of a sequence with padding "up to 128×64". */
export function tensorWords(dims: readonly number[] | null, indices = false, padded = false): string {
  if (dims === null) return '?';
  const shape = indices && dims.length === 1 ? integer(dims[0] as number) : showDims(dims);
  return `${padded ? 'up to ' : ''}${shape}${indices ? (dims.length === 1 ? ' tokens' : ' indices') : ''}`;
}

export function ShapeRibbon({
  dims,
  indices = false,
  padded = false,
  scale,
  height = 20,
  bare = false,
}: ShapeRibbonProps) {
  const size = dims === null ? 0 : dims.reduce((product, each) => product * each, 1);
  const width = Math.round(narrowest + (widest - narrowest) * logShare(size, scale));
  const left = (widest - width) / 2;
  const step = stroke.width + stroke.gap;
  return (
    <div className={classes.ribbon} style={{ height }}>
      <svg width={widest} height={height} aria-hidden className={classes.ribbonBand}>
        {dims !== null && indices ? (
          Array.from({ length: Math.max(1, Math.round((width + stroke.gap) / step)) }, (_, index) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a stroke has nothing but its place
              key={index}
              x={left + index * step}
              width={stroke.width}
              height={height}
              fill="var(--border-strong)"
            />
          ))
        ) : (
          <rect
            x={left}
            width={width}
            height={height}
            fill={dims === null ? 'none' : 'var(--border)'}
            stroke={dims === null ? 'var(--border-strong)' : 'none'}
            strokeDasharray="3 3"
          />
        )}
        {/* The part that may be padding. */}
        {padded && (
          <rect
            x={left + width * 0.7}
            width={width * 0.3}
            height={height}
            fill="var(--bg-app)"
            stroke="var(--border-strong)"
            strokeDasharray="2 2"
          />
        )}
      </svg>
      {!bare && <span className={classes.ribbonText}>{tensorWords(dims, indices, padded)}</span>}
    </div>
  );
}
