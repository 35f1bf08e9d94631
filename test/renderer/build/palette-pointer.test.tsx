/** The palette under a pointer, and the names of named blocks, as a person meets them. @vitest-environment jsdom */
import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { showPage } from '../page.tsx';
import { textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { useProjectState } = await import('../../../renderer/state/project.ts');
const { useStackState } = await import('../../../renderer/state/stack-store.ts');

function open(text: string) {
  localStorage.clear();
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  useProjectState.temporal.getState().clear();
  return showPage(<BuildPage />, '/build');
}

const start = textWith([{ kind: 'Flatten' }, { kind: 'Linear', out_features: 4 }]);
const model = () => JSON.parse(useProjectState.getState().text).model;
const search = () => screen.getByRole('combobox', { name: 'Add a layer' });
const palette = () => screen.getByRole('region', { name: 'Layer palette' });

beforeEach(() => useStackState.setState({ folded: new Set() }));
afterEach(() => vi.useRealTimers());

describe('the palette', () => {
  test('keeps its lines where they are while the pointer is in it', async () => {
    const user = userEvent.setup();
    open(start);
    await user.pointer({ target: search() });
    const option = within(palette()).getByRole('option', { name: /^ReLU/ });
    await user.click(option);
    expect(model().layers).toHaveLength(3);
    expect(within(palette()).queryByText('Recently used')).toBeNull();
    await user.pointer({ target: screen.getByRole('complementary', { name: 'Inspector' }) });
    expect(within(palette()).getByText('Recently used')).toBeTruthy();
  });

  test('tells of a kind when the pointer has moved to it, not when the list has moved beneath it', () => {
    vi.useFakeTimers();
    open(start);
    const option = within(palette()).getByRole('option', { name: /^ReLU/ });
    const help = () => document.querySelector('[class*=helpTitle]');
    const wait = () => act(() => vi.advanceTimersByTime(1000));
    fireEvent.pointerEnter(option, { screenX: 40, screenY: 300 });
    wait();
    expect(help()).toBeNull();
    fireEvent.pointerMove(option, { screenX: 41, screenY: 300 });
    wait();
    expect(help()).toBeTruthy();
    fireEvent.change(search(), { target: { value: 'conv' } });
    expect(help()).toBeNull();
    wait();
    expect(help()).toBeNull();
  });
});

describe('a named block', () => {
  test('is given its name when it is made, and by F2 ever after; the use’s own name is another field', async () => {
    const user = userEvent.setup();
    open(start);
    await user.click(screen.getByRole('treeitem', { name: /^Flatten/ }));
    await user.keyboard('{Control>}g{/Control}');
    const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Block' });
    expect(document.activeElement).toBe(name());
    expect(name().value.slice(name().selectionStart ?? 0, name().selectionEnd ?? 0)).toBe('block');
    await user.keyboard('stem{Enter}');
    expect(model().layers[0]).toEqual({ kind: 'Block', ref: 'stem' });
    expect(Object.keys(model().blocks)).toEqual(['stem']);
    expect(document.activeElement?.getAttribute('role')).toBe('treeitem');
    await user.keyboard('{F2}');
    expect(document.activeElement).toBe(name());
    expect(screen.getByRole('textbox', { name: 'Name of this use' })).toBeTruthy();
    await user.keyboard('{Escape}/stem{Enter}');
    expect(model().layers.filter(({ ref }: { ref?: string }) => ref === 'stem')).toHaveLength(2);
  });
});

test('who listens hears what was cut by its name', async () => {
  const user = userEvent.setup();
  open(textWith([{ kind: 'Flatten', name: 'To a row' }, { kind: 'ReLU' }]));
  await user.click(screen.getByRole('treeitem', { name: /To a row/ }));
  fireEvent.cut(document.activeElement ?? document.body, { clipboardData: { setData: () => {} } });
  expect(useStackState.getState().said).toBe('To a row cut');
});
