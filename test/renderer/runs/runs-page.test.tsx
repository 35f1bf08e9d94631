/** The pages Runs and Compare on runs of the disk. @vitest-environment jsdom */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { client, home } from '../engine.ts';
import { showPage } from '../page.tsx';
import { writeRun } from '../runs-on-disk.ts';

vi.mock('../../../renderer/client/client.ts', async () => ({
  ...(await import('../engine.ts')).client,
  keepAsking: async (ask: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => ask(signal),
}));

const { default: RunsPage } = await import('../../../renderer/runs/runs-page.tsx');
const { default: ComparePage } = await import('../../../renderer/runs/compare-page.tsx');
const { mostCompared } = await import('../../../renderer/runs/comparison.ts');
const { useRuns } = await import('../../../renderer/state/runs.ts');
const { readTrash } = await import('../../../renderer/state/trash.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

async function list(): Promise<void> {
  useRuns.setState({ list: (await client.engine.runs.watch({})).runs, error: null, pending: {} });
}

const row = (name: string) => screen.getByRole('row', { name: new RegExp(name) });
const runFile = (name: string, file: string) => path.join(home, 'runs', name, file);

beforeEach(async () => {
  useSession.setState({ toasts: [] });
  useRuns.setState({ list: null });
});

test('of a name that is too long the number stays, and it is read as one', async () => {
  await writeRun('a-name-that-is-rather-long-017');
  await list();
  showPage(<RunsPage name={null} />);
  const name = within(row('a-name-that-is-rather-long-017')).getByTitle('a-name-that-is-rather-long-017');
  // A browser puts a space between two boxes: what is read is the whole name beside them.
  expect(within(name).getByText('a-name-that-is-rather-long-017').closest('[aria-hidden]')).toBeNull();
  for (const part of ['a-name-that-is-rather-long', '-017'])
    expect(within(name).getByText(part).closest('[aria-hidden]')).not.toBeNull();
  // Not in the way of the tests below.
  await rm(path.join(home, 'runs', 'a-name-that-is-rather-long-017'), { recursive: true });
});

test('without runs the page says how to get one', async () => {
  useRuns.setState({ list: [] });
  const { history } = showPage(<RunsPage name={null} />);
  await userEvent.click(screen.getByRole('button', { name: 'Choose a project' }));
  expect(history.at(-1)).toBe('/');
});

describe('the table', () => {
  beforeEach(async () => {
    await writeRun('first', { epochs: 2, lr: 0.1 });
    await writeRun('second', { epochs: 4, status: 'stopped' });
    await list();
  });

  test('shows results and leads to the details of a row, by its address', async () => {
    const { history } = showPage(<RunsPage name={null} />);
    const cells = within(row('second'));
    for (const text of ['Stopped', '4/4', '85.00 %', '27', 'small']) expect(cells.getByText(text)).toBeDefined();
    await userEvent.click(row('second'));
    expect(history.at(-1)).toBe('/runs/second');
  });

  test('of two selected rows offers to compare them', async () => {
    const { history } = showPage(<RunsPage name="first" />);
    const compare = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' });
    expect(compare().disabled).toBe(true);
    fireEvent.click(row('second'), { ctrlKey: true });
    await waitFor(() => expect(compare().disabled).toBe(false));
    expect(screen.getAllByText('Best loss')).toHaveLength(2);
    await userEvent.click(compare());
    expect(history.at(-1)).toMatch(/^\/compare\/(first,second|second,first)$/);
  });

  test('is filtered by words', async () => {
    showPage(<RunsPage name={null} />);
    await userEvent.type(screen.getByRole('searchbox', { name: 'Filter runs' }), 'seco');
    expect(screen.getAllByRole('row')).toHaveLength(2);
    expect(screen.getByText('1 of 2 runs')).toBeDefined();
  });

  test('deletes into the trash, and undo brings the run back', async () => {
    await writeRun('unwanted', { epochs: 1 });
    await list();
    showPage(<RunsPage name="unwanted" />);
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(useSession.getState().toasts).toHaveLength(1));
    const [toast] = useSession.getState().toasts;
    expect(toast?.message).toBe('unwanted was deleted');
    expect(existsSync(runFile('unwanted', 'project.json'))).toBe(false);
    toast?.action?.run();
    await waitFor(() => expect(existsSync(runFile('unwanted', 'project.json'))).toBe(true));
    await client.engine.runs.remove({ run: path.join(home, 'runs', 'unwanted') });
  });
});

test('a deleted run is brought back after the message is gone, also where no other is left', async () => {
  const folder = await writeRun('missed');
  await client.engine.runs.remove({ run: folder });
  await readTrash();
  useRuns.setState({ list: [] });
  showPage(<RunsPage name={null} />);
  await userEvent.click(screen.getByRole('button', { name: 'Recently deleted' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Recently deleted runs' }));
  const item = dialog.getByText('missed').closest('li') as HTMLElement;
  expect(within(item).getByText('just now')).toBeDefined();
  await userEvent.click(within(item).getByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(dialog.queryByText('missed')).toBeNull());
  expect(existsSync(path.join(folder, 'project.json'))).toBe(true);
});

describe('the details of a run', () => {
  beforeEach(async () => {
    await writeRun('told', { epochs: 2, lr: 0.1 });
    await list();
  });

  test('tell what differs from the defaults, and all on demand', async () => {
    showPage(<RunsPage name="told" />);
    const details = within(screen.getByRole('complementary', { name: 'Run details' }));
    expect(await details.findByText('Learning rate')).toBeDefined();
    expect(details.getByText('0.1')).toBeDefined();
    expect(details.queryByText('Weight decay')).toBeNull();
    await userEvent.click(details.getByRole('radio', { name: 'All' }));
    expect(details.getByText('Weight decay')).toBeDefined();
  });

  test('keep notes on the disk', async () => {
    showPage(<RunsPage name="told" />);
    await userEvent.type(screen.getByLabelText(/^Notes/), 'too large a step');
    await userEvent.tab();
    await waitFor(async () => expect(await readFile(runFile('told', 'notes.txt'), 'utf8')).toBe('too large a step'));
  });

  test('keep notes that were not saved when the page is left', async () => {
    const { unmount } = showPage(<RunsPage name="told" />);
    const field = screen.getByLabelText(/^Notes/);
    await userEvent.clear(field);
    await userEvent.type(field, 'left at once');
    unmount();
    await waitFor(async () => expect(await readFile(runFile('told', 'notes.txt'), 'utf8')).toBe('left at once'));
  });

  test('rename the run, or say why not', async () => {
    await writeRun('taken');
    await writeRun('misnamed');
    await list();
    const { history } = showPage(<RunsPage name="misnamed" />);
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    const field = screen.getByLabelText('Name of the run');
    await userEvent.clear(field);
    await userEvent.type(field, 'taken{Enter}');
    expect(await screen.findByText(/already something called taken/)).toBeDefined();
    await userEvent.clear(field);
    await userEvent.type(field, 'well named{Enter}');
    await waitFor(() => expect(history.at(-1)).toBe('/runs/well%20named'));
    expect(existsSync(runFile('well named', 'project.json'))).toBe(true);
  });
});

describe('a comparison', () => {
  test('shows the settings that differ, all on demand, and marks the best', async () => {
    await writeRun('a', { epochs: 2, lr: 0.1 });
    await writeRun('b', { epochs: 4, lr: 0.01 });
    await list();
    const { history } = showPage(<ComparePage names={['a', 'b']} />);
    const settings = within(await screen.findByRole('table', { name: 'Settings' }));
    await waitFor(() => expect(settings.getByRole('row', { name: 'Learning rate 0.1 0.01' })).toBeDefined());
    expect(settings.queryByRole('row', { name: /Batch size/ })).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: 'All' }));
    expect(settings.getByRole('row', { name: 'Batch size 10 10' })).toBeDefined();
    const results = within(screen.getByRole('table', { name: 'Results' }));
    expect(results.getByRole('row', { name: 'Best validation loss 0.7500 0.3750best' })).toBeDefined();
    await userEvent.click(results.getByRole('button', { name: 'Move b to the left' }));
    expect(history.at(-1)).toBe('/compare/b,a');
    await userEvent.click(results.getByRole('button', { name: 'Remove a from the comparison' }));
    expect(history.at(-1)).toBe('/compare/b');
  });

  test('of more runs than can be told apart shows as many as can', async () => {
    const names = Array.from({ length: mostCompared + 3 }, (_, i) => `many-${i}`);
    for (const name of names) await writeRun(name, { epochs: 1 });
    await list();
    const { unmount } = showPage(<ComparePage names={names} />);
    await screen.findByText(`The first ${mostCompared} of ${names.length} runs are shown`);
    expect(screen.queryByRole('link', { name: names.at(-1) as string })).toBeNull();
    unmount();
    showPage(<RunsPage name={null} />);
    fireEvent.click(row('many-0 '));
    fireEvent.keyDown(screen.getByRole('grid', { name: 'Runs' }), { key: 'a', ctrlKey: true });
    await screen.findByText(/runs selected$/);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' }).disabled).toBe(true);
  });

  test('with a run that is gone says so', async () => {
    await writeRun('a');
    await list();
    const { history } = showPage(<ComparePage names={['a', 'gone']} />);
    expect(screen.getByText('There is no run gone')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Remove it' }));
    expect(history.at(-1)).toBe('/compare/a');
  });
});
