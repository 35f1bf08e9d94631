/** Everything that a person can do to a project, at random: it can all be taken back and done again, byte for byte. @vitest-environment jsdom */
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readProject } from '../../../engine/contract/project.ts';
import { removeEdit, setEdit } from '../../../engine/contract/report.ts';
import { anyLayer, nestedText, textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const project = await import('../../../renderer/state/project.ts');
const { useProjectState, undo, redo, edit, currentProject } = project;
const { useSession } = await import('../../../renderer/state/session.ts');
const edits = await import('../../../renderer/state/stack.ts');
const stack = {
  ...(await import('../../../renderer/state/stack-store.ts')),
  ...(await import('../../../renderer/state/stack-structure.ts')),
};
const form = await import('../../../renderer/state/form.ts');
const { stackCommands, canRun } = await import('../../../renderer/build/stack-commands.ts');
const { useStackState, currentStack } = stack;

const history = () => useProjectState.temporal.getState();
const text = () => useProjectState.getState().text;
const layers = () => currentStack().rows.filter((row) => row.type === 'layer');
const kinds = () => layers().map(({ kind }) => kind);
const at = (index: number) => layers()[index]?.key as string;
const find = (kind: string, nth = 0) => layers().filter((row) => row.kind === kind)[nth]?.key as string;
const selected = () => layers().flatMap(({ key, kind }) => (useStackState.getState().selected.has(key) ? [kind] : []));
const run = (id: string) => stackCommands.find((command) => command.id === id)?.run();
const toasts = () => useSession.getState().toasts.map(({ message }) => message);

function open(content: string): void {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text: content, savedText: content, revision: '1' });
  history().clear();
  useStackState.setState({ insertion: null });
  useSession.setState({ toasts: [] });
}

beforeEach(() => open(nestedText));

/** What is selected and where the keyboard is are rows that there are; the plan is one, whatever the layers. */
function isSound(): void {
  const { view, plan } = currentProject();
  expect(view.project).not.toBeNull();
  expect(plan).not.toBeNull();
  const { rows } = currentStack();
  const keys = new Set(rows.map(({ key }) => key));
  expect(keys.size).toBe(rows.length);
  const { selected: ids, active, insertion } = useStackState.getState();
  const shown = [...ids].filter((id) => !keys.has(id));
  expect(shown).toEqual([]);
  if (active !== null) expect(keys).toContain(active);
  if (insertion) expect(rows.some(({ above }) => above.list.join() === insertion.list.join())).toBe(true);
}

/** What the random edits choose from; `n` and `layer` are dice. */
const acts: ((n: number, layer: unknown) => void)[] = [
  ...stackCommands
    .filter(({ id }) => !['cut', 'copy', 'paste', 'add', 'rename', 'note'].includes(id))
    .map((command) => () => void (canRun(command) && command.run())),
  (n) =>
    stack.addLayer(['Conv2d', 'Linear', 'Parallel', 'Block', 'Residual', 'Repeat', 'BatchNorm2d'][n % 7] as string),
  (_, layer) => void stack.pasteText(JSON.stringify(layer)),
  (n) => {
    const clip = {
      layers: [{ kind: 'Block', ref: 'unit' }],
      blocks: { unit: { layers: [{ kind: 'Dropout', p: n / 1000 }] } },
    };
    stack.pasteText(JSON.stringify(clip));
  },
  () => {
    const copied = stack.copySelected();
    if (copied !== null) stack.removeSelected();
    if (copied !== null) stack.pasteText(copied);
  },
  (n) => {
    const row = layers()[n % Math.max(1, layers().length)];
    if (row) stack.moveTo([row.path], stack.gapHere());
  },
  (n) => {
    const row = layers()[n % Math.max(1, layers().length)];
    const key = ['name', 'note', 'out_channels', 'p', 'times', 'shortcut', 'unheard'][n % 7] as string;
    if (row) stack.change(row.key, key, (now, path) => edits.setParam(now, path, key, n % 3 === 0 ? undefined : n));
  },
  (n) =>
    stack.freezeLayers(
      layers().map(({ key }) => key),
      n % 2 === 0,
    ),
  (n) =>
    stack.changeTrain(
      layers().map(({ key }) => key),
      'lr',
      n === 0 ? undefined : n / 1000,
    ),
  (n) => {
    const owner = find('Parallel');
    if (owner !== undefined && n % 2 === 0) stack.addBranchTo(owner);
    const lane = currentStack().rows.find((row) => row.type === 'lane' && row.removable);
    if (lane?.type === 'lane' && n % 2 === 1) stack.removeLane(lane.list);
  },
  (n) => {
    const names = edits.blockNames(currentProject().view.project);
    const done = edits.renameBlock(currentProject().view.project, names[n % Math.max(1, names.length)] ?? '', `b${n}`);
    if (done && done.length > 0) edit(done);
  },
  (n) => void form.changeWhile(['training', 'epochs'], 1 + n),
  (n) => void form.change(['data', 'loader', 'batch_size'], n === 0 ? undefined : n),
  (n) =>
    edit([n % 2 ? setEdit(['training', 'optimizer'], { kind: 'Adam', lr: n }) : removeEdit(['training', 'epochs'])]),
  (n) => void (n % 3 > 0 ? undo() : redo()),
  (n) => {
    const fix = currentProject().plan?.problems.flatMap(({ fixes }) => fixes)[n % 5];
    if (fix) stack.applyFix(fix.edits, fix.label);
  },
  (n) => {
    const row = currentStack().rows[n % currentStack().rows.length];
    if (row) stack.insertAt(row.above);
  },
];

