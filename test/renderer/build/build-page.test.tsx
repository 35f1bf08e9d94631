/** The Build page as a person uses it, mostly by keyboard. @vitest-environment jsdom */
import { createEvent, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { showPage } from '../page.tsx';
import { textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { undo, useProjectState } = await import('../../../renderer/state/project.ts');
const { useStackState } = await import('../../../renderer/state/stack-store.ts');

function open(text: string) {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  useProjectState.temporal.getState().clear();
  localStorage.clear();
  return showPage(<BuildPage />, '/build');
}

const start = textWith([
  { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 4 },
]);
const layers = (): string[] =>
  JSON.parse(useProjectState.getState().text).model.layers.map(({ kind }: { kind: string }) => kind);
const item = (name: RegExp) => screen.getByRole('treeitem', { name });
const paste = (text: string) => {
  const event = createEvent.paste(document.body);
  Object.defineProperty(event, 'clipboardData', { value: { getData: () => text } });
  fireEvent(document.activeElement ?? document.body, event);
};

beforeEach(() => useStackState.setState({ folded: new Set() }));

describe('the Build page', () => {
  test('adds a layer after the selected one by /, three letters, Enter; Enter goes to its first field, Escape back', async () => {
    const user = userEvent.setup();
    open(start);
    await user.click(item(/^Convolution 2D/));
    await user.keyboard('/rel{Enter}');
    expect(layers()).toEqual(['Conv2d', 'ReLU', 'Flatten', 'Linear']);
    expect(document.activeElement).toBe(item(/^ReLU/));
    await user.keyboard('{ArrowUp}{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Channels' }));
    await user.keyboard('12{Escape}');
    expect(document.activeElement).toBe(item(/^Convolution 2D/));
    expect(item(/^Convolution 2D/).textContent).toContain('12 channels');
  });

  test('tells what is wrong with a sum, and how to put it right, in the inspector as on the card', async () => {
    const user = userEvent.setup();
    open(textWith([{ kind: 'Residual', layers: [{ kind: 'Conv2d', out_channels: 8, kernel_size: 3 }] }]));
    await user.click(item(/^Residual/));
    // On the card and in the inspector.
    expect(await screen.findAllByText(/which cannot be added to the input/)).toHaveLength(2);
    expect(screen.getAllByRole('button', { name: 'Unwrap this Residual' })).toHaveLength(2);
  });

  test('moves, disables, duplicates and deletes by keys, and never loses the focus', async () => {
    const user = userEvent.setup();
    open(start);
    await user.click(item(/^Flatten/));
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(layers()).toEqual(['Flatten', 'Conv2d', 'Linear']);
    await user.keyboard(' ');
    expect(within(item(/^Flatten/)).getByText('disabled')).toBeTruthy();
    await user.keyboard(' {Control>}d{/Control}');
    expect(layers()).toEqual(['Flatten', 'Flatten', 'Conv2d', 'Linear']);
    await user.keyboard('{Delete}');
    expect(document.activeElement).toBe(item(/^Convolution/));
    await user.keyboard('{Control>}a{/Control}{Delete}');
    expect(layers()).toEqual([]);
    undo();
    expect(layers()).toEqual(['Flatten', 'Conv2d', 'Linear']);
  });

  test('pastes layers from the clipboard, but leaves a field its own text', async () => {
    const user = userEvent.setup();
    open(start);
    await user.click(item(/^Flatten/));
    paste('[{"kind": "Tanh"}, {"kind": "ReLU"}]');
    expect(layers()).toEqual(['Conv2d', 'Flatten', 'Tanh', 'ReLU', 'Linear']);
    await user.click(screen.getByRole('combobox', { name: 'Add a layer' }));
    paste('{"kind": "Tanh"}');
    expect(layers()).toHaveLength(5);
  });

  test('adds layer after layer by the slash, also from a number and from the search itself', async () => {
    const user = userEvent.setup();
    open(textWith([]));
    await user.keyboard('//lin{Enter}{Enter}');
    const outputs = screen.getByRole('textbox', { name: 'Outputs' });
    expect(document.activeElement).toBe(outputs);
    await user.clear(outputs);
    await user.type(outputs, '7/relu{Enter}');
    expect(layers()).toEqual(['Linear', 'ReLU']);
    expect(item(/^Linear/).textContent).toContain('7 outputs');
    await user.click(item(/^Linear/));
    await user.click(screen.getByRole('textbox', { name: 'Note' }));
    await user.keyboard('a/b');
    expect((document.activeElement as HTMLInputElement).value).toBe('a/b');
  });

  test('wraps from the context menu, folds and unfolds', async () => {
    const user = userEvent.setup();
    open(start);
    fireEvent.contextMenu(item(/^Linear/));
    await user.click(await screen.findByRole('menuitem', { name: 'Residual' }));
    expect(layers()).toEqual(['Conv2d', 'Flatten', 'Residual']);
    await user.click(screen.getByRole('button', { name: 'Fold Residual' }));
    expect(screen.queryByRole('treeitem', { name: /^Linear/ })).toBeNull();
    await user.keyboard('{ArrowRight}');
    expect(item(/^Linear/)).toBeTruthy();
  });

  test('tells of a layer where its shape, its parameters and its operations come from', async () => {
    const user = userEvent.setup();
    open(start);
    await user.click(item(/^Convolution 2D/));
    const inspector = screen.getByRole('complementary', { name: 'Inspector' });
    const text = () => inspector.textContent?.replaceAll('\u00a0', ' ');
    expect(text()).toContain('⌊(8 + 2·0 − 1·(3 − 1) − 1) / 1⌋ + 1 = 6');
    expect(text()).toContain('weight: 4 · 3 · 3 · 3 = 108');
    expect(text()).toMatch(/2 · .* = 7,776/);
    expect(within(inspector).getByRole('img', { name: /^Memory in training: Activations/ })).toBeTruthy();
    // Of a network's own classes the source is at hand.
    await user.keyboard('/perm{Enter}');
    expect(within(inspector).getByText('The class Permute')).toBeTruthy();
    expect(text()).toContain('class Permute(nn.Module)');
  });

  test('closes groups of the palette by keys, and finds what they hide', async () => {
    const user = userEvent.setup();
    open(start);
    await user.keyboard('/{ArrowUp}{Enter}');
    expect(screen.queryByRole('option', { name: /^Linear/ })).toBeNull();
    expect(JSON.parse(localStorage.getItem('gradloom.build.groups') ?? '')).toEqual({ Dense: 'closed' });
    await user.keyboard('dense{Enter}');
    expect(layers()).toContain('Linear');
    const field = screen.getByRole('combobox', { name: 'Add a layer' });
    await user.click(field);
    await user.keyboard('quadrophenia');
    expect(screen.getByText('No layer is called “quadrophenia”.')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect((field as HTMLInputElement).value).toBe('');
  });

  test('adds the very kind that was typed or clicked, names it as used lately, and tells what fits instead', async () => {
    const user = userEvent.setup();
    open(start.replace(/"shape": \[[^\]]*\]/, '"shape": [3, 8]').replace('Conv2d', 'Conv1d'));
    await user.click(item(/^Convolution 1D/));
    await user.keyboard('/conv2d{Enter}');
    expect(layers()).toEqual(['Conv1d', 'Conv2d', 'Flatten', 'Linear']);
    const lately = () => within(screen.getByRole('group', { name: 'Recently used' })).getAllByRole('option');
    expect(lately().map((option) => option.getAttribute('aria-label'))).toEqual(['Conv2d Convolution 2D']);
    await user.click(within(item(/^Convolution 2D/)).getByRole('button', { name: 'Use Conv1d' }));
    expect(layers()).toEqual(['Conv1d', 'Conv1d', 'Flatten', 'Linear']);
    await user.click(screen.getByRole('option', { name: 'BatchNorm2d Batch normalisation 2D' }));
    expect(layers()).toContain('BatchNorm2d');
    await user.hover(item(/^Flatten/));
    expect(lately()[0]?.getAttribute('aria-label')).toMatch(/^BatchNorm2d/);
    undo();
    await user.keyboard('/conv{Enter}');
    expect(layers().filter((kind) => kind === 'Conv1d')).toHaveLength(3);
    expect(lately()[0]?.getAttribute('aria-label')).toBe('Conv1d Convolution 1D');
  });

  test('offers the fix in place', async () => {
    const user = userEvent.setup();
    open(start.replace('"out_features": 4', '"out_features": 5'));
    await user.click(within(item(/^Linear/)).getByRole('button', { name: /^Set out_features of layer 2 to 4/ }));
    expect(within(item(/^Linear/)).queryByRole('button', { name: /out_features/ })).toBeNull();
  });

  test('invites to the first layer where there is none', async () => {
    const user = userEvent.setup();
    open(textWith([]));
    await user.click(screen.getByRole('button', { name: 'Add Flatten and Linear' }));
    expect(layers()).toEqual(['Flatten', 'Linear']);
  });

  test('leads to a project where none is open', async () => {
    useProjectState.setState({ file: null, text: '' });
    const { history } = showPage(<BuildPage />, '/build');
    await userEvent.click(screen.getByRole('button', { name: 'Choose a project' }));
    expect(history.at(-1)).toBe('/');
  });
});
