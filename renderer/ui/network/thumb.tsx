/** A network as a small picture: each layer a bar whose height hints the tensor it answers, in its category's colour. */
import type { LayerCategory } from '../../../engine/contract/layers/kind.ts';
import { count, dims, plural } from '../format.ts';
import { thumbBars } from './measure.ts';
import classes from './network.module.css';

export interface ThumbLayer {
  kind: string;
  /** The layer table's, unless said. */
  category?: LayerCategory | undefined;
  output: readonly number[];
  parameters: number;
}

export interface NetworkThumbProps {
  layers: readonly ThumbLayer[];
  /** One sample's shape, before the first layer. */
  input?: readonly number[] | undefined;
  width?: number;
  height?: number;
}

export function NetworkThumb({ layers, input, width = 280, height = 96 }: NetworkThumbProps) {
  const bars = thumbBars(layers, input, width, height);
  const parameters = layers.reduce((sum, layer) => sum + layer.parameters, 0);
  const ends = [input, layers.at(-1)?.output].filter((shape) => shape !== undefined).map(dims);
  return (
    <svg
      className={classes.thumb}
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      preserveAspectRatio="xMidYMid meet"
      role="img"
      aria-label={`Network of ${plural(layers.length, 'layer')}, ${count(parameters)} parameters, ${ends.join(' to ')}`}
    >
      {bars.slice(1).map((bar, index) => {
        const before = bars[index];
        if (!before) return null;
        const [x1, x2] = [before.x + before.width, bar.x];
        const middle = height / 2;
        return (
          <polygon
            key={bar.key}
            points={`${x1},${middle - before.height / 2} ${x2},${middle - bar.height / 2} ${x2},${middle + bar.height / 2} ${x1},${middle + before.height / 2}`}
            fill="var(--border)"
            opacity={0.55}
          />
        );
      })}
      {bars.map(({ key, x, width: thick, height: tall, category }) => (
        <rect
          key={key}
          x={x}
          y={(height - tall) / 2}
          width={thick}
          height={tall}
          rx={Math.min(2, thick / 2)}
          fill={category === null ? 'var(--text-3)' : `var(--cat-${category})`}
          opacity={category === 'activation' || category === 'shape' ? 0.75 : 1}
        />
      ))}
    </svg>
  );
}