test('random edits, undone one after the other, give the start again; redone, the end', () => {
  const todo = fc.tuple(fc.nat(acts.length - 1), fc.nat(1000), fc.nat(1000), anyLayer.layer);
  fc.assert(
    fc.property(fc.constantFrom(nestedText, textWith([])), fc.array(todo, { maxLength: 14 }), (start, list) => {
      open(start);
      const texts = new Set([start]);
      for (const [act, where, n, layer] of list) {
        const stops = currentStack().rows.filter(({ type }) => type === 'layer' || type === 'empty');
        const row = stops[where % Math.max(1, stops.length)];
        if (row && where % 4 > 0) stack.select(row.key, { range: where % 4 === 2, toggle: where % 4 === 3 });
        acts[act]?.(n, layer);
        isSound();
        texts.add(text());
      }
      while (history().futureStates.length > 0) redo();
      const end = text();
      for (let last = ''; history().pastStates.length > 0; last = text()) {
        undo();
        isSound();
        expect(text()).not.toBe(last); // no step is for nothing
        expect(readProject(text()).project).not.toBeNull();
      }
      expect(text()).toBe(start);
      while (history().futureStates.length > 0) {
        redo();
        isSound();
      }
      expect(text()).toBe(end);
    }),
    { numRuns: 50 },
  );
});

