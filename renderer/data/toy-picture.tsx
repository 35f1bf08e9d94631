/** What toy data looks like, as a small drawing. */
import type { ToyShape } from '../../engine/contract/sources/toy.ts';
import { seriesCount } from '../ui/index.ts';

const size = 72;
const dots = 36;

interface Point {
  x: number;
  y: number;
  group: number;
}

const along = Array.from({ length: dots }, (_, index) => index / (dots - 1));

const centres = [
  [-0.5, 0.45],
  [0.5, 0.35],
  [0, -0.5],
] as const;

/** Points of −1 to 1, by class. Not the engine's numbers, only their shape. */
const points: { readonly [Shape in ToyShape]: () => Point[] } = {
  spirals: () =>
    [0, 1].flatMap((group) =>
      along.map((t) => {
        const angle = t * 2.2 * Math.PI + group * Math.PI;
        return { x: t * Math.cos(angle) * 0.95, y: t * Math.sin(angle) * 0.95, group };
      }),
    ),
  moons: () =>
    along.flatMap((t) => [
      { x: Math.cos(t * Math.PI) * 0.6 - 0.25, y: Math.sin(t * Math.PI) * 0.7 - 0.15, group: 0 },
      { x: 0.3 - Math.cos(t * Math.PI) * 0.6, y: 0.2 - Math.sin(t * Math.PI) * 0.7, group: 1 },
    ]),
  circles: () =>
    [0.35, 0.85].flatMap((radius, group) =>
      along.map((t) => ({ x: radius * Math.cos(t * 2 * Math.PI), y: radius * Math.sin(t * 2 * Math.PI), group })),
    ),
  blobs: () =>
    centres.flatMap(([x, y], group) =>
      along.slice(0, 14).map((_, index) => {
        // Even over a disc, by the golden angle.
        const [radius, angle] = [0.3 * Math.sqrt((index + 0.5) / 14), index * 2.4];
        return { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle), group };
      }),
    ),
  sine: () => along.map((t) => ({ x: t * 1.9 - 0.95, y: Math.sin(t * 2 * Math.PI) * 0.7, group: 0 })),
};

const isShape = (toy: string): toy is ToyShape => Object.hasOwn(points, toy);

export function ToyPicture({ toy }: { toy: string }) {
  const at = (value: number) => size / 2 + (value * size) / 2.2;
  return (
    <svg width={size} height={size} aria-hidden>
      {(isShape(toy) ? points[toy]() : []).map(({ x, y, group }) => (
        <circle key={`${x} ${y}`} cx={at(x)} cy={size - at(y)} r={2} fill={`var(--series-${group % seriesCount})`} />
      ))}
    </svg>
  );
}
