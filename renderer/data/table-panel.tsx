/** The source as a table: its columns with roles and statistics, and its rows, searched and sorted. */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { TablePage } from '../../engine/contract/data/table.ts';
import { type TableWish, useTable } from '../state/data-table.ts';
import {
  type Column,
  DataTable,
  ErrorNotice,
  IconButton,
  integer,
  Panel,
  plural,
  SearchField,
  Skeleton,
} from '../ui/index.ts';
import { ColumnsPanel } from './columns-panel.tsx';
import classes from './table.module.css';

const perPage = 100;

type Row = TablePage['rows'][number];

export function TablePanel({ round }: { round: number }) {
  const [wish, setWish] = useState<TableWish>({ start: 0, count: perPage, search: '', sort: null });
  const { page, error, reading } = useTable(wish, true, round);
  const columns = useMemo(() => (page ? columnsOf(page) : []), [page]);
  if (error) return <ErrorNotice error={error} />;
  return (
    <>
      <ColumnsPanel columns={page?.columns ?? null} reading={reading} />
      <Panel
        title="Rows"
        padding="none"
        actions={
          <SearchField
            label="Search rows"
            placeholder="Search rows"
            width={200}
            value={wish.search}
            onChange={(search) => setWish((before) => ({ ...before, search, start: 0 }))}
          />
        }
        footer={
          page ? (
            <>
              <span className={classes.range}>
                {page.total === 0
                  ? 'No rows'
                  : `${integer(page.start + 1)}–${integer(page.start + page.rows.length)} of ${plural(page.total, 'row')}`}
              </span>
              <IconButton
                label="Earlier rows"
                icon={IconChevronLeft}
                disabled={wish.start === 0}
                onClick={() => setWish((before) => ({ ...before, start: Math.max(0, before.start - perPage) }))}
              />
              <IconButton
                label="Later rows"
                icon={IconChevronRight}
                disabled={wish.start + perPage >= page.total}
                onClick={() => setWish((before) => ({ ...before, start: before.start + perPage }))}
              />
            </>
          ) : undefined
        }
      >
        <div className={classes.rows} data-reading={(reading && page !== null) || undefined}>
          {page ? (
            <DataTable<Row>
              label="Rows of the table"
              columns={columns}
              rows={page.rows}
              rowKey={keyOf}
              rowHeight={28}
              sort={wish.sort && { key: wish.sort.column, descending: wish.sort.down }}
              onSort={({ key, descending }) =>
                setWish((before) => ({ ...before, start: 0, sort: { column: key, down: descending } }))
              }
              empty={wish.search === '' ? 'The table has no rows.' : `No row has “${wish.search}” in a cell.`}
            />
          ) : (
            <div className={classes.awaited}>
              <Skeleton kind="rows" lines={8} />
            </div>
          )}
        </div>
      </Panel>
    </>
  );
}

const keyOf = ({ row }: Row) => String(row);

/** The engine sorts, over all pages: here all rows are equal. */
const sorted = () => 0;

function columnsOf({ columns }: TablePage): Column<Row>[] {
  return [
    {
      key: '',
      title: 'Row',
      width: 72,
      align: 'right',
      render: ({ row }) => <span className={classes.number}>{integer(row)}</span>,
    },
    ...columns.map(
      ({ name, numbers }, index): Column<Row> => ({
        key: name,
        title: <span title={name}>{name}</span>,
        width: 'minmax(96px, 1fr)',
        ...(numbers ? { align: 'right' as const } : {}),
        sort: sorted,
        render: ({ cells }) => {
          const cell = cells[index];
          return cell === null || cell === undefined ? (
            <span className={classes.missing}>missing</span>
          ) : (
            <span title={cell}>{cell}</span>
          );
        },
      }),
    ),
  ];
}