describe('named blocks', () => {
  test('that mean something else here come under a name of their own, with those that use them', () => {
    const other = {
      layers: [
        { kind: 'Block', ref: 'stage' },
        { kind: 'Block', ref: 'spare' },
      ],
      blocks: {
        stage: { layers: [{ kind: 'Block', ref: 'unit' }] },
        unit: { layers: [{ kind: 'GELU' }] },
        spare: { layers: [{ kind: 'Tanh' }] },
      },
    };
    stack.select(at(0));
    expect(stack.pasteText(JSON.stringify(other))).toBe(true);
    const { model } = currentProject().view.project as { model: { blocks: object; layers: object[] } };
    expect(model.layers.slice(1, 3)).toEqual(other.layers);
    expect(model.blocks).toMatchObject({
      stage: { layers: [{ kind: 'Block', ref: 'unit 2' }] },
      'unit 2': { layers: [{ kind: 'GELU' }] },
      spare: { layers: [{ kind: 'Tanh' }] },
    });
    expect(Object.keys(model.blocks)).toHaveLength(4);
    expect(toasts()).toEqual(['The block “unit” was pasted as “unit 2”']);
    expect(history().pastStates).toHaveLength(1);
  });

  test('that are copied here and pasted here stay the same block', () => {
    stack.select(find('Block', 1));
    const copied = stack.copySelected() as string;
    stack.pasteText(copied);
    expect(edits.blockNames(currentProject().view.project)).toEqual(['unit', 'spare']);
    expect(toasts()).toEqual([]);
  });

  test('get a definition of their own for one use, spelled as it was', () => {
    stack.select(find('Block', 1));
    run('separate');
    const { project: now } = currentProject().view;
    expect(edits.usesOf(now, 'unit')).toHaveLength(1);
    expect(edits.usesOf(now, 'unit 2')).toHaveLength(1);
    stack.change(find('Conv2d', 3), 'padding', (all, path) => edits.setParam(all, path, 'padding', 0));
    const { blocks } = (currentProject().view.project as { model: { blocks: { [name: string]: unknown } } }).model;
    expect(JSON.stringify(blocks.unit)).not.toBe(JSON.stringify(blocks['unit 2']));
    stack.select(find('Block', 1));
    const separate = stackCommands.find(({ id }) => id === 'separate');
    expect(separate && canRun(separate)).toBe(false);
  });

  test('that are chosen with the layers they show go as one: the definition stays whole', () => {
    stack.select(find('Flatten'));
    stack.select(find('Repeat'), { range: true }); // over a use and the layers of its definition
    run('wrap-residual');
    const { model } = currentProject().view.project as { model: { blocks: { unit: { layers: unknown[] } } } };
    expect(model.blocks.unit.layers).toHaveLength(1);
    expect(JSON.parse(stack.copySelected() as string).layers).toHaveLength(1);
  });

  test('lead from any use to the one that shows their layers', () => {
    stack.fold(find('Block', 0), true);
    stack.select(find('Block', 1));
    run('definition');
    expect(useStackState.getState().active).toBe(find('Block', 0));
    expect(layers().filter(({ kind }) => kind === 'Block')[0]?.folded).toBe(false);
  });
});

describe('blocks and folds', () => {
  test('a block is not put into itself by keys, drags, adding or pasting, and says so', () => {
    const inside = { list: ['model', 'blocks', 'unit', 'layers'], index: 0 };
    stack.select(find('Block', 0));
    stack.moveTo([['model', 'layers', 4]], inside);
    stack.addLayer('Block', 'unit', inside);
    stack.pasteText('{"kind": "Repeat", "times": 2, "layers": [{"kind": "Block", "ref": "unit"}]}', inside);
    expect(text()).toBe(nestedText);
    // Told twice, it is one message.
    expect(toasts()).toEqual(['A block cannot hold itself']);
    stack.select(find('Block', 1));
    for (let i = 0; i < 12; i++) run('down');
    expect(kinds().filter((kind) => kind === 'Block')).toHaveLength(2);
  });

  test('a block that holds itself, in a file that was written so, is in sight', () => {
    open(textWith([], { loop: { layers: [{ kind: 'Block', ref: 'loop' }] } }));
    expect(kinds()).toEqual(['Block']);
  });

  test('what a fold hides gives way to the block in the selection, and for the keyboard', () => {
    stack.select(find('ReLU'));
    stack.select(find('Conv2d', 1), { range: true });
    stack.fold(find('Residual'), true);
    expect(selected()).toEqual(['Residual']);
    expect(useStackState.getState().active).toBe(find('Residual'));
  });

  test('a layer in one of several branches stays selected while it is edited', () => {
    const conv = find('Conv2d', 2);
    stack.select(conv);
    run('disable');
    stack.change(conv, 'out_channels', (now, path) => edits.setParam(now, path, 'out_channels', 9));
    expect(selected()).toEqual(['Conv2d']);
    expect(find('Conv2d', 2)).toBe(conv);
  });

  test('a branch that goes takes its layers out of the selection', () => {
    stack.select(find('Identity'));
    stack.removeLane(['model', 'layers', 1, 'shortcut']);
    expect(selected()).toHaveLength(1);
    expect(kinds()).not.toContain('Identity');
  });
});

