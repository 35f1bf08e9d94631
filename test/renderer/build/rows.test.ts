/** The stack as rows: what is shown where, with which shapes and costs, and what stays the same object while something else changes. */
import { describe, expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import type { Project } from '../../../engine/contract/project.ts';
import { editProject } from '../../../engine/contract/project-edit.ts';
import { sizeWords } from '../../../renderer/build/network-size.ts';
import { share } from '../../../renderer/state/sharing.ts';
import { moveLayers, setParam } from '../../../renderer/state/stack.ts';
import { layersAt, mainList, type Path } from '../../../renderer/state/stack-paths.ts';
import { type LayerRow, type StackRow, type StackView, stackView } from '../../../renderer/state/stack-rows.ts';
import {
  gapAfter,
  gapBeside,
  nothingSelected,
  selectedPaths,
  selectOnly,
  selectTo,
  settle,
  step,
  tensorAt,
} from '../../../renderer/state/stack-select.ts';
import { nestedText, projectOf, textWith } from './projects.ts';

const none = new Set<string>();
const at = (...path: Path) => ['model', 'layers', ...path] as Path;

function viewOf(project: unknown, before: StackView | null = null, folded: ReadonlySet<string> = none): StackView {
  return stackView(project, planProject(project as Project, null), [], folded, before);
}

function layerRows(view: StackView): LayerRow[] {
  return view.rows.filter((row) => row.type === 'layer');
}

function sketch(rows: readonly StackRow[]): string[] {
  return rows.map((row) => {
    const what = { layer: '', lane: 'lane', empty: 'empty', end: 'end', block: 'unused', output: 'output' }[row.type];
    return `${'  '.repeat(row.depth)}${row.type === 'layer' ? row.kind : what}`;
  });
}

describe('rows', () => {
  const project = projectOf(nestedText);
  const view = viewOf(project);

  test('show every list, a named block at its first use, and blocks that nothing uses at the end', () => {
    expect(sketch(view.rows)).toEqual([
      'Conv2d',
      'Residual',
      '  lane',
      '  Conv2d',
      '  ReLU',
      '  lane',
      '  Identity',
      'end',
      'Parallel',
      '  lane',
      '  Conv2d',
      '  lane',
      '  empty',
      'end',
      'Repeat',
      '  Block',
      '    Conv2d',
      '  end',
      'end',
      'Block',
      'Flatten',
      'Dropout',
      'Linear',
      'output',
      'unused',
      '  Tanh',
      'end',
    ]);
    expect(layerRows(view).filter(({ elsewhere }) => elsewhere)).toHaveLength(1);
  });

  test('know the shapes on both sides of each layer', () => {
    const shapes = layerRows(view).map(
      ({ kind, input, output }) => `${kind} ${input?.dims ?? '?'} ${output?.dims ?? '?'}`,
    );
    expect(shapes).toContain('Conv2d 3,8,8 8,8,8');
    expect(shapes).toContain('Parallel 8,8,8 12,8,8');
    expect(shapes).toContain('Flatten 12,8,8 768');
    expect(shapes.at(-1)).toBe('Tanh ? ?');
  });

  test('count all repetitions and uses of what stands once', () => {
    const inside = layerRows(view).find(({ path }) => path.join('.') === 'model.blocks.unit.layers.0');
    expect(inside?.costs?.parameters).toBe(3 * (12 * 12 * 9 + 12));
    const plan = planProject(project as Project, null);
    const tops = layerRows(view).filter(({ path }) => path.length === 3);
    expect(tops.reduce((sum, { costs }) => sum + (costs?.parameters ?? 0), 0)).toBe(plan.parameters);
  });

  test('of a layer whose sum does not match know the shapes inside', () => {
    const inner = [{ kind: 'Conv2d', out_channels: 8, kernel_size: 3, stride: 2 }, { kind: 'ReLU' }];
    const made = viewOf(projectOf(textWith([{ kind: 'Residual', layers: inner }, { kind: 'Flatten' }])));
    const shapes = layerRows(made).map(({ number, output, problems }) => [
      number,
      output?.dims ?? null,
      problems.length,
    ]);
    expect(shapes).toEqual([
      ['0', null, 1],
      ['0.layers.0', [8, 3, 3], 0],
      ['0.layers.1', [8, 3, 3], 0],
      ['1', null, 0],
    ]);
  });

  test('keep their numbers from the first problem on, those that do not run have none', () => {
    const made = viewOf(
      projectOf(
        textWith([
          { kind: 'Tanh', disabled: true },
          { kind: 'Linaer' },
          { kind: 'Parallel', branches: [[], [{ kind: 'ReLU' }]] },
          { kind: 'Repeat', times: 2, layers: [{ kind: 'Tanh' }] },
          { kind: 'Flatten' },
        ]),
      ),
    );
    const numbers = layerRows(made).map(({ number }) => number);
    expect(numbers).toEqual([null, '0', '1', '1.branches.1.0', '2', '2.0.0', '3']);
  });

  test('of a block and of its later use tell a problem that arises there; its figures are those of the first', () => {
    const use = { kind: 'Block', ref: 'half' };
    const pool = { kind: 'AvgPool2d', kernel_size: 5 };
    const made = viewOf(projectOf(textWith([use, use, { kind: 'Flatten' }], { half: { layers: [pool] } })));
    const [first, inside, second] = layerRows(made);
    expect(first?.problems).toEqual([]);
    expect(inside).toMatchObject({ input: { dims: [3, 8, 8] }, output: { dims: [3, 1, 1] } });
    expect(second).toMatchObject({ number: '1', elsewhere: true });
    expect(inside?.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^In its 2nd use, at layer 1: /),
    ]);
    expect(second?.problems).toEqual(inside?.problems);
  });

  test('of a folded block are one, which tells what is wrong inside', () => {
    const text = textWith([{ kind: 'Residual', layers: [{ kind: 'Linaer' }, { kind: 'ReLU' }] }]);
    const made = projectOf(text);
    const open = viewOf(made);
    const [block, inside] = layerRows(open);
    expect([block?.problems.length, inside?.problems.length]).toEqual([0, 1]);
    const folded = viewOf(made, null, new Set([block?.key as string]));
    expect(sketch(folded.rows)).toEqual(['Residual', 'output']);
    expect(layerRows(folded)[0]).toMatchObject({ folded: true });
    expect(layerRows(folded)[0]?.problems).toHaveLength(1);
  });

  test('of what is no layer are shown, and a disabled layer hands its input on', () => {
    const made = viewOf(projectOf(textWith([7, { kind: 'Conv2d', disabled: true }, { kind: 'Flatten' }])));
    expect(sketch(made.rows)).toEqual(['7', 'Conv2d', 'Flatten', 'output']);
    const [, conv] = layerRows(viewOf(projectOf(textWith([{ kind: 'ReLU' }, { kind: 'Conv2d', disabled: true }]))));
    expect(conv).toMatchObject({
      disabled: true,
      dimmed: true,
      input: { dims: [3, 8, 8] },
      output: { dims: [3, 8, 8] },
    });
  });

  test('that an edit does not concern stay the same objects', () => {
    const layers = Array.from({ length: 40 }, (_, index) =>
      index % 2 ? { kind: 'ReLU' } : { kind: 'Conv2d', out_channels: 4, kernel_size: 1 },
    );
    const text = textWith(layers);
    const first = projectOf(text);
    const before = viewOf(first);
    const next = share(first, projectOf(editProject(text, setParam(first, at(20), 'name', 'Middle'))));
    const now = viewOf(next, before);
    const changed = now.rows.filter((row, index) => row !== before.rows[index]);
    expect(changed.map((row) => row.key)).toEqual([before.rows[20]?.key]);
  });

  test('keep their keys when a layer moves', () => {
    const moved = moveLayers(project, [at(0)], { list: mainList, index: 8 });
    const next = share(project, projectOf(editProject(nestedText, moved?.edits ?? [])));
    const keys = (each: StackView) => layerRows(each).map(({ key }) => key);
    expect(keys(viewOf(next)).toSorted()).toEqual(keys(view).toSorted());
  });
});

