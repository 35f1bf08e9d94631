/** The page Data, against the engine and the digits. @vitest-environment jsdom */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { imageFolder, ramp, raw } from '../../engine/image-writer.ts';
import { client, home } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: DataPage } = await import('../../../renderer/data/data-page.tsx');
const { closeProject, openProject, undo, useProjectState } = await import('../../../renderer/state/project.ts');
const { openFile } = await import('../../../renderer/state/projects.ts');
const { changeMarks } = await import('../../../renderer/state/data-marks.ts');
const { answerPick, usePicking } = await import('../../../renderer/state/files.ts');

beforeEach(closeProject);

const data = () => JSON.parse(useProjectState.getState().text).data;
const digits = () => openProject(() => client.engine.projects.create({ template: 'digits-mlp' }));
const samples = async () => [...(await screen.findByRole('listbox', { name: 'Samples' })).querySelectorAll('canvas')];

async function open(project: object): Promise<void> {
  const file = path.join(home, `project-${Math.random().toString(36).slice(2)}.gradloom.json`);
  await writeFile(file, JSON.stringify({ gradloom: 1, model: { layers: [] }, ...project }));
  await openFile(file);
}

describe('Data', () => {
  test('without a project leads to one', async () => {
    const { history } = showPage(<DataPage />, '/data');
    await userEvent.click(screen.getByRole('button', { name: 'Choose a project' }));
    expect(history.at(-1)).toBe('/');
  });

  test('without a project data begin a new one', async () => {
    showPage(<DataPage />, '/data');
    await userEvent.click(screen.getByRole('button', { name: 'Use the digits that come with Gradloom' }));
    await samples();
    expect(useProjectState.getState().file).toMatch(/digits/);
    expect(data().source.kind).toBe('idx');
  });

  test('a mark is counted at once: samples, their split and their classes', async () => {
    const dot = () => raw(ramp(12), 2, 3).png();
    const names = ['a', 'b'].flatMap((name) => [1, 2, 3, 4].map((at) => `${name}/${at}.png`));
    const folder = await imageFolder(Object.fromEntries(names.map((name) => [name, dot()])));
    await open({ data: { source: { kind: 'image_folder', path: folder }, split: { val: 0 } } });
    showPage(<DataPage />);
    const classes = await screen.findByRole('list', { name: 'Class balance' });
    expect(classes.textContent).toMatch(/a4.*b4/);
    await changeMarks([{ part: 'train', sample: 'a/1.png', mark: { exclude: true } }], 'Left out');
    await waitFor(() => expect(screen.getByRole('list', { name: 'Class balance' }).textContent).toMatch(/a3.*b4/));
    expect(screen.getByRole('img', { name: /^Split: Training 7/ })).toBeDefined();
    await changeMarks([{ part: 'train', sample: 'a/2.png', mark: { label: 'b' } }], 'Corrected');
    await waitFor(() => expect(screen.getByRole('list', { name: 'Class balance' }).textContent).toMatch(/a2.*b5/));
  });

  test('shows real samples, page by page, by class and part', async () => {
    await digits();
    showPage(<DataPage />);
    expect(await samples()).toHaveLength(48);
    expect((await samples())[0]?.getAttribute('aria-label')).toMatch(/^Sample 0, class \d$/);
    await userEvent.click(screen.getByRole('button', { name: 'Later samples' }));
    await waitFor(async () => expect((await samples())[0]?.getAttribute('aria-label')).toContain('Sample 48,'));
    await userEvent.click(screen.getByRole('button', { name: 'Class 7' }));
    await waitFor(async () => {
      for (const sample of await samples()) expect(sample.getAttribute('aria-label')).toContain('class 7');
    });
    const shown = useProjectState.getState().facts?.target;
    const count = shown?.kind === 'class' ? shown.counts?.[7] : undefined;
    expect(screen.getByText(new RegExp(`^1–48 of ${count}$`))).toBeDefined();
    await userEvent.click(within(screen.getByLabelText('Part shown')).getByLabelText('Test part'));
    await waitFor(() => expect(screen.queryByText(new RegExp(`of ${count}$`))).toBeNull());
  });

  test('without data the digits are a click away, and the keyboard goes on at their samples', async () => {
    await open({ data: {} });
    showPage(<DataPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Use the digits that come with Gradloom' }));
    await samples();
    expect(data().source.kind).toBe('idx');
    const part = within(screen.getByLabelText('Part shown')).getByLabelText('Training part');
    await waitFor(() => expect(document.activeElement).toBe(part));
  });

  test('images of several sizes are resized by a click', async () => {
    const image = (width: number, height: number) => raw(ramp(width * height * 3), width, 3).png();
    const images = await imageFolder({ 'a/1.png': image(8, 6), 'a/2.png': image(8, 6), 'b/3.png': image(5, 9) });
    await open({ data: { source: { kind: 'image_folder', path: images } } });
    showPage(<DataPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Resize all to 6 × 6' }));
    expect(data().source.size).toBe(6);
    expect(await samples()).toHaveLength(3);
    undo();
    await screen.findByRole('button', { name: 'Resize all to 6 × 6' });
  });

  test('a table of series is shown with what each column is to the windows', async () => {
    const file = path.join(home, `series-${Math.random().toString(36).slice(2)}.csv`);
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${i % 7},${i % 5}`);
    await writeFile(file, `when,x,y\n${rows.join('\n')}\n`);
    await open({ data: { source: { kind: 'series', path: file, order: 'when', target: 'y', window: 4 } } });
    showPage(<DataPage />);
    await userEvent.click(await screen.findByLabelText('Table'));
    const columns = await screen.findByRole('grid', { name: 'Columns of the table' });
    expect(within(columns).getAllByText('Numeric')).toHaveLength(2);
    expect(within(columns).getByText('Ignored')).toBeDefined();
    expect(within(columns).queryByLabelText('Role of x')).toBeNull();
  });

  test('says when the network does not go with the data, and fits it', async () => {
    const source = { kind: 'random', shape: [4], classes: 3, samples: 16 };
    await open({ data: { source }, model: { layers: [{ kind: 'Linear', out_features: 5 }] } });
    showPage(<DataPage />);
    const notice = (await screen.findByText('The network does not fit these data')).parentElement?.parentElement;
    await userEvent.click(within(notice as HTMLElement).getByRole('button', { name: 'Fit network…' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Fit network' }));
    expect(screen.queryByText(/^The network does not go/)).toBeNull();
  });

  test('says so where already the first layer cannot read the data, and offers another network', async () => {
    const source = { kind: 'random', shape: [3, 8, 8], classes: 3, samples: 16 };
    await open({ data: { source }, model: { layers: [{ kind: 'Embedding', num_embeddings: 9, embedding_dim: 4 }] } });
    showPage(<DataPage />);
    await screen.findByText('The network does not fit these data');
    await userEvent.click(screen.getByRole('button', { name: 'Replace the network by a template…' }));
    await screen.findByRole('dialog', { name: 'Replace the network by a template' });
  });

  test('transforms are shown beside the original, added, measured, and undone one by one', async () => {
    await digits();
    showPage(<DataPage />);
    await samples();
    await userEvent.click(screen.getByLabelText('Both'));
    expect(await samples()).toHaveLength(96);
    await userEvent.click(screen.getByRole('button', { name: /^Normalize/ }));
    await userEvent.click(screen.getByRole('button', { name: /^Measure on/ }));
    expect(data().transforms[0].mean[0]).toBeCloseTo(0.13, 1);
    await userEvent.click(screen.getByRole('button', { name: 'Add transform' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Normalize/, hidden: true }));
    expect(data().transforms).toHaveLength(2);
    await userEvent.click(screen.getAllByRole('button', { name: 'Move Normalize down' })[0] as HTMLElement);
    expect(data().transforms[0]).toEqual({ kind: 'Normalize' }); // fitted on the samples that train
    undo();
    undo();
    expect(data().transforms).toHaveLength(1);
    undo();
    expect(data().transforms[0].mean).toEqual([0.5]);
  });

  test('the split is a bar, a choice and a number', async () => {
    await digits();
    showPage(<DataPage />);
    expect((await screen.findByRole('img', { name: /^Split: Training 8,000/ })).getAttribute('aria-label')).toContain(
      'the test part 2,000',
    );
    await userEvent.click(screen.getByLabelText('A fraction'));
    expect(data().split.val).toBe(0.1);
    await screen.findByRole('img', { name: /^Split: Training 7,[\d,]+, 72 %; Validation 80\d/ });
    const field = within(screen.getByRole('group', { name: 'Drawn samples' })).getByLabelText('Validation');
    await userEvent.clear(field);
    expect(data().split).not.toHaveProperty('val');
    await userEvent.type(field, '0.25');
    expect(data().split.val).toBe(0.25);
    await userEvent.click(screen.getByLabelText('Nothing'));
    expect(data().split.val).toBe(0);
  });

  test('samples are shown by split, and each tells its own', async () => {
    await digits();
    showPage(<DataPage />);
    await samples();
    expect(screen.queryByRole('radiogroup', { name: 'Split shown' })).toBeNull();
    await userEvent.click(screen.getByLabelText('A fraction'));
    await userEvent.click(await within(await screen.findByLabelText('Split shown')).findByLabelText('Validation'));
    await screen.findByText(/^1–48 of 80\d$/);
    await userEvent.click((await screen.findAllByRole('option'))[0] as HTMLElement);
    const inspector = within(screen.getByRole('complementary'));
    expect((await inspector.findByText('Split')).nextElementSibling?.textContent).toBe('Validation');
  });

  test('points of a plane are chosen by keys, told, and gone back to', async () => {
    await open({ data: { source: { kind: 'toy', shape: 'moons', samples: 40 } } });
    showPage(<DataPage />);
    const plot = await screen.findByRole('application', { name: 'Samples' });
    plot.focus();
    await userEvent.keyboard('{End}');
    await screen.findByText(/^Sample 39: .*, class 1$/);
    await userEvent.keyboard('{PageUp}');
    await screen.findByText(/^Sample 38: /);
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(screen.getByRole('complementary').contains(document.activeElement)).toBe(true));
    await userEvent.keyboard('{Escape}');
    expect(document.activeElement).toBe(plot);
  });

  test('data that is not there is told with what to do, and read again once it is', async () => {
    await open({ data: { source: { kind: 'idx', path: 'digits' } } });
    showPage(<DataPage />);
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('does not exist');
    expect(screen.queryByText('The data has not been read, so no shape is known')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Browse for folder' }));
    await waitFor(() => expect(usePicking.getState().request?.kind).toBe('folder'));
    answerPick(path.join(home, 'data', 'digits'));
    await waitFor(() => expect(data().source.path).toBe('data/digits'));
    expect(await samples()).toHaveLength(48);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('an empty project gets the digits that come with the program at a click', async () => {
    await openProject(() => client.engine.projects.create({ template: null }));
    showPage(<DataPage />);
    await userEvent.click(await screen.findByRole('button', { name: /digits that come with/ }));
    expect(await samples()).toHaveLength(48);
    expect(data().source).toEqual({ kind: 'idx', path: '../data/digits' });
    undo();
    expect(data().source).toBeUndefined();
  });

  test('problems are mended where they are', async () => {
    await open({
      data: { source: { kind: 'random', shape: [4] }, split: { val: 'test' }, transforms: [{ kind: 'Normalise' }] },
    });
    showPage(<DataPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Validate on a tenth of the training part' }));
    expect(data().split.val).toBe(0.1);
    await userEvent.click(screen.getByRole('button', { name: 'Change it to Normalize' }));
    expect(data().transforms[0].kind).toBe('Normalize');
    expect(screen.queryByRole('button', { name: 'Change it to Normalize' })).toBeNull();
  });

  test('a source of another kind begins with what it needs', async () => {
    await open({ data: {} });
    showPage(<DataPage />);
    await userEvent.click(screen.getByRole('combobox', { name: 'Kind' }));
    await userEvent.click(await screen.findByRole('option', { name: /^Random numbers/, hidden: true }));
    expect(data().source).toEqual({ kind: 'random', shape: [1, 28, 28] });
    await screen.findByText('1,024 samples');
    expect(screen.queryByLabelText('Target shape')).toBeNull();
  });
});
