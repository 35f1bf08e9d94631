/** A table of many rows, by mouse and keyboard. @vitest-environment jsdom */
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { type Column, DataTable } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

interface Run {
  name: string;
  loss: number | null;
}
const columns: Column<Run>[] = [
  { key: 'name', title: 'Name', render: (run) => run.name, sort: (run) => run.name },
  { key: 'loss', title: 'Loss', render: (run) => run.loss, sort: (run) => run.loss },
];
const runs = (count: number): Run[] =>
  Array.from({ length: count }, (_, index) => ({ name: `run-${index + 1}`, loss: (index * 7) % 10 }));

function Host({
  rows,
  onOpen,
  onDelete,
}: {
  rows: Run[];
  onOpen?: (run: Run) => void;
  onDelete?: (keys: ReadonlySet<string>) => void;
}) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return (
    <DataTable
      label="Runs"
      columns={columns}
      rows={rows}
      rowKey={(run) => run.name}
      selected={selected}
      onSelect={setSelected}
      onOpen={onOpen}
      onDelete={onDelete}
      empty="No runs yet"
    />
  );
}
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.firstElementChild?.textContent);
const chosen = () =>
  screen
    .getAllByRole('row')
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map((row) => row.firstElementChild?.textContent);

test('headers sort, up and down', async () => {
  show(<Host rows={runs(11)} />);
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(names()[10]).toBe('run-11');
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(names()[0]).toBe('run-11');
  expect(screen.getAllByRole('columnheader')[0]?.getAttribute('aria-sort')).toBe('descending');
});

test('clicks select one, a range, one more', () => {
  show(<Host rows={runs(6)} />);
  const row = (at: number) => screen.getAllByRole('row')[at] as HTMLElement;
  fireEvent.click(row(2));
  expect(chosen()).toEqual(['run-2']);
  fireEvent.click(row(4), { shiftKey: true });
  expect(chosen()).toEqual(['run-2', 'run-3', 'run-4']);
  fireEvent.click(row(3), { ctrlKey: true });
  expect(chosen()).toEqual(['run-2', 'run-4']);
});

test('the keyboard moves, extends, opens, deletes', async () => {
  const [opened, deleted] = [vi.fn(), vi.fn()];
  show(<Host rows={runs(6)} onOpen={opened} onDelete={deleted} />);
  const grid = screen.getByRole('grid', { name: 'Runs' });
  grid.focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(chosen()).toEqual(['run-2']);
  expect(document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.textContent).toContain('run-2');
  await userEvent.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(chosen()).toEqual(['run-2', 'run-3', 'run-4']);
  await userEvent.keyboard('{Enter}');
  expect(opened).toHaveBeenCalledWith({ name: 'run-4', loss: 1 });
  await userEvent.keyboard('{Control>}a{/Control}{Delete}');
  expect(deleted.mock.calls[0]?.[0].size).toBe(6);
  await userEvent.keyboard('{Escape}');
  expect(chosen()).toEqual([]);
});

test('of a thousand rows only those in sight are drawn', () => {
  show(<Host rows={runs(1000)} />);
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('1001');
  expect(screen.queryByText('run-1000')).toBeNull();
});

test('an empty one says what belongs there', () => {
  show(<Host rows={[]} />);
  screen.getByText('No runs yet');
});
