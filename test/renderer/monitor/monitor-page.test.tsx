/** The page Monitor on runs of the disk, followed by the engine. @vitest-environment jsdom */
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import type { RunState } from '../../../engine/contract/events.ts';
import { client } from '../engine.ts';
import { showPage } from '../page.tsx';
import { writeRun } from '../runs-on-disk.ts';

// A run that nobody trains does not change: asking once tells all.
vi.mock('../../../renderer/client/client.ts', async () => ({
  ...(await import('../engine.ts')).client,
  keepAsking: async (ask: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => ask(signal),
}));

const { default: MonitorPage } = await import('../../../renderer/monitor/monitor-page.tsx');
const { closeProject } = await import('../../../renderer/state/project.ts');
const { createProject } = await import('../../../renderer/state/projects.ts');
const { useRuns } = await import('../../../renderer/state/runs.ts');

async function list(): Promise<void> {
  useRuns.setState({ list: (await client.engine.runs.watch({})).runs, pending: {} });
}

/** The list as if the run were in that state: a live one has a process, which these have not. */
function pretend(name: string, status: RunState): void {
  useRuns.setState(({ list: before }) => ({
    list: (before ?? []).map((run) => (run.name === name ? { ...run, status } : run)),
  }));
}

type Actions = typeof import('../../../renderer/run-parts/run-actions.tsx').RunActions;

/** In the state in which the list has it now. */
function Listed({ run, Actions }: { run: RunRow; Actions: Actions }) {
  const status = useRuns(({ list: runs }) => runs?.find(({ name }) => name === run.name)?.status ?? run.status);
  return <Actions run={run} status={status} />;
}

const actions = (name: string) => within(screen.getByRole('group', { name: `Actions on ${name}` }));
const buttons = (name: string) =>
  actions(name)
    .getAllByRole('button')
    .map((button) => button.textContent);

beforeEach(async () => {
  useRuns.setState({ list: null, error: null, pending: {} });
});

describe('a run that has ended', () => {
  test('shows its figures, curves and events from the journal', async () => {
    await writeRun('done', { epochs: 3 });
    await list();
    showPage(<MonitorPage name="done" />);
    await screen.findByText('Epoch 3 of 3');
    expect(screen.getByText('Completed')).toBeDefined();
    expect(screen.getByText('0.5000')).toBeDefined();
    expect(screen.getByText('Loss')).toBeDefined();
    expect(await screen.findByText('Accuracy')).toBeDefined();
    expect(screen.getByText('Done after 3 epochs, step 30.')).toBeDefined();
    const where = /Where the time goes: Waiting for data 30 ms, 3 %.*Forward 500 ms, 50 %/;
    expect(screen.getByRole('img', { name: where })).toBeDefined();
    expect(screen.getByText('Waited for data').nextElementSibling?.textContent).toMatch(/^3 %/);
  });

  test('leads into the network of its project, with what it has learned', async () => {
    await writeRun('learned', { epochs: 1 });
    await list();
    showPage(<MonitorPage name="learned" />);
    await screen.findByText('Epoch 1 of 1');
    expect(screen.queryByRole('link', { name: 'Look inside' })).toBeNull();
    await act(async () => expect(await createProject(null, { name: 'small' })).toBe(true));
    const link = await screen.findByRole('link', { name: 'Look inside' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toMatch(
      /^\/build\?look=train\.0\.learned:(best|last)$/,
    );
    await act(() => closeProject());
  });

  test('whose weights were averaged says of which its validation is', async () => {
    await writeRun('averaged', { epochs: 2, ema: { decay: 0.9 } });
    await list();
    showPage(<MonitorPage name="averaged" />);
    expect(await screen.findByText(/^Validation values are of the averaged weights \(decay 0\.9\)/)).toBeDefined();
    expect(screen.getByText('epoch 2, averaged weights')).toBeDefined();
  });

  test('that failed says why, what to do, and offers it', async () => {
    await writeRun('broken', {
      status: 'failed',
      epochs: 1,
      error: { code: 'NON_FINITE', message: 'The loss became NaN', hint: 'Train with a smaller learning rate' },
    });
    await list();
    const { history } = showPage(<MonitorPage name="broken" />);
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getByText('The loss became NaN')).toBeDefined();
    expect(alert.getByText('Train with a smaller learning rate')).toBeDefined();
    // With the same settings it would fail again: offered once, and last.
    expect(alert.queryByRole('button', { name: 'Resume' })).toBeNull();
    expect(buttons('broken')).toEqual(['Export', 'Resume']);
    await userEvent.click(alert.getByRole('button', { name: 'Show settings' }));
    expect(history.at(-1)).toBe('/runs/broken');
  });

  test('is extended to more epochs than are done only', async () => {
    await writeRun('short', { epochs: 2 });
    await list();
    showPage(<MonitorPage name="short" />);
    await userEvent.click(actions('short').getByRole('button', { name: 'Train longer' }));
    const field = await screen.findByLabelText('Epochs in all');
    await userEvent.clear(field);
    await userEvent.type(field, '2');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Train' }).disabled).toBe(true);
    await userEvent.clear(field);
    await userEvent.type(field, '5');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Train 3 more' }).disabled).toBe(false);
  });
});

describe('what can be done', () => {
  const offered: Record<RunState, string[]> = {
    queued: ['Stop', 'Export'],
    preparing: ['Stop', 'Export'],
    running: ['Pause', 'Adjust', 'Stop', 'Export'],
    paused: ['Continue', 'Adjust', 'Stop', 'Export'],
    parked: ['Resume', 'Export'],
    completed: ['Train longer', 'Export'],
    stopped: ['Resume', 'Export'],
    interrupted: ['Resume', 'Export'],
    failed: ['Resume', 'Export'],
  };

  test.each(Object.entries(offered))('follows from the state: %s', async (status, expected) => {
    await writeRun('stately', { epochs: 1 });
    await list();
    pretend('stately', status as RunState);
    const { RunActions } = await import('../../../renderer/run-parts/run-actions.tsx');
    const run = useRuns.getState().list?.find(({ name }) => name === 'stately');
    if (!run) throw new Error('the run is not listed');
    showPage(<RunActions run={run} />);
    expect(buttons('stately')).toEqual(expected);
  });

  test('cannot be asked twice while it is under way', async () => {
    await writeRun('waiting', { epochs: 1, status: 'stopped' });
    await list();
    showPage(<MonitorPage name="waiting" />);
    await screen.findByText('Epoch 1 of 1');
    useRuns.setState({ pending: { waiting: 'resume' } });
    await waitFor(() =>
      expect(actions('waiting').getByRole('button', { name: 'Resume' }).getAttribute('data-loading')).toBe('true'),
    );
  });

  test('a paused run can be parked, from the menu of Stop', async () => {
    await writeRun('resting', { epochs: 1 });
    await list();
    pretend('resting', 'paused');
    const { RunActions } = await import('../../../renderer/run-parts/run-actions.tsx');
    const run = useRuns.getState().list?.find(({ name }) => name === 'resting');
    if (!run) throw new Error('the run is not listed');
    showPage(<RunActions run={run} />);
    await userEvent.click(actions('resting').getByRole('button', { name: 'Stop' }));
    expect(await screen.findByText('Park')).toBeDefined();
  });

  test('the adjustments stay in sight when the run ends meanwhile, and cannot be made', async () => {
    await writeRun('ending', { epochs: 1 });
    await list();
    pretend('ending', 'running');
    const { RunActions } = await import('../../../renderer/run-parts/run-actions.tsx');
    const run = useRuns.getState().list?.find(({ name }) => name === 'ending');
    if (!run) throw new Error('the run is not listed');
    showPage(<Listed run={run} Actions={RunActions} />);
    await userEvent.click(actions('ending').getByRole('button', { name: 'Adjust' }));
    await userEvent.click(await screen.findByText('Learning rate, last epoch…'));
    const dialog = within(await screen.findByRole('dialog', { name: 'Adjust ending' }));
    await userEvent.type(dialog.getByLabelText('Last epoch'), '12');
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Change' }).disabled).toBe(false);
    act(() => pretend('ending', 'completed'));
    expect(await dialog.findByText(/does not go on any more/)).toBeDefined();
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Change' }).disabled).toBe(true);
    expect(dialog.getByLabelText<HTMLInputElement>('Last epoch').value).toBe('12');
  });

  test('to discard a run asks first', async () => {
    await writeRun('asked', { epochs: 1 });
    await list();
    pretend('asked', 'running');
    const { RunActions } = await import('../../../renderer/run-parts/run-actions.tsx');
    const run = useRuns.getState().list?.find(({ name }) => name === 'asked');
    if (!run) throw new Error('the run is not listed');
    showPage(<RunActions run={run} />);
    await userEvent.click(actions('asked').getByRole('button', { name: 'Stop' }));
    await userEvent.click(await screen.findByText('Discard…'));
    const dialog = within(await screen.findByRole('dialog', { name: 'Discard asked?' }));
    await userEvent.click(dialog.getByRole('button', { name: 'Keep it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(useRuns.getState().pending).toEqual({});
  });
});

test('a run that is not there is said so, and the list is offered', async () => {
  await list();
  showPage(<MonitorPage name="nowhere" />);
  expect(screen.queryByText('There is no run nowhere')).toBeNull();
  expect(await screen.findByText('There is no run nowhere')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Show all runs' }).getAttribute('href')).toBe('/runs');
});
