/** The stack as a picture: what folded blocks say of themselves, and the marks of the overview. */
import { describe, expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import type { Project } from '../../../engine/contract/project.ts';
import { insideColors, insideWords } from '../../../renderer/build/inside-words.ts';
import { sizeWords } from '../../../renderer/build/network-size.ts';
import { type RowBox, stackMarks } from '../../../renderer/build/stack-marks.ts';
import { idOf } from '../../../renderer/state/sharing.ts';
import { allLayers } from '../../../renderer/state/stack.ts';
import { noCosts } from '../../../renderer/state/stack-costs.ts';
import { insideOf } from '../../../renderer/state/stack-inside.ts';
import type { LayerRow, StackView } from '../../../renderer/state/stack-rows.ts';
import { stackView } from '../../../renderer/state/stack-rows.ts';
import { nestedText, projectOf, textWith } from './projects.ts';

const conv = { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 };
const [norm, relu, linear] = [{ kind: 'BatchNorm2d' }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 4 }];

const heldBy = (layers: unknown[], blocks?: unknown) =>
  insideOf(projectOf(textWith(layers, blocks)), [['model', 'layers']]);

function viewOf(layers: unknown[], folded: boolean, blocks?: unknown): StackView {
  const project = projectOf(textWith(layers, blocks));
  const plan = planProject(project as Project, null);
  const all = allLayers(project).map(({ layer }) => idOf(layer as object));
  return stackView(project, plan, [], new Set(folded ? all : []));
}

const layerRows = ({ rows }: StackView) => rows.filter((row) => row.type === 'layer');

describe('what a block holds', () => {
  test.each([
    [[conv, norm, relu], 'Conv2d · BatchNorm2d · ReLU'],
    [[conv, norm, relu, conv, norm, relu], 'Conv2d · BatchNorm2d · ReLU ×2'],
    [[conv, norm, conv, norm, linear], '(Conv2d · BatchNorm2d) ×2 · Linear'],
    [[linear, linear, linear, relu], 'Linear ×3 · ReLU'],
    [[conv, conv, norm, conv, conv, norm], 'Conv2d · Conv2d · BatchNorm2d ×2'],
    [[], 'its input'],
    // One that holds nothing but another says what is in that.
    [[{ kind: 'Repeat', times: 3, layers: [conv, relu] }], 'Repeat ×3 (Conv2d · ReLU)'],
    [
      [
        { kind: 'Repeat', times: 3, layers: [conv] },
        { kind: 'Repeat', times: 2, layers: [conv] },
      ],
      'Repeat ×3 · Repeat ×2',
    ],
    [[{ kind: 'Parallel', branches: [[conv, relu], []] }], 'Parallel (Conv2d · ReLU | its input)'],
  ])('%j: %s', (layers, words) => expect(insideWords(heldBy(layers))).toBe(words));

  test('is told as colours, all levels in one row, a repetition once, no more than there is room for', () => {
    const block = { kind: 'Repeat', times: 3, layers: [conv, { kind: 'Residual', layers: [norm, relu] }] };
    const held = heldBy([block, linear]);
    expect(insideColors(held, 24)).toEqual(['conv', 'norm', 'activation', 'dense']);
    expect(insideColors(held, 2)).toEqual(['conv', 'norm']);
  });

  test('follows named blocks, also one that uses itself', () => {
    const blocks = { unit: { layers: [conv, relu] }, loop: { layers: [{ kind: 'Block', ref: 'loop' }] } };
    expect(insideWords(heldBy([{ kind: 'Block', ref: 'unit' }], blocks))).toBe('Block (Conv2d · ReLU)');
    expect(insideWords(heldBy([{ kind: 'Block', ref: 'loop' }], blocks))).toMatch(/^Block \(Block \(/);
  });

  test('folded and unfolded, a network has as many layers, and a block shows the sum of its insides', () => {
    const blocks = { unit: { layers: [conv, norm, relu] } };
    const layers = [
      { kind: 'Residual', layers: [{ kind: 'Block', ref: 'unit' }, conv], shortcut: 'auto' },
      { kind: 'Block', ref: 'unit' },
      { kind: 'Flatten' },
      linear,
    ];
    const plan = planProject(projectOf(textWith(layers, blocks)) as Project, null);
    const open = viewOf(layers, false, blocks);
    const folded = viewOf(layers, true, blocks);
    expect(sizeWords(folded, plan)).toBe(sizeWords(open, plan));
    expect(layerRows(folded)).toHaveLength(4);
    const [residual] = layerRows(folded);
    expect(residual?.costs?.parameters).toBe(plan.layers[0]?.parameters);
    // The bars' scale is that of what is shown: the sum is the longest now.
    expect(folded.scale.parameters).toBeGreaterThanOrEqual(residual?.costs?.parameters ?? Number.NaN);
    // A second use shows that its layers are elsewhere, and still what they are.
    const second = layerRows(open).find(({ elsewhere }) => elsewhere) as LayerRow;
    expect(insideWords(second.holds)).toBe('Conv2d · BatchNorm2d · ReLU');
  });

  test('nothing is said of what is shown', () => {
    const open = stackView(projectOf(nestedText), null, [], new Set());
    expect(layerRows(open).filter(({ holds, elsewhere }) => holds.length > 0 && !elsewhere)).toEqual([]);
  });
});

describe('the overview', () => {
  const view = viewOf(
    [conv, { kind: 'Residual', layers: [conv, relu] }, { kind: 'Flatten' }, linear, { kind: 'Linaer' }],
    false,
  );
  const boxes: RowBox[] = view.rows.map((_, index) => ({ top: 100 + 56 * index, height: 56 }));
  const total = 100 + 56 * view.rows.length;
  const marks = (height: number, costs = view.scale) => stackMarks(view.rows, boxes, costs, total, height);

  test('has a line a layer, in its place on the way down, in its colour, indented as it is', () => {
    const found = marks(total / 8);
    expect(found.map(({ category }) => category)).toEqual(
      layerRows(view).map(
        ({ kind }) =>
          ({ Conv2d: 'conv', Residual: 'block', ReLU: 'activation', Flatten: 'shape', Linear: 'dense' })[kind] ?? null,
      ),
    );
    expect(found.map(({ y }) => y)).toEqual([...found.map(({ y }) => y)].sort((a, b) => a - b));
    expect(found[0]?.y).toBe(100 / 8);
    const [outside, inside] = [found[0], found[2]];
    expect(inside?.from).toBeGreaterThan(outside?.from ?? 1);
    expect(found[1]).toMatchObject({ head: true, to: 1 });
  });

  test('lines are as long as their layer costs most of anything, and never nothing', () => {
    const found = marks(total / 8);
    const [longest, none] = [
      Math.max(...found.map(({ to }) => to)),
      found.find(({ category }) => category === 'shape'),
    ];
    expect(longest).toBe(1);
    expect((none?.to ?? 0) - (none?.from ?? 1)).toBeGreaterThan(0.1);
    expect(marks(total / 8, noCosts).every(({ to, from }) => Number.isFinite(to) && to > from)).toBe(true);
  });

  test('problems are marked; lines of a thousand layers are still lines, those of a few no blocks', () => {
    expect(marks(total / 8).map(({ problem }) => problem)).toEqual([null, null, null, null, null, null, 'error']);
    expect(marks(4).every(({ height }) => height === 1)).toBe(true);
    expect(marks(2 * total).every(({ height }) => height < 12)).toBe(true);
    expect(stackMarks(view.rows, [], view.scale, 0, 100)).toEqual([]);
  });
});
