/** What the palette finds, what is added, what cards and code say, what the clipboard holds. */
import { describe, expect, test } from 'vitest';
import { layerKinds, layerTable } from '../../../engine/contract/layers/index.ts';
import { StackPlanner } from '../../../engine/contract/plan-stack.ts';
import { Report } from '../../../engine/contract/report.ts';
import {
  countKinds,
  entriesWith,
  findEntries,
  fits,
  groupEntries,
  memberFor,
} from '../../../renderer/build/entries.ts';
import { endWords, summaryOf } from '../../../renderer/build/words.ts';
import { copyText, readClip } from '../../../renderer/state/stack-clipboard.ts';
import { newLayer } from '../../../renderer/state/stack-new.ts';
import type { Path } from '../../../renderer/state/stack-paths.ts';
import { nestedText, projectOf } from './projects.ts';

const at = (...path: Path) => ['model', 'layers', ...path] as Path;

describe('the palette', () => {
  test('finds a kind whose first three letters are its own first', () => {
    for (const { kind } of layerKinds) {
      const letters = kind.slice(0, 3).toLowerCase();
      const [first] = findEntries(letters, entriesWith([]));
      expect(first?.kind.toLowerCase().startsWith(letters)).toBe(true);
    }
  });

  test.each([
    ['dense', 'Linear'],
    ['convo', 'Conv2d'],
    ['skip', 'Residual'],
    ['swish', 'SiLU'],
    ['my', 'Block'],
    ['batch norm', 'BatchNorm2d'],
    ['batch normalization', 'BatchNorm2d'],
    ['fully connected', 'Linear'],
  ])('finds by %s', (query, kind) => {
    expect(findEntries(query, entriesWith(['my unit']))[0]?.kind).toBe(kind);
  });

  test.each([
    ['con', 3, 'Conv2d'],
    ['max', 3, 'MaxPool2d'],
    ['bat', 3, 'BatchNorm2d'],
    ['dro', 3, 'Dropout'],
  ])('finds by %s what takes a sample of %i dimensions', (query, rank, kind) => {
    expect(findEntries(query, entriesWith([]), { rank, dtype: 'float32' })[0]?.kind).toBe(kind);
  });

  test('finds a kind by its whole name first, whatever comes in', () => {
    for (const { kind } of layerKinds) {
      for (const rank of [1, 2, 3, 4]) {
        for (const dtype of ['float32', 'int64'] as const) {
          expect(findEntries(kind.toLowerCase(), entriesWith([]), { rank, dtype })[0]?.kind).toBe(kind);
        }
      }
    }
  });

  test.each([
    ['conv', 2, 'Conv1d'],
    ['conv', 3, 'Conv2d'],
    ['conv', 4, 'Conv3d'],
    ['batchnorm', 2, 'BatchNorm1d'],
    ['maxpool', 4, 'MaxPool3d'],
  ])('chooses by %s, or in its row, the one that takes %i dimensions', (query, rank, kind) => {
    const here = { rank, dtype: 'float32' } as const;
    expect(findEntries(query, entriesWith([]), here)[0]?.kind).toBe(kind);
    const families = groupEntries(entriesWith([]), []).flatMap((group) => [...group.families, ...group.more]);
    const family = families.find(({ name }) => name.toLowerCase() === query);
    expect(family && memberFor(family, here).kind).toBe(kind);
  });

  test.each(['Conv', 'MaxPool', 'AvgPool', 'AdaptiveAvgPool'])('%s 3d does not fit an image, nor 1d', (stem) => {
    const here = { rank: 3, dtype: 'float32' } as const;
    expect(['1d', '2d', '3d'].map((size) => fits(stem + size, here))).toEqual([false, true, false]);
  });

  test('leaves out what only has the letters somewhere once something has the word', () => {
    const found = findEntries('linear', entriesWith([])).map(({ kind }) => kind);
    expect(found[0]).toBe('Linear');
    expect(found).not.toContain('LayerNorm');
  });

  test('shows every kind once by category, and those used lately on top', () => {
    const entries = entriesWith([]);
    const groups = groupEntries(entries, ['ReLU', 'Gone', 'Linear']);
    expect(groups[0]?.families.map(({ plain }) => plain?.kind)).toEqual(['ReLU', 'Linear']);
    const families = groups.slice(1).flatMap((group) => [...group.families, ...group.more]);
    expect(countKinds(families)).toBe(layerKinds.length);
    // What most networks are made of is seen at once, in no more lines than a window or two are high.
    expect(groups.slice(1).reduce((lines, group) => lines + group.families.length, 0)).toBeLessThan(60);
  });
});

