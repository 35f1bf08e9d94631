/** Edits of the stack: what they make of the project, what they select, and that each can be taken back byte for byte. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../../engine/contract/problems.ts';
import { editProject, editProjectWithUndo, undoChanges } from '../../../engine/contract/project-edit.ts';
import { isObject } from '../../../engine/contract/report.ts';
import { valueAt } from '../../../renderer/state/places.ts';
import {
  addBranch,
  allLayers,
  blockNames,
  type Change,
  duplicateLayers,
  freeBlockName,
  insertLayers,
  makeBlock,
  moveLayers,
  removeBranch,
  removeLayers,
  renameBlock,
  setParam,
  setShortcut,
  toggleDisabled,
  unwrapLayer,
  usesOf,
  wrapLayers,
} from '../../../renderer/state/stack.ts';
import {
  type Gap,
  kindOf,
  lanesOf,
  layersAt,
  listOf,
  mainList,
  type Path,
} from '../../../renderer/state/stack-paths.ts';
import { anyLayer, nestedText, projectOf, textWith } from './projects.ts';

const at = (...path: Path) => ['model', 'layers', ...path] as Path;
const nested = projectOf(nestedText);

function edited(text: string, edits: readonly Edit[]): unknown {
  return projectOf(editProject(text, edits));
}

function kinds(project: unknown, list: Path = mainList): string[] {
  return layersAt(project, list).map(kindOf);
}

/** What is selected after the change must be what was put there. */
function made(text: string, change: Change | null): { project: unknown; kinds: string[]; selected: string[] } {
  const project = edited(text, (change as Change).edits);
  return {
    project,
    kinds: kinds(project),
    selected: (change as Change).selected.map((path) => kindOf(valueAt(project, path))),
  };
}

describe('layers', () => {
  test('are inserted, into blocks, shortcuts, branches and named blocks alike', () => {
    for (const list of [
      mainList,
      at(1, 'layers'),
      at(1, 'shortcut'),
      at(2, 'branches', 1),
      ['model', 'blocks', 'unit', 'layers'],
    ]) {
      const change = insertLayers(nested, { list, index: 0 }, [{ kind: 'GELU' }, { kind: 'Tanh' }]);
      const project = edited(nestedText, change.edits);
      expect(kinds(project, list).slice(0, 2)).toEqual(['GELU', 'Tanh']);
      expect(change.selected).toEqual([
        [...list, 0],
        [...list, 1],
      ]);
    }
  });

  test('go into a list that the file leaves out', () => {
    const text = '{"gradloom": 1, "model": {"layers": [{"kind": "Residual"}]}}';
    const change = insertLayers(projectOf(text), { list: at(0, 'layers'), index: 0 }, [
      { kind: 'ReLU' },
      { kind: 'Tanh' },
    ]);
    expect(kinds(edited(text, change.edits), at(0, 'layers'))).toEqual(['ReLU', 'Tanh']);
    const bare = '{"gradloom": 1}';
    expect(kinds(edited(bare, insertLayers({}, { list: mainList, index: 0 }, [{ kind: 'ReLU' }]).edits))).toEqual([
      'ReLU',
    ]);
  });

  test('are removed, those inside others once', () => {
    const { edits } = removeLayers(nested, [at(1, 'layers', 0), at(1), at(5), at(0)]);
    expect(edits).toHaveLength(3);
    expect(kinds(edited(nestedText, edits))).toEqual(['Parallel', 'Repeat', 'Block', 'Dropout', 'Linear']);
  });

  test('move down, up, into and out of blocks, several together', () => {
    expect(made(nestedText, moveLayers(nested, [at(0)], { list: mainList, index: 6 })).kinds).toEqual([
      'Residual',
      'Parallel',
      'Repeat',
      'Block',
      'Flatten',
      'Conv2d',
      'Dropout',
      'Linear',
    ]);
    const into = moveLayers(nested, [at(0)], { list: at(2, 'branches', 1), index: 0 });
    expect(into?.selected).toEqual([at(1, 'branches', 1, 0)]);
    expect(made(nestedText, into).selected).toEqual(['Conv2d']);
    const out = moveLayers(nested, [at(1, 'layers', 1), at(6)], { list: mainList, index: 1 });
    expect(made(nestedText, out)).toMatchObject({
      kinds: ['Conv2d', 'ReLU', 'Dropout', 'Residual', 'Parallel', 'Repeat', 'Block', 'Flatten', 'Linear'],
      selected: ['ReLU', 'Dropout'],
    });
  });

  test('do not move into themselves, and moving them to where they are changes nothing', () => {
    expect(moveLayers(nested, [at(1)], { list: at(1, 'layers'), index: 0 })).toBeNull();
    for (const index of [5, 6, 7]) {
      expect(moveLayers(nested, [at(5), at(6)], { list: mainList, index })?.edits).toEqual([]);
    }
  });

  test('are duplicated behind the last of them, in each list', () => {
    const { project, selected } = made(nestedText, duplicateLayers(nested, [at(1, 'layers', 0), at(5), at(6)]));
    expect(kinds(project, at(1, 'layers'))).toEqual(['Conv2d', 'Conv2d', 'ReLU']);
    expect(kinds(project).slice(5)).toEqual(['Flatten', 'Dropout', 'Flatten', 'Dropout', 'Linear']);
    expect(selected.toSorted()).toEqual(['Conv2d', 'Dropout', 'Flatten']);
  });

  test('are disabled together, and enabled once all are', () => {
    const some = edited(nestedText, toggleDisabled(nested, [at(0)]));
    const both = toggleDisabled(some, [at(0), at(5)]);
    expect(both).toEqual([{ op: 'set', path: at(5, 'disabled'), value: true }]);
    const text = editProject(editProject(nestedText, toggleDisabled(nested, [at(0)])), both);
    expect(editProject(text, toggleDisabled(projectOf(text), [at(0), at(5)]))).toBe(nestedText);
  });
});