describe('a place that is pointed at', () => {
  test('is where the next layer goes, and no other', () => {
    stack.insertAt({ list: ['model', 'layers'], index: 0 });
    stack.addLayer('ReLU');
    stack.addLayer('Tanh');
    expect(kinds().slice(0, 3)).toEqual(['ReLU', 'Tanh', 'Conv2d']);
  });

  test('is forgotten when something else is selected, or the text changes', () => {
    stack.insertAt({ list: ['model', 'layers'], index: 0 });
    stack.select(find('Flatten'));
    stack.addLayer('ReLU');
    expect(kinds()[0]).toBe('Conv2d');
    stack.insertAt({ list: ['model', 'layers'], index: 9 });
    undo();
    expect(useStackState.getState().insertion).toBeNull();
  });

  test('takes what is pasted', () => {
    stack.pasteText('{"kind": "Tanh"}', { list: ['model', 'layers'], index: 1 });
    expect(kinds().slice(0, 2)).toEqual(['Conv2d', 'Tanh']);
  });
});

describe('what people complain about elsewhere', () => {
  test('undo leaves the selection where it can stay', () => {
    stack.select(find('Flatten'));
    stack.select(find('Linear'), { toggle: true });
    form.change(['training', 'epochs'], 7);
    undo();
    expect(selected()).toEqual(['Flatten', 'Linear']);
    run('disable');
    undo();
    expect(selected()).toEqual(['Flatten', 'Linear']);
  });

  test('no step of undo is skipped, nor one for nothing made', () => {
    const seen = [text()];
    const step = (work: () => void) => {
      work();
      seen.push(text());
    };
    stack.select(find('Flatten'));
    for (const id of ['disable', 'duplicate', 'disable', 'up', 'wrap-repeat', 'unwrap', 'delete']) step(() => run(id));
    expect(history().pastStates).toHaveLength(seen.length - 1);
    for (const was of seen.reverse().slice(1)) {
      undo();
      expect(text()).toBe(was);
    }
    edit([setEdit(['training', 'epochs'], 2)]); // what it was already
    expect(history().pastStates).toHaveLength(0);
  });

  test('what is typed and taken back at once leaves no step', () => {
    form.changeWhile(['training', 'epochs'], 20);
    form.changeWhile(['training', 'epochs'], 2);
    expect(text()).toBe(nestedText);
    expect(history().pastStates).toHaveLength(0);
  });

  test('what is typed after that is a step', () => {
    for (const epochs of [20, 2, 3]) form.changeWhile(['training', 'epochs'], epochs);
    expect(history().pastStates).toHaveLength(1);
    undo();
    expect(text()).toBe(nestedText);
  });

  test('typing that goes on after an undo is a step of its own, and drops what was undone', () => {
    form.changeWhile(['training', 'epochs'], 20);
    const typed = text();
    run('all');
    run('disable');
    undo();
    form.changeWhile(['training', 'epochs'], 200);
    expect(history().futureStates).toHaveLength(0);
    undo();
    expect(text()).toBe(typed);
  });

  test('an edit after an undo takes nothing of what was undone along', () => {
    run('all');
    stack.select(find('Flatten'));
    run('duplicate');
    undo();
    run('disable');
    expect(history().futureStates).toHaveLength(0);
    expect(kinds().filter((kind) => kind === 'Flatten')).toHaveLength(1);
  });

  test('a file that was edited by hand keeps all that was not edited here', () => {
    stack.select(find('Dropout'));
    run('up');
    run('wrap-residual');
    run('unwrap');
    run('duplicate');
    const now = text();
    expect(now.match(/"p": 5e-1, "note": "kept"/g)).toHaveLength(2);
    expect(now).toContain('"samples": 1e2');
    expect(now).toContain('{"kind":"Conv2d","out_channels":8,"kernel_size":3,"padding":1}');
    const lines = (content: string) => content.split('\n').length;
    expect(lines(now)).toBe(lines(nestedText) + 1);
  });

  test('a file with comments is not opened and silently cleaned: it is told', () => {
    open(nestedText.replace('"model"', '// mine\n  "model"'));
    expect(currentProject().view.syntax?.code).toBe('PROJECT_SYNTAX');
    expect(edit([setEdit(['name'], 'x')])).toBe(false);
    expect(text()).toContain('// mine');
  });

  test('a text that is no layer is told, and changes nothing', () => {
    expect(stack.pasteText('import torch')).toBe(false);
    expect(text()).toBe(nestedText);
    expect(toasts()).toEqual(['The clipboard holds no layers']);
  });
});
