/** The columns of a table: role, type and why, what is missing, how the values lie; roles are changed one by one or for all selected at once. */
import { useMemo, useState } from 'react';
import { columnRoles, type TableColumn, type TableRole } from '../../engine/contract/data/table.ts';
import { isObject, type JsonObject } from '../../engine/contract/report.ts';
import { useValueAt } from '../state/form.ts';
import { edit } from '../state/project.ts';
import {
  Button,
  Choice,
  type Column,
  DataTable,
  integer,
  Menu,
  number,
  Panel,
  percent,
  plural,
  Skeleton,
} from '../ui/index.ts';
import { roleEdits } from './column-edits.ts';
import { ColumnShape } from './column-shape.tsx';
import { hasRoles } from './source-panel.tsx';
import classes from './table.module.css';

export const roleWords: Readonly<Record<TableRole, string>> = {
  numeric: 'Numeric',
  categorical: 'Categorical',
  target_class: 'Target, class',
  target_value: 'Target, value',
  group: 'Group',
  ignore: 'Ignored',
};

const roleHelp: Readonly<Record<TableRole, string>> = {
  numeric: 'A number that the network reads, normalised on the rows that train.',
  categorical: 'One of several values, each an input of 0 or 1.',
  target_class: 'What is to be predicted: one of several classes.',
  target_value: 'What is to be predicted: a number.',
  group: 'Rows with the same value stay on one side of the split.',
  ignore: 'Left out.',
};

const roleOptions = columnRoles.map((role) => ({ value: role, label: roleWords[role], help: roleHelp[role] }));

export function ColumnsPanel({ columns, reading }: { columns: readonly TableColumn[] | null; reading: boolean }) {
  const source = useValueAt(['data', 'source']);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const written = isObject(source) ? source : null;
  const editable = hasRoles(String(written?.kind));
  const shown = useMemo(() => table(editable ? written : null), [editable, written]);
  const setAll = (role: TableRole) => {
    if (written && columns) edit(roleEdits(written, columns, [...selected], role));
  };
  const inputs = columns?.filter(({ role }) => role === 'numeric' || role === 'categorical').length ?? 0;
  return (
    <Panel
      title="Columns"
      hint={columns ? `${plural(columns.length, 'column')}, ${plural(inputs, 'input')}` : undefined}
      padding="none"
      actions={
        !editable ? undefined : selected.size > 0 ? (
          <>
            <span className={classes.selected}>{`${integer(selected.size)} selected`}</span>
            <Menu
              label="Role of the selected columns"
              align="end"
              trigger={<Button size="xs">Set role</Button>}
              items={columnRoles.map((role) => ({ label: roleWords[role], onClick: () => setAll(role) }))}
            />
          </>
        ) : (
          <span className={classes.selected}>Select several to change their role at once</span>
        )
      }
    >
      <div
        className={classes.columns}
        data-reading={(reading && columns !== null) || undefined}
        style={{ height: columns ? Math.min(12, columns.length + 1) * 40 + 2 : 240 }}
      >
        {columns ? (
          <DataTable<TableColumn>
            label="Columns of the table"
            columns={shown}
            rows={columns}
            rowKey={({ name }) => name}
            rowHeight={40}
            {...(editable ? { selected, onSelect: setSelected } : {})}
          />
        ) : (
          <div className={classes.awaited}>
            <Skeleton kind="rows" lines={6} />
          </div>
        )}
      </div>
    </Panel>
  );
}

/** null: roles follow from other settings. */
function table(source: JsonObject | null): Column<TableColumn>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(110px, 1.2fr)',
      sort: ({ name }) => name,
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: 'role',
      title: 'Role',
      width: 166,
      sort: ({ role }) => columnRoles.indexOf(role),
      render: (column) =>
        source ? (
          <Choice
            label={`Role of ${column.name}`}
            width={150}
            value={column.role}
            options={roleOptions}
            onChange={(role) => edit(roleEdits(source, [column], [column.name], role as TableRole))}
          />
        ) : (
          roleWords[column.role]
        ),
    },
    { key: 'shape', title: 'Spread', width: 104, render: (column) => <ColumnShape column={column} /> },
    {
      key: 'missing',
      title: 'Missing',
      width: 84,
      align: 'right',
      descendingFirst: true,
      sort: ({ missing }) => missing,
      render: ({ missing, count }) =>
        missing === 0 ? (
          <span className={classes.none}>none</span>
        ) : (
          <span title={`${integer(missing)} of ${integer(count)}`}>{percent(count > 0 ? missing / count : 0, 1)}</span>
        ),
    },
    {
      key: 'distinct',
      title: 'Distinct',
      width: 84,
      align: 'right',
      descendingFirst: true,
      sort: ({ distinct }) => distinct,
      render: ({ distinct }) => integer(distinct),
    },
    {
      key: 'range',
      title: 'Values',
      width: 'minmax(110px, 1fr)',
      align: 'right',
      render: ({ numbers, frequent }) => (
        <span className={classes.reason}>
          {numbers
            ? `${number(numbers.min, 3)} to ${number(numbers.max, 3)}`
            : (frequent ?? [])
                .slice(0, 3)
                .map(({ value }) => value)
                .join(', ')}
        </span>
      ),
    },
    {
      key: 'reason',
      title: 'Why',
      width: 'minmax(120px, 2fr)',
      render: ({ type, reason }) => (
        <span className={classes.reason} title={`${type}: ${reason}`}>
          {reason}
        </span>
      ),
    },
  ];
}