describe('blocks', () => {
  test.each(['Residual', 'Repeat', 'Parallel'] as const)('layers are wrapped in a %s and unwrapped again', (kind) => {
    const change = wrapLayers(nested, [at(5), at(6)], kind);
    const text = editProject(nestedText, change.edits);
    const wrapped = projectOf(text);
    expect(kinds(wrapped)).toEqual(['Conv2d', 'Residual', 'Parallel', 'Repeat', 'Block', kind, 'Linear']);
    expect(change.selected).toEqual([at(5)]);
    const [lane] = lanesOf(valueAt(wrapped, at(5)));
    expect(kinds(wrapped, [...at(5), ...(lane?.key ?? [])])).toEqual(['Flatten', 'Dropout']);
    const back = unwrapLayer(wrapped, at(5));
    expect(edited(text, back?.edits ?? [])).toEqual(nested);
    expect(back?.selected).toEqual([at(5), at(6)]);
  });

  test('layers of several lists are gathered where the first of them stands', () => {
    const { project } = made(nestedText, wrapLayers(nested, [at(1, 'layers', 1), at(0)], 'Residual'));
    expect(kinds(project, at(0, 'layers'))).toEqual(['Conv2d', 'ReLU']);
    expect(kinds(project, at(1, 'layers'))).toEqual(['Conv2d']);
  });

  test('a layer that holds none is not unwrapped', () => {
    expect(unwrapLayer(nested, at(0))).toBeNull();
  });

  test('layers become a named block, and its last use takes it away again', () => {
    const name = freeBlockName(nested, 'unit');
    expect(name).toBe('unit 2');
    const text = editProject(nestedText, makeBlock(nested, [at(5), at(6)], name).edits);
    const project = projectOf(text);
    expect(kinds(project, ['model', 'blocks', 'unit 2', 'layers'])).toEqual(['Flatten', 'Dropout']);
    expect(usesOf(project, name)).toEqual([at(5)]);
    expect(edited(text, unwrapLayer(project, at(5))?.edits ?? [])).toEqual(nested);
  });

  test('a block that has other uses keeps its definition', () => {
    const project = edited(nestedText, unwrapLayer(nested, at(4))?.edits ?? []);
    expect(kinds(project)[4]).toBe('Conv2d');
    expect(blockNames(project)).toEqual(['unit', 'spare']);
  });

  test('a block is renamed with all its uses, never to a name that is taken', () => {
    const project = edited(nestedText, renameBlock(nested, 'unit', 'stage') ?? []);
    expect(usesOf(project, 'stage')).toHaveLength(2);
    expect(usesOf(project, 'unit')).toHaveLength(0);
    expect(renameBlock(nested, 'unit', 'spare')).toBeNull();
    expect(renameBlock(nested, 'unit', '')).toBeNull();
    expect(renameBlock(nested, 'unit', 'unit')).toEqual([]);
  });

  test('branches come and go, one stays', () => {
    const three = edited(nestedText, addBranch(nested, at(2)));
    expect(lanesOf(valueAt(three, at(2)))).toHaveLength(3);
    const two = edited(nestedText, removeBranch(nested, at(2, 'branches', 0)));
    expect(removeBranch(two, at(2, 'branches', 0))).toEqual([]);
  });

  test('a shortcut is the input, a projection or layers', () => {
    expect(setShortcut(nested, at(1), 'auto')).toEqual([{ op: 'set', path: at(1, 'shortcut'), value: 'auto' }]);
    expect(setShortcut(nested, at(1), 'input')).toEqual([{ op: 'remove', path: at(1, 'shortcut') }]);
  });
});

