/** A chart's numbers as a table. */
import { useMemo } from 'react';
import { type Column, DataTable } from '../basics/data-table.tsx';
import classes from './chart.module.css';
import type { LineSeries } from './model.ts';
import type { Range } from './scale.ts';

export interface ChartTableProps {
  title: string;
  series: readonly LineSeries[];
  /** What is in sight. */
  range: Range;
  xLabel: string;
  xFormat: (value: number) => string;
  yFormat: (value: number) => string;
}

interface Row {
  x: number;
  values: ReadonlyMap<string, number>;
}

export function ChartTable({ title, series, range, xLabel, xFormat, yFormat }: ChartTableProps) {
  const rows = useMemo(() => {
    const byX = new Map<number, Map<string, number>>();
    for (const { key, x, mean } of series) {
      for (let index = 0; index < Math.min(x.length, mean.length); index++) {
        const place = x[index] as number;
        if (place < range[0] || place > range[1]) continue;
        const values = byX.get(place) ?? new Map<string, number>();
        values.set(key, mean[index] as number);
        byX.set(place, values);
      }
    }
    return [...byX].map(([x, values]): Row => ({ x, values })).sort((a, b) => a.x - b.x);
  }, [series, range]);
  const columns = useMemo<Column<Row>[]>(
    () => [
      { key: 'x', title: xLabel, width: 110, align: 'right', render: ({ x }) => xFormat(x), sort: ({ x }) => x },
      ...series.map(
        ({ key, label }): Column<Row> => ({
          key,
          title: label,
          align: 'right',
          render: ({ values }) => (values.has(key) ? yFormat(values.get(key) as number) : ''),
          sort: ({ values }) => values.get(key),
        }),
      ),
    ],
    [series, xLabel, xFormat, yFormat],
  );
  return (
    <div className={classes.table}>
      <DataTable
        label={`${title}, as a table`}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        rowHeight={26}
        height={Math.min(240, (rows.length + 1) * 26 + 2)}
      />
    </div>
  );
}

const rowKey = ({ x }: Row) => String(x);
