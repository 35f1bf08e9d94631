/** Fitting the network by the command palette, from pages that have the dialog and from others. @vitest-environment jsdom */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Route } from 'wouter';
import '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { CommandPalette } = await import('../../../renderer/frame/command-palette.tsx');
const { FitDialogs } = await import('../../../renderer/project-parts/fit-dialogs.tsx');
const { openFitting } = await import('../../../renderer/state/fitting.ts');
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
