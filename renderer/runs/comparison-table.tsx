/** Runs as columns, what they are compared by as rows; what differs stands out, the best is marked. */
import type { ReactNode } from 'react';
import type { ComparedRow } from './comparison.ts';
import styles from './comparison-table.module.css';

export function ComparisonTable({
  label,
  heads,
  rows,
  empty,
}: {
  label: string;
  heads: readonly ReactNode[];
  rows: readonly ComparedRow[];
  empty?: string;
}) {
  if (rows.length === 0 && empty !== undefined) return <p className={styles.empty}>{empty}</p>;
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col" className={styles.corner}>
              <span className="visually-hidden">{label}</span>
            </th>
            {heads.map((head, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row key={row.key} row={row} group={row.group === rows[index - 1]?.group ? '' : row.group} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, group }: { row: ComparedRow; group: string }) {
  return (
    <>
      {group !== '' && (
        <tr className={styles.group}>
          <th colSpan={row.values.length + 1} scope="rowgroup">
            {group}
          </th>
        </tr>
      )}
      <tr data-same={!row.differs || undefined}>
        <th scope="row" title={row.key}>
          {row.label}
        </th>
        {row.values.map((value, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <td key={index} data-best={row.best === index || undefined}>
            {value ?? '—'}
            {row.best === index && <span className={styles.best}>best</span>}
          </td>
        ))}
      </tr>
    </>
  );
}