describe('the size of the network', () => {
  const sizeOf = (layers: unknown[], blocks?: unknown, shape = [3, 8, 8]) => {
    const project = projectOf(textWith(layers, blocks).replace(/"shape": \[[^\]]*\]/, `"shape": [${shape}]`));
    return sizeWords(viewOf(project), planProject(project as Project, null));
  };
  const conv = { kind: 'Conv2d', out_channels: 4, kernel_size: 3 };
  const linear = { kind: 'Linear', out_features: 4 };

  test('is told where all of it is known, also where it has no weights or nothing but what is disabled', () => {
    expect(sizeOf([conv, { kind: 'Flatten' }, linear])).toBe('3 layers · 692 parameters · 8.93 kFLOP');
    expect(sizeOf([{ kind: 'Flatten' }])).toBe('1 layer · 0 parameters · 0 FLOP');
    expect(sizeOf([{ ...conv, disabled: true }], undefined, [3, 8])).toBe('1 layer · 0 parameters · 0 FLOP');
    const spare = { layers: [{ kind: 'Conv3d', out_channels: 4, kernel_size: 3 }] };
    expect(sizeOf([{ kind: 'Flatten' }], { spare })).toBe('2 layers · 0 parameters · 0 FLOP');
  });

  test('is never 0 for not being known: it ends where a layer cannot be planned, or is left open', () => {
    expect(sizeOf([conv, { kind: 'Flatten' }], undefined, [3, 8])).toBe('2 layers · — parameters');
    expect(sizeOf([{ kind: 'Residual', layers: [conv] }])).toBe('2 layers · — parameters');
    expect(sizeOf([conv, { kind: 'Parallel', branches: [[], [{ kind: 'Conv1d' }]] }, linear])).toBe(
      '4 layers · up to layer 0: 112 parameters · 7.78 kFLOP, not known beyond',
    );
    const project = projectOf(JSON.stringify({ gradloom: 1, model: { layers: [linear] } }));
    expect(sizeWords(viewOf(project), planProject(project as Project, null))).toBe('1 layer · — parameters');
  });
});