test('a Residual that holds nothing says what it does', () => {
  const empty = { kind: 'Residual', layers: [] };
  expect([endWords(empty), summaryOf(empty)]).toEqual([
    'nothing inside yet: adds the input to itself',
    'adds its input to itself',
  ]);
  expect(endWords({ kind: 'Residual', layers: [{ kind: 'ReLU' }] })).toBe('add the input');
});

describe('a layer that is added', () => {
  const kinds = layerKinds.filter(({ kind }) => kind !== 'Block');

  test.each(kinds.map(({ kind }) => kind))('%s is complete', (kind) => {
    const layer = newLayer(kind, { input: null, wanted: null });
    const report = new Report();
    new StackPlanner(report, {}).model([layer], null);
    expect(report.problems).toEqual([]);
  });

  test.each(kinds.flatMap(({ kind, examples }) => examples.map(({ input }) => ({ kind, input }))))(
    '$kind fits $input',
    ({ kind, input }) => {
      const dtype = layerTable.get(kind)?.takes === 'integers' ? 'int64' : 'float32';
      const layer = newLayer(kind, { input: { dims: input, dtype }, wanted: null });
      const report = new Report();
      new StackPlanner(report, {}).model([layer], { dims: input, dtype });
      expect(report.problems).toEqual([]);
    },
  );

  test.each(kinds.flatMap(({ kind }) => [[8], [8, 12], [3, 12, 12], [3, 8, 12, 12]].map((dims) => ({ kind, dims }))))(
    '$kind stays that kind where $dims comes in',
    ({ kind, dims }) => {
      expect(newLayer(kind, { input: { dims, dtype: 'float32' }, wanted: null }).kind).toBe(kind);
    },
  );

  test('as the last one answers what the loss wants', () => {
    expect(newLayer('Linear', { input: { dims: [300], dtype: 'float32' }, wanted: [10] })).toEqual({
      kind: 'Linear',
      out_features: 10,
    });
  });
});

test('a card tells what was set, not what is so anyway', () => {
  expect(
    summaryOf({ kind: 'Conv2d', out_channels: 32, kernel_size: [3, 5], stride: 1, padding: 'same', bias: false }),
  ).toBe('32 channels · 3×5 · padding same · no bias');
  expect(summaryOf({ kind: 'MaxPool2d', kernel_size: 2, padding: [1, 0] })).toBe('2×2 · padding 1×0');
  expect(summaryOf({ kind: 'Permute', dims: [0, 2, 1] })).toContain('0, 2, 1');
  expect(summaryOf({ kind: 'Dropout' })).toBe('');
  expect(summaryOf({ kind: 'Dropout', p: 0.25 })).toBe('25 %');
  expect(summaryOf({ kind: 'Repeat', times: 3, layers: [] })).toBe('3 times');
  expect(summaryOf({ kind: 'Nonsense' })).toBe('unknown kind');
});

describe('the clipboard', () => {
  const project = projectOf(nestedText);

  test('holds one layer, several, or layers with the blocks that they use', () => {
    expect(readClip(copyText(project, [at(5)]))?.layers).toEqual([{ kind: 'Flatten' }]);
    expect(readClip(copyText(project, [at(6), at(5)]))?.layers.map(({ kind }) => kind)).toEqual(['Flatten', 'Dropout']);
    const withBlock = readClip(copyText(project, [at(3)]));
    expect(Object.keys(withBlock?.blocks ?? {})).toEqual(['unit']);
  });

  test('takes a line of a file and a whole project, and nothing that holds no layers', () => {
    expect(readClip('  { "kind": "ReLU" },\n')?.layers).toEqual([{ kind: 'ReLU' }]);
    expect(readClip(nestedText)?.layers).toHaveLength(8);
    for (const text of ['', 'hello', '[]', '3', '[1]', '{"a": 1}', '[{"kind": 3}]']) expect(readClip(text)).toBeNull();
  });
});
