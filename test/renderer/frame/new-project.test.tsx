/** A new empty project is called something, and the keyboard goes on in its stack. @vitest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Route } from 'wouter';
import '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { NewProject } = await import('../../../renderer/frame/new-project.tsx');
const { useProjectState } = await import('../../../renderer/state/project.ts');
const { askForName } = await import('../../../renderer/state/projects.ts');

test('by keys alone: the name is written over, Enter makes it, and layers are next', async () => {
  const { history } = showPage(
    <>
      <Route path="/">
        <button type="button" onClick={askForName}>
          New
        </button>
      </Route>
      <Route path="/build">
        <BuildPage />
      </Route>
      <NewProject />
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'New' }));
  const name = await screen.findByRole('textbox', { name: 'Name' });
  await waitFor(() => expect(document.activeElement).toBe(name));
  await userEvent.keyboard('lenet{Enter}');
  await waitFor(() => expect(history.at(-1)).toBe('/build'));
  expect(JSON.parse(useProjectState.getState().text).name).toBe('lenet');
  await waitFor(() => expect(document.activeElement?.closest('[data-begin]')).toBeTruthy());
});
