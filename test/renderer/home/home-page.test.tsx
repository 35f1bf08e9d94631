/** Home, against the engine. @vitest-environment jsdom */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { client, home, refuseNext } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: HomePage } = await import('../../../renderer/home/home-page.tsx');
const { closeProject, useProjectState } = await import('../../../renderer/state/project.ts');
const { useProjects } = await import('../../../renderer/state/projects.ts');
const { usePicking, answerPick } = await import('../../../renderer/state/files.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

beforeEach(async () => {
  await closeProject();
  useProjects.setState({ templates: null, recent: null, error: null });
  useSession.setState({ status: 'ready', toasts: [] });
});

describe('Home', () => {
  test('makes a project from a template and goes to build it', async () => {
    const { history } = showPage(<HomePage />);
    await userEvent.click(await screen.findByRole('button', { name: 'New project from Digits, fully connected' }));
    await waitFor(() => expect(history.at(-1)).toBe('/build'));
    expect(useProjectState.getState().file).toBe(path.join(home, 'projects', 'digits-mlp.gradloom.json'));
  });

  test('a double click makes one project, and its second click falls on nothing', async () => {
    showPage(<HomePage />);
    const under = vi.fn();
    document.body.addEventListener('click', under);
    await userEvent.dblClick(await screen.findByRole('button', { name: 'New project from LeNet-5' }));
    expect(under).toHaveBeenCalledTimes(1);
    document.body.removeEventListener('click', under);
    await waitFor(() =>
      expect(useProjectState.getState().file).toBe(path.join(home, 'projects', 'lenet-5.gradloom.json')),
    );
  });

  test('shows every template under its heading, with its network, its size and what to expect of its training', async () => {
    showPage(<HomePage />);
    const templates = await client.engine.projects.templates();
    for (const { title, category } of templates) {
      const group = await screen.findByRole('region', { name: category });
      expect(within(group).getByRole('button', { name: `New project from ${title}` })).toBeTruthy();
    }
    const images = screen.getByRole('region', { name: templates[0]?.category ?? '' });
    const card = within(images)
      .getByRole('button', { name: /^New project from Digits, fully/ })
      .closest('article');
    expect(card?.textContent).toContain('235 k parameters');
    expect(card?.textContent).toMatch(/about 1 s an epoch.*10, about 10 s in all/);
    expect(
      within(card as HTMLElement)
        .getByRole('img')
        .getAttribute('aria-label'),
    ).toContain('Network of 6 layers');
  });

  test('lists what was open before the templates, the latest few until all are asked for', async () => {
    for (let each = 0; each < 7; each++)
      await client.engine.projects.create({ template: null, name: `listed ${each}` });
    showPage(<HomePage />);
    await screen.findByRole('button', { name: 'Open listed 6' });
    expect(screen.queryByRole('button', { name: 'Open listed 0' })).toBeNull();
    const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(headings).toEqual(['Recent projects', 'Start from a template']);
    await userEvent.click(screen.getByRole('button', { name: /^Show all/ }));
    expect(screen.getByRole('button', { name: 'Open listed 0' })).toBeTruthy();
  });

  test('lists what was open, greys what is gone and takes it off', async () => {
    const gone = await client.engine.projects.create({ template: null, name: 'gone' });
    await client.engine.projects.create({ template: null, name: 'kept' });
    await rm(gone.file);
    showPage(<HomePage />);
    expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Open kept' })).disabled).toBe(false);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'gone: the file is gone' }).disabled).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Remove gone from the list' }));
    expect(screen.queryByText('gone')).toBeNull();
    await waitFor(async () =>
      expect((await client.engine.projects.recent()).map(({ name }) => name)).not.toContain('gone'),
    );
  });

  test('opens the file that is chosen; one that cannot be read is told in place', async () => {
    const file = path.join(home, 'broken.gradloom.json');
    await writeFile(file, '{ "gradloom": 1, ');
    const { history } = showPage(<HomePage />);
    await userEvent.click(screen.getByRole('button', { name: 'Open…' }));
    await waitFor(() => expect(usePicking.getState().request?.kind).toBe('file'));
    answerPick(file);
    expect((await screen.findByRole('alert')).textContent).toContain('not JSON');
    expect(history.at(-1)).toBe('/');
  });

  test('the address `/?open` asks for a file, once', async () => {
    usePicking.setState({ request: null, answer: null });
    const { history } = showPage(<HomePage />, '/?open');
    await waitFor(() => expect(usePicking.getState().request?.title).toBe('Open project'));
    expect(history.at(-1)).toBe('/');
    answerPick(null);
  });

  test('an engine that does not answer is told, and asked again', async () => {
    refuseNext('projects.templates', new Error('The disk is gone'));
    showPage(<HomePage />);
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is gone');
    await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
    await screen.findByRole('button', { name: /Digits, convolutional/ });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
