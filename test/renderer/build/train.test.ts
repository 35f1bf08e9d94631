/** What layers say of their training: handed down by blocks, edited in one layer or in several. */
import { describe, expect, test } from 'vitest';
import { commonTrain, handsDown, inheritedTrain, setFreeze, setTrain } from '../../../renderer/state/stack-train.ts';
import { applyEdits } from '../../contract/apply-edits.ts';

const project = {
  model: {
    layers: [
      { kind: 'Linear', out_features: 4, train: { lr: 0.1 } },
      { kind: 'Residual', train: { freeze: true, lr: 0.5 }, layers: [{ kind: 'Linear', train: { lr: null } }] },
      { kind: 'Repeat', train: { weight_decay: 0.2 }, layers: [{ kind: 'Block', ref: 'b', train: { lr: 0.3 } }] },
      { kind: 'ReLU' },
    ],
    blocks: { b: { layers: [{ kind: 'Parallel', branches: [[{ kind: 'Linear' }]] }] } },
  },
};
const at = (...rest: (string | number)[]) => ['model', ...rest];

describe('blocks hand down', () => {
  test('to what is inside, the innermost last; null says nothing', () => {
    expect(inheritedTrain(project, at('layers', 0))).toEqual({});
    expect(inheritedTrain(project, at('layers', 1, 'layers', 0))).toEqual({ freeze: true, lr: 0.5 });
  });

  test('to a named block where it is used', () => {
    const inside = at('blocks', 'b', 'layers', 0, 'branches', 0, 0);
    expect(inheritedTrain(project, inside)).toEqual({ weight_decay: 0.2, lr: 0.3 });
  });

  test('only blocks do', () => {
    expect(project.model.layers.map(handsDown)).toEqual([false, true, true, false]);
  });
});

describe('edits', () => {
  const paths = [at('layers', 0), at('layers', 3)];

  test('of several layers at once write only what is new', () => {
    const edits = setTrain(project, paths, 'lr', 0.1);
    expect(edits).toEqual([{ op: 'set', path: at('layers', 3, 'train', 'lr'), value: 0.1 }]);
  });

  test('that take the last key away take train away', () => {
    const set = applyEdits(project, setTrain(project, paths, 'freeze', true)) as typeof project;
    expect(set.model.layers[3]).toEqual({ kind: 'ReLU', train: { freeze: true } });
    const back = applyEdits(set, setTrain(set, paths, 'freeze', undefined));
    expect(back).toEqual(project);
  });

  test('that freeze, or let train again, say no more than is needed', () => {
    const [inside, first] = [at('layers', 1, 'layers', 0), at('layers', 0)];
    expect(setFreeze(project, [inside, first], true)).toEqual([
      { op: 'set', path: [...first, 'train', 'freeze'], value: true },
    ]);
    expect(setFreeze(project, [inside, first], false)).toEqual([
      { op: 'set', path: [...inside, 'train', 'freeze'], value: false },
    ]);
  });

  test('show a value that all have, and that they differ', () => {
    const [first, , , last] = project.model.layers;
    expect(commonTrain([first, first], 'lr')).toEqual({ value: 0.1, differs: false });
    expect(commonTrain([first, last], 'lr')).toEqual({ value: undefined, differs: true });
    expect(commonTrain([last, last], 'lr')).toEqual({ value: undefined, differs: false });
  });
});
