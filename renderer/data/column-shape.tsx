/** How a column's values lie, small enough for a row: a histogram of numbers, the most frequent of others. */
import type { TableColumn } from '../../engine/contract/data/table.ts';
import { integer, number } from '../ui/index.ts';

const size = { width: 88, height: 24 };

export function ColumnShape({ column }: { column: TableColumn }) {
  const { histogram, frequent, numbers, name } = column;
  const counts = histogram ?? frequent?.slice(0, 12).map(({ count }) => count) ?? [];
  if (counts.length === 0) return null;
  const tallest = Math.max(...counts, 1);
  const pitch = size.width / counts.length;
  const told = numbers
    ? `mean ${number(numbers.mean, 3)}, deviation ${number(numbers.std, 3)}, median ${number(numbers.median, 3)}`
    : (frequent ?? [])
        .slice(0, 6)
        .map(({ value, count }) => `${value} ${integer(count)}`)
        .join(', ');
  return (
    <svg width={size.width} height={size.height} role="img" aria-label={`Values of ${name}: ${told}`}>
      <title>{told}</title>
      {counts.map((count, at) => {
        const height = count === 0 ? 0 : Math.max(1, (count / tallest) * size.height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={at}
            x={at * pitch}
            width={Math.max(1, pitch - 1)}
            y={size.height - height}
            height={height}
            fill={histogram ? 'var(--series-0)' : 'var(--series-7)'}
          />
        );
      })}
    </svg>
  );
}
