/** The command palette: pages, data, and fitting the network from pages that have the dialog and from others. @vitest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Route } from 'wouter';
import '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { CommandPalette } = await import('../../../renderer/frame/command-palette.tsx');
const { FitDialogs } = await import('../../../renderer/project-parts/fit-dialogs.tsx');
const { openFitting } = await import('../../../renderer/state/fitting.ts');
const { useProjectState } = await import('../../../renderer/state/project.ts');
const { createProject } = await import('../../../renderer/state/projects.ts');
const { useLocation } = await import('wouter');

function Frame() {
  const [, navigate] = useLocation();
  return (
    <>
      <Route path="/">Home</Route>
      <Route path="/data">
        <FitDialogs />
      </Route>
      <Route path="/build">
        <FitDialogs />
      </Route>
      <CommandPalette commands={{} as never} navigate={navigate} onClose={() => {}} />
    </>
  );
}

beforeEach(async () => {
  openFitting(null);
  expect(await createProject('digits-mlp')).toBe(true);
});

test.each([
  ['/data', '/data'],
  ['/build', '/build'],
  ['/', '/build'],
])('from %s the dialog opens on %s, and stays', async (from, on) => {
  const { history } = showPage(<Frame />, from);
  await userEvent.type(screen.getByRole('combobox'), 'fit the network');
  await userEvent.keyboard('{Enter}');
  const dialog = await screen.findByRole('dialog', { name: 'Fit the network to its data' });
  expect(history.at(-1)).toBe(on);
  await within(dialog).findByText('Nothing changes: the network goes with the data as it is.');
  // Its parts are no landmarks beside the window's own.
  expect(within(dialog).queryByRole('banner', { hidden: true })).toBeNull();
  expect(within(dialog).queryByRole('contentinfo', { hidden: true })).toBeNull();
});

test('pages are found by their name, and the digits by what they are', async () => {
  expect(await createProject(null)).toBe(true);
  const { history } = showPage(<Frame />);
  await userEvent.type(screen.getByRole('combobox'), 'devices');
  expect(screen.getAllByRole('option')[0]?.textContent).toContain('Go to Devices');
  await userEvent.clear(screen.getByRole('combobox'));
  await userEvent.type(screen.getByRole('combobox'), 'use digits');
  const before = useProjectState.getState().text;
  await userEvent.keyboard('{Enter}');
  expect(history.at(-1)).toBe('/data');
  await waitFor(() => expect(useProjectState.getState().text).not.toBe(before));
});