describe('a parameter', () => {
  test('that is what PyTorch takes anyway is not written, one that stands there is changed', () => {
    expect(setParam(nested, at(0), 'stride', 1)).toEqual([]);
    expect(setParam(nested, at(0), 'padding', 0)).toEqual([{ op: 'set', path: at(0, 'padding'), value: 0 }]);
    expect(setParam(nested, at(0), 'padding', 1)).toEqual([]);
    expect(setParam(nested, at(0), 'padding', undefined)).toEqual([{ op: 'remove', path: at(0, 'padding') }]);
  });
});

/** A random thing to do to a project; null where it has no place. */
function anyChange(project: unknown, pick: (below: number) => number, layer: unknown): readonly Edit[] | null {
  const layers = allLayers(project).map(({ path }) => path);
  const lists: Path[] = [
    mainList,
    ...blockNames(project).map((name) => ['model', 'blocks', name, 'layers']),
    ...layers.flatMap((path) => lanesOf(valueAt(project, path)).map(({ key }) => [...path, ...key])),
  ];
  const list = lists[pick(lists.length)] as Path;
  const gap: Gap = { list, index: pick(layersAt(project, list).length + 1) };
  const some = layers.filter(() => pick(3) === 0);
  const one = layers[pick(layers.length)];
  switch (pick(9)) {
    case 0:
      return insertLayers(project, gap, [layer]).edits;
    case 1:
      return removeLayers(project, some).edits;
    case 2:
      return moveLayers(project, some, gap)?.edits ?? null;
    case 3:
      return duplicateLayers(project, some).edits;
    case 4:
      return wrapLayers(project, some, (['Residual', 'Repeat', 'Parallel'] as const)[pick(3)] as 'Residual').edits;
    case 5:
      return (one && unwrapLayer(project, one)?.edits) ?? null;
    case 6:
      return toggleDisabled(project, some);
    case 7:
      return some.length > 0 ? makeBlock(project, some, freeBlockName(project, 'block')).edits : null;
    default:
      return one ? setParam(project, one, 'name', pick(2) === 0 ? undefined : 'x') : null;
  }
}

const start = fc.oneof(
  fc.constant(nestedText),
  fc.array(anyLayer.layer, { maxLength: 5 }).map((layers) => textWith(layers)),
);
const steps = fc.array(fc.tuple(fc.infiniteStream(fc.nat(1_000_000)), anyLayer.layer), { maxLength: 10 });

test('random edits, all taken back, give the text that was, byte for byte', () => {
  fc.assert(
    fc.property(start, steps, (text, todo) => {
      const undos: ReturnType<typeof editProjectWithUndo>['undo'][] = [];
      let now = text;
      for (const [numbers, layer] of todo) {
        const pick = (below: number) => Number(numbers.next().value) % Math.max(1, below);
        const edits = anyChange(projectOf(now), pick, layer);
        if (!edits) continue;
        const done = editProjectWithUndo(now, edits);
        now = done.text;
        undos.push(done.undo);
        expect(isObject(projectOf(now))).toBe(true);
      }
      for (const undo of undos.reverse()) now = undoChanges(now, undo);
      expect(now).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('a move changes nothing but the places: the same layers before and after', () => {
  const bag = (project: unknown) =>
    allLayers(project)
      .filter(({ layer }) => lanesOf(layer).length === 0)
      .map(({ layer }) => JSON.stringify(layer))
      .toSorted();
  fc.assert(
    fc.property(start, fc.infiniteStream(fc.nat(1_000_000)), (text, numbers) => {
      const pick = (below: number) => Number(numbers.next().value) % Math.max(1, below);
      const project = projectOf(text);
      const layers = allLayers(project).map(({ path }) => path);
      const chosen = layers.filter(() => pick(3) === 0);
      const lists = [mainList, ...layers.map(listOf)];
      const list = lists[pick(lists.length)] as Path;
      const gap = { list, index: pick(layersAt(project, list).length + 1) };
      const change = moveLayers(project, chosen, gap);
      fc.pre(change !== null);
      const moved = edited(text, change?.edits ?? []);
      expect(bag(moved)).toEqual(bag(project));
      const before = chosen.map((path) => JSON.stringify(valueAt(project, path)));
      for (const path of change?.selected ?? []) expect(before).toContain(JSON.stringify(valueAt(moved, path)));
    }),
    { numRuns: 150 },
  );
});

test('what an edit does not touch keeps its spelling', () => {
  const { edits } = moveLayers(nested, [at(7)], { list: at(1, 'shortcut'), index: 0 }) as Change;
  const text = editProject(nestedText, edits);
  for (const kept of [
    '"samples": 1e2',
    '{"kind":"Conv2d","out_channels":8,"kernel_size":3,"padding":1}',
    '"p": 5e-1',
    '"gradloom": 1,   "name"',
  ]) {
    expect(text).toContain(kept);
  }
});
