/** The stack of an open project: what a person does to it, with the real undo. @vitest-environment jsdom */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { nestedText } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { undo, redo, useProjectState } = await import('../../../renderer/state/project.ts');
const { useSession } = await import('../../../renderer/state/session.ts');
const stack = {
  ...(await import('../../../renderer/state/stack-store.ts')),
  ...(await import('../../../renderer/state/stack-structure.ts')),
};
const { useStackState, currentStack } = stack;

function open(text: string): void {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  useProjectState.temporal.getState().clear();
}

const layers = () => currentStack().rows.filter((row) => row.type === 'layer');
const kinds = () => layers().map(({ kind }) => kind);
const selected = () => layers().flatMap((row) => (useStackState.getState().selected.has(row.key) ? [row.kind] : []));
const keyOf = (index: number) => layers()[index]?.key as string;
const text = () => useProjectState.getState().text;

beforeEach(() => {
  useSession.setState({ toasts: [] });
  open(nestedText);
});

describe('layers', () => {
  test('are added after the selected one, selected, and taken back by one undo', () => {
    stack.select(keyOf(0));
    stack.addLayer('ReLU');
    expect(kinds().slice(0, 3)).toEqual(['Conv2d', 'ReLU', 'Residual']);
    expect(selected()).toEqual(['ReLU']);
    undo();
    expect(text()).toBe(nestedText);
    expect(selected()).toEqual(['Residual']);
    redo();
    expect(selected()).toEqual(['ReLU']);
  });

  test('go into a block that has just been added', () => {
    stack.addLayer('Residual');
    stack.addLayer('Linear');
    const made = layers().find(({ path }) => path.join('.') === 'model.layers.8.layers.0');
    expect(made).toMatchObject({ kind: 'Linear', input: { dims: [4] }, output: { dims: [4] } });
  });

  test('that are deleted leave the selection at their neighbour; undo selects what came back', () => {
    const flatten = layers().findIndex(({ kind }) => kind === 'Flatten');
    stack.select(keyOf(flatten));
    stack.removeSelected();
    expect(selected()).toEqual(['Dropout']);
    undo();
    expect(selected()).toEqual(['Flatten']);
  });

  test('stay selected while they are edited, moved out of a block and disabled, also among equal ones', () => {
    open(nestedText.replace('{ "kind": "Flatten" }', '{ "kind": "ReLU" }, { "kind": "ReLU" }, { "kind": "Flatten" }'));
    const relu = layers().findLast(({ kind }) => kind === 'ReLU')?.key as string;
    stack.select(relu);
    const { setParam } = stackEdits;
    stack.change(relu, 'name', (project, path) => setParam(project, path, 'name', 'Last'));
    stack.moveSelected(-1);
    stack.moveSelected(-1);
    stack.toggleSelected();
    const [row] = layers().filter(({ key }) => useStackState.getState().selected.has(key));
    expect(row).toMatchObject({ layer: { name: 'Last', disabled: true }, disabled: true });
  });

  test('are copied and pasted as text, with the blocks that another project lacks', () => {
    stack.select(keyOf(layers().findIndex(({ kind }) => kind === 'Repeat')));
    const copied = stack.copySelected() as string;
    open('{"gradloom": 1, "model": {"layers": []}}');
    expect(stack.pasteText(copied)).toBe(true);
    expect(kinds()).toEqual(['Repeat', 'Block', 'Conv2d']);
    expect(stack.pasteText('no layers')).toBe(false);
    expect(useSession.getState().toasts.at(-1)?.message).toBe('The clipboard holds no layers');
  });

  test('typed into quickly are one step of undo', () => {
    const id = keyOf(0);
    for (const size of [1, 16, 160]) {
      stack.change(id, 'out_channels', (project, path) => stackEdits.setParam(project, path, 'out_channels', size));
    }
    expect(layers()[0]?.layer.out_channels).toBe(160);
    undo();
    expect(text()).toBe(nestedText);
  });
});

const stackEdits = await import('../../../renderer/state/stack.ts');