describe('selection', () => {
  const project = projectOf(nestedText);
  const { rows } = viewOf(project);
  const keyOf = (path: Path) =>
    rows.find((row) => row.type === 'layer' && row.path.join('.') === path.join('.'))?.key as string;

  test('extends from where it began, through blocks, and stops at both ends', () => {
    const one = selectTo(rows, nothingSelected, keyOf(at(0)));
    const more = selectTo(rows, one, keyOf(at(1, 'layers', 0)), { range: true });
    // What is in a block goes with it.
    expect(selectedPaths(rows, more.selected)).toEqual([at(0), at(1)]);
    const fewer = selectTo(rows, more, keyOf(at(1)), { range: true });
    expect(selectedPaths(rows, fewer.selected)).toEqual([at(0), at(1)]);
    expect(step(rows, keyOf(at(0)), -1)).toBe(keyOf(at(0)));
    expect(step(rows, null, 1)).toBe(keyOf(at(0)));
  });

  test('in the place of an empty branch is its block, and additions go into the branch', () => {
    const empty = rows.find((row) => row.type === 'empty') as StackRow;
    const now = selectTo(rows, nothingSelected, empty.key);
    expect(selectedPaths(rows, now.selected)).toEqual([at(2)]);
    expect(gapAfter(rows, now.active)).toEqual({ list: at(2, 'branches', 1), index: 0 });
    expect(tensorAt(rows, gapAfter(rows, now.active))?.dims).toEqual([8, 8, 8]);
  });

  test('steps down into a block, through it and out of it again; and back', () => {
    let text = textWith([
      { kind: 'Tanh' },
      { kind: 'Residual', layers: [{ kind: 'ReLU' }] },
      { kind: 'Parallel', branches: [[], []] },
    ]);
    const places: string[] = [];
    let path: Path = at(0);
    const go = (by: -1 | 1) => {
      const now = projectOf(text);
      const gap = gapBeside(viewOf(now).rows, [path], by);
      if (!gap) return false;
      const change = moveLayers(now, [path], gap);
      text = editProject(text, change?.edits ?? []);
      path = change?.selected[0] as Path;
      places.push(path.slice(2).join('.'));
      return true;
    };
    while (go(1));
    expect(places).toEqual(['0.layers.0', '0.layers.1', '1', '1.branches.0.0', '1.branches.1.0', '2']);
    places.length = 0;
    while (go(-1));
    expect(places).toEqual(['1.branches.1.0', '1.branches.0.0', '1', '0.layers.1', '0.layers.0', '0']);
    expect(layersAt(projectOf(text), mainList)).toHaveLength(3);
  });

  test('goes to what came back with an undo, else to a neighbour of what is gone', () => {
    const was = selectOnly([keyOf(at(5))]);
    const without = rows.filter((row) => row.key !== keyOf(at(5)));
    expect(selectedPaths(rows, settle(rows, without, was).selected)).toEqual([at(6)]);
    expect(selectedPaths(rows, settle(without, rows, selectOnly([keyOf(at(0))])).selected)).toEqual([at(5)]);
    expect(settle(rows, rows, was)).toBe(was);
  });
});
