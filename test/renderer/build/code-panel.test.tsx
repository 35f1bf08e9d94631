/** The network as code beside the stack; and the network fitted to its data or replaced. @vitest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { DataFacts } from '../../../engine/contract/tensors.ts';
import { digits } from '../../contract/cases.ts';
import { showPage } from '../page.tsx';
import { textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { showCode, useCodePanel } = await import('../../../renderer/state/code-panel.ts');
const { openFitting } = await import('../../../renderer/state/fitting.ts');
const { undo, useProjectState } = await import('../../../renderer/state/project.ts');
const { useStackState, clearSelection } = await import('../../../renderer/state/stack-store.ts');

function open(text: string, facts: DataFacts = digits) {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  useProjectState.setState({ facts });
  useProjectState.temporal.getState().clear();
  return showPage(<BuildPage />, '/build');
}

const start = textWith([
  { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
  { kind: 'Residual', layers: [{ kind: 'BatchNorm2d' }, { kind: 'ReLU' }] },
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 10 },
]);
const panel = () => screen.getByRole('complementary', { name: 'Network as code' });
const line = (text: RegExp) => within(panel()).getByRole('option', { name: text });
const chosen = () =>
  within(panel())
    .getAllByRole('option', { selected: true })
    .map(({ textContent }) => textContent?.trim());
const item = (name: RegExp) => screen.getByRole('treeitem', { name });

beforeEach(() => {
  localStorage.clear();
  showCode(false);
  openFitting(null);
  clearSelection();
  useStackState.setState({ folded: new Set() });
});

describe('the network as code', () => {
  test('is shown and hidden by its button and by a key, and stays so', async () => {
    const user = userEvent.setup();
    open(start);
    expect(screen.queryByRole('complementary', { name: 'Network as code' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Network as code' }));
    expect(panel().textContent).toContain('import torch');
    expect(localStorage.getItem('gradloom.build.code-open')).toBe('true');
    await user.keyboard('{Control>}j{/Control}');
    expect(useCodePanel.getState().open).toBe(false);
    expect(screen.queryByRole('complementary', { name: 'Network as code' })).toBeNull();
  });

  test('marks the lines of what is selected, and a line selects its layer', async () => {
    const user = userEvent.setup();
    showCode(true);
    open(start);
    await user.click(item(/^Convolution 2D/));
    expect(chosen()).toEqual(['nn.Conv2d(1, 4, kernel_size=3),']);
    await user.click(line(/^\s*nn\.Linear/));
    expect(item(/^Linear/).getAttribute('aria-selected')).toBe('true');
    expect(chosen()).toEqual(['nn.Linear(2704, 10),']);
    // A block that stands on one line is selected by it.
    await user.click(line(/^\s*Residual/));
    expect(item(/^Residual/).getAttribute('aria-selected')).toBe('true');
    await user.click(item(/^ReLU/));
    expect(chosen()[0]).toMatch(/^Residual\(/);
  });

  test('is walked through by arrow keys', async () => {
    const user = userEvent.setup();
    showCode(true);
    open(start);
    within(panel()).getByRole('listbox').focus();
    await user.keyboard('{ArrowDown}');
    expect(chosen()).toEqual(['nn.Conv2d(1, 4, kernel_size=3),']);
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(chosen()).toEqual(['nn.Flatten(),']);
    await user.keyboard('{ArrowUp}');
    expect(chosen()[0]).toMatch(/^Residual/);
  });

  test('follows the project, and says where it ends', async () => {
    const user = userEvent.setup();
    showCode(true);
    open(start);
    await user.click(item(/^Convolution 2D/));
    await user.keyboard('/rel{Enter}');
    await waitFor(() => expect(line(/^\s*nn\.ReLU/)).toBeTruthy());
    undo();
    await waitFor(() => expect(within(panel()).queryByRole('option', { name: /^\s*nn\.ReLU/ })).toBeNull());
    useProjectState.setState({ text: start.replace(/("out_features": ?)10/, '$1-1') });
    expect((await within(panel()).findByRole('status')).textContent).toContain('cannot be built yet');
    useProjectState.setState({ text: start.replace(/("kernel_size": ?)3/, '$1 99') });
    expect(await within(panel()).findByText(/^The first layer cannot be built yet/)).toBeTruthy();
  });
});

describe('the network and its data', () => {
  const layers = () => JSON.parse(useProjectState.getState().text).model.layers as { kind: string }[];
  const four: DataFacts = { ...digits, target: { kind: 'class', classes: ['a', 'b', 'c', 'd'] } };

  test('is fitted after a look, in one step of undo', async () => {
    const user = userEvent.setup();
    open(start, four);
    const before = useProjectState.getState().text;
    await user.click(screen.getByRole('button', { name: 'Fit or replace the network' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Fit the network to its data…', hidden: true }));
    const dialog = await screen.findByRole('dialog', { name: 'Fit the network to its data' });
    expect(dialog.textContent).toContain('Linear: out_features 10 → 4');
    await user.click(within(dialog).getByRole('button', { name: 'Fit network' }));
    expect(layers().at(-1)).toEqual({ kind: 'Linear', out_features: 4 });
    undo();
    expect(useProjectState.getState().text).toBe(before);
  });

  test('is replaced by a template’s, fitted; one that does not go cannot be chosen', async () => {
    const user = userEvent.setup();
    open(start, four);
    const before = useProjectState.getState().text;
    openFitting('replace');
    const dialog = await screen.findByRole('dialog', { name: 'Replace the network by a template' });
    await user.click(await within(dialog).findByRole('radio', { name: /^Character GPT/ }));
    const replace = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Replace network' });
    expect(replace.disabled).toBe(true);
    // By keys: from the second on, one further.
    within(dialog)
      .getByRole('radio', { name: /Digits, convolutional/ })
      .focus();
    await user.keyboard('{ArrowDown}');
    expect(
      within(dialog)
        .getByRole('radio', { name: /LeNet-5/ })
        .getAttribute('aria-checked'),
    ).toBe('true');
    await user.click(replace);
    expect(layers()).toHaveLength(12);
    expect(layers().at(-1)).toEqual({ kind: 'Linear', out_features: 4 });
    expect(JSON.parse(useProjectState.getState().text).data).toEqual(JSON.parse(before).data);
    undo();
    expect(useProjectState.getState().text).toBe(before);
  });
});
