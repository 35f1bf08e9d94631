/** A network as a small picture: each layer a bar whose height hints the tensor it answers, in its category's colour. */
import type { LayerCategory } from '../../../engine/contract/layers/kind.ts';
import { count, dims, plural } from '../format.ts';
import { type ThumbBar, thumbBars } from './measure.ts';
import classes from './network.module.css';

export interface ThumbLayer {
  kind: string;
  /** The layer table's, unless said. */
  category?: LayerCategory | undefined;
  output: readonly number[];
  parameters: number;
  children?: readonly { layers: readonly ThumbLayer[] }[] | undefined;
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
      {bars.map((bar) =>
        bar.inside.length > 1 || bar.times > 1 ? (
          <Block key={bar.key} bar={bar} height={height} />
        ) : (
          <rect
            key={bar.key}
            x={bar.x}
            y={(height - bar.height) / 2}
            width={bar.width}
            height={bar.height}
            rx={Math.min(2, bar.width / 2)}
            fill={colorOf(bar.category)}
            opacity={bar.category === 'activation' || bar.category === 'shape' ? 0.75 : 1}
          />
        ),
      )}
    </svg>
  );
}

function colorOf(category: LayerCategory | null): string {
  return category === null ? 'var(--text-3)' : `var(--cat-${category})`;
}

/** A letter of how many copies there are takes so much. */
const letterWidth = 6;

/** As many arches as can be told apart. */
const mostArches = 3;

/** A block with what it is made of: copies one behind another, shortcuts as arches over what they pass by. */
function Block({ bar, height }: { bar: ThumbBar; height: number }) {
  const { x, width, height: tall, inside, times } = bar;
  const top = (height - tall) / 2;
  const stripe = (width - 2) / inside.length;
  const arches = Math.min(mostArches, bar.shortcuts);
  const copies = times > 1;
  const above = arches > 0 || copies ? 0.34 : 0.14;
  const base = top + tall * (above - 0.04);
  return (
    <g>
      {copies &&
        [4, 2].map((off) => (
          <rect
            key={off}
            x={x + off}
            y={top - off}
            width={width}
            height={tall}
            rx={2}
            fill="var(--cat-block-tint)"
            stroke="var(--cat-block)"
            opacity={0.6}
          />
        ))}
      <rect x={x} y={top} width={width} height={tall} rx={2} fill="var(--cat-block-tint)" stroke="var(--cat-block)" />
      {copies && width >= letterWidth * `×${times}`.length && (
        <text
          x={x + width / 2}
          y={base - 3}
          textAnchor="middle"
          fontSize={9}
          fontWeight={600}
          fill="var(--cat-block-text)"
        >
          ×{times}
        </text>
      )}
      {!copies &&
        Array.from({ length: arches }, (_, index) => {
          const half = (width / 2 - 3) * (1 - index / (arches + 0.5));
          const rise = tall * 0.22 * (1 - index / (arches + 0.5));
          const middle = x + width / 2;
          return (
            <path
              // biome-ignore lint/suspicious/noArrayIndexKey: an arch has nothing but its place
              key={index}
              d={`M ${middle - half} ${base} A ${half} ${rise} 0 0 1 ${middle + half} ${base}`}
              fill="none"
              stroke="var(--cat-block)"
            />
          );
        })}
      {inside.map((category, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a stripe has nothing but its place
          key={index}
          x={x + 1 + stripe * (index + 0.15)}
          y={top + tall * above}
          width={stripe * 0.7}
          height={tall * (0.86 - above)}
          rx={Math.min(1, stripe / 3)}
          fill={colorOf(category)}
        />
      ))}
    </g>
  );
}
