/** The templates of Home: found, and shown with other data, against the engine. @vitest-environment jsdom */
import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { client, home } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: HomePage } = await import('../../../renderer/home/home-page.tsx');
const { answerPick, usePicking } = await import('../../../renderer/state/files.ts');
const { useChosenData } = await import('../../../renderer/state/fitting.ts');
const { closeProject, useProjectState } = await import('../../../renderer/state/project.ts');
const { useProjects } = await import('../../../renderer/state/projects.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

beforeEach(async () => {
  await closeProject();
  useProjects.setState({ templates: null, recent: null, error: null });
  useChosenData.setState({ data: null });
  useSession.setState({ status: 'ready', toasts: [] });
});

const cards = () =>
  screen.queryAllByRole('button', { name: /^New project from/ }).map((button) => button.textContent ?? '');
const card = (title: string) => screen.findByRole('button', { name: `New project from ${title}` });

async function useDataOf(name: string): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: /^(Use with my data|Data:)/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name, hidden: true }));
}

describe('templates', () => {
  test('are found by what they learn, by their layers and by the kind of data', async () => {
    showPage(<HomePage />);
    await card('LeNet-5');
    const search = screen.getByRole('searchbox', { name: 'Search templates' });
    await userEvent.type(search, 'shakespeare');
    expect(cards()).toEqual(['Character GPT']);
    await userEvent.clear(search);
    await userEvent.type(search, 'lstm digits');
    expect(cards()).toContain('LSTM');
    expect(cards()).not.toContain('LeNet-5');
    await userEvent.clear(search);
    await userEvent.click(screen.getByRole('radio', { name: 'Tables' }));
    expect(cards()).toEqual(['Table']);
    await userEvent.type(search, 'attention');
    expect(cards()).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Show all templates' }));
    expect(cards().length).toBe((await client.engine.projects.templates()).length);
  });

  test('say of their times that they are estimates', async () => {
    showPage(<HomePage />);
    const article = (await card('LeNet-5')).closest('article') as HTMLElement;
    expect(within(article).getByText('estimate')).toBeTruthy();
    expect(within(article).getByTitle(/^Estimated for two CPU cores/)).toBeTruthy();
  });
});

describe('templates with other data', () => {
  test('are fitted: what changes is looked at first, then it is a project', async () => {
    const source = { kind: 'random', shape: [3, 32, 32], classes: 4, samples: 64 };
    const made = await client.engine.projects.create({ template: null, name: 'my images' });
    const text = JSON.stringify({ gradloom: 1, name: 'my images', data: { source, split: { val: 0.25 } } });
    await client.engine.projects.save({ file: made.file, revision: made.revision, text });
    const { history } = showPage(<HomePage />);
    await card('LeNet-5');
    await useDataOf('my images');
    expect((await screen.findByText(/^my images: 3×32×32/)).textContent).toContain('one of 4 classes');
    const unfit = await screen.findByRole('region', { name: 'Not for this data' });
    expect(within(unfit).getByRole('button', { name: 'New project from Character GPT' })).toBeTruthy();
    expect(within(unfit).queryByRole('button', { name: 'New project from ResNet-9' })).toBeNull();
    // What is true of torchvision's weights is so of the template, not of what it becomes.
    const resnet = (await card('ResNet-18')).closest('article')?.textContent;
    expect(resnet).toMatch(/As it comes, it classifies photographs of 224.*whose weights fit\./);
    expect(resnet).not.toContain('choose your own data');

    await userEvent.click(await card('LeNet-5'));
    const dialog = await screen.findByRole('dialog', { name: 'LeNet-5 with the data of my images' });
    const changes = within(dialog).getByRole('list', { name: 'What changes' });
    expect(
      within(changes)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['Linear: out_features 10 → 4']);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Create project' }));
    await waitFor(() => expect(history.at(-1)).toBe('/build'));
    const project = JSON.parse(await readFile(useProjectState.getState().file as string, 'utf8'));
    expect(project.name).toMatch(/^lenet-5/);
    expect(project.data).toMatchObject({ source, split: { val: 0.25 } });
    expect(project.model.layers.at(-1)).toEqual({ kind: 'Linear', out_features: 4 });
  });

  test('that do not go say why, and which do', async () => {
    await client.engine.projects.create({ template: 'tabular-mlp', name: 'rows' });
    showPage(<HomePage />);
    await card('LeNet-5');
    await useDataOf('rows');
    await screen.findByText(/^rows: 30/);
    await userEvent.click(await card('ResNet-18'));
    const dialog = await screen.findByRole('dialog', { name: 'ResNet-18 with the data of rows' });
    expect(dialog.textContent).toContain('begins with Conv2d, which reads images');
    expect(dialog.textContent).toMatch(/These go with it: .*Table/);
    expect(within(dialog).queryByRole('button', { name: 'Create project' })).toBeNull();
    await userEvent.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
    await userEvent.click(screen.getByRole('button', { name: 'Back to the data they come with' }));
    expect(screen.queryByRole('region', { name: 'Not for this data' })).toBeNull();
  });

  test('a folder without data is told, and can be left again', async () => {
    showPage(<HomePage />);
    await card('LeNet-5');
    await userEvent.click(screen.getByRole('button', { name: 'Use with my data…' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'A folder with data…', hidden: true }));
    await waitFor(() => expect(usePicking.getState().request).not.toBeNull());
    answerPick(mkdtempSync(path.join(tmpdir(), 'gradloom-nothing-')));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/IDX|no .*data|holds/i);
    await userEvent.click(within(alert).getByRole('button', { name: 'Back to the data they come with' }));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(home).toBeTruthy();
  });
});
