/** What the palette finds, what is added, what cards and code say, what the clipboard holds. */
import { describe, expect, test } from 'vitest';
import { layerKinds } from '../../../engine/contract/layers/index.ts';
import { planProject } from '../../../engine/contract/plan.ts';
import type { Project } from '../../../engine/contract/project.ts';
import { entriesWith, findEntries, groupEntries } from '../../../renderer/build/entries.ts';
import { formatPython, modelCode } from '../../../renderer/build/python.ts';
import { summaryOf } from '../../../renderer/build/words.ts';
import { copyText, readClip } from '../../../renderer/state/stack-clipboard.ts';
import { newLayer } from '../../../renderer/state/stack-new.ts';
import type { Path } from '../../../renderer/state/stack-paths.ts';
import { nestedText, projectOf, textWith } from './projects.ts';

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
  ])('finds by %s', (query, kind) => {
    expect(findEntries(query, entriesWith(['my unit']))[0]?.kind).toBe(kind);
  });

  test('shows every kind once by category, and those used lately on top', () => {
    const entries = entriesWith([]);
    const groups = groupEntries(entries, ['ReLU', 'Gone', 'Linear']);
    expect(groups[0]?.entries.map(({ kind }) => kind)).toEqual(['ReLU', 'Linear']);
    expect(groups.slice(1).flatMap((group) => group.entries)).toHaveLength(layerKinds.length);
  });
});

describe('a layer that is added', () => {
  test.each(layerKinds.filter(({ kind }) => kind !== 'Block').map(({ kind }) => kind))('%s is complete', (kind) => {
    const layer = newLayer(kind, { input: [8, 8, 8], wanted: null });
    const { problems } = planProject(projectOf(textWith([layer])) as Project, null);
    const own = problems.filter(({ path, code }) => path.startsWith('model.layers.0') && code !== 'OUTPUT_MISMATCH');
    expect(own).toEqual([]);
  });

  test('as the last one answers what the loss wants', () => {
    expect(newLayer('Linear', { input: [300], wanted: 10 })).toEqual({ kind: 'Linear', out_features: 10 });
  });
});

test('a card tells what was set, not what is so anyway', () => {
  expect(
    summaryOf({ kind: 'Conv2d', out_channels: 32, kernel_size: [3, 5], stride: 1, padding: 'same', bias: false }),
  ).toBe('32 channels · 3×5 · padding same · no bias');
  expect(summaryOf({ kind: 'Dropout' })).toBe('');
  expect(summaryOf({ kind: 'Dropout', p: 0.25 })).toBe('25 %');
  expect(summaryOf({ kind: 'Repeat', times: 3, layers: [] })).toBe('3 times');
  expect(summaryOf({ kind: 'Nonsense' })).toBe('unknown kind');
});

describe('code', () => {
  test('is broken where a line gets long, never inside a text', () => {
    const long = `Parallel([nn.Sequential(nn.Conv2d(8, 16, kernel_size=3, padding=1), nn.ReLU()), nn.Sequential()], join="a, b", dim=1)`;
    expect(formatPython(long)).toBe(`Parallel(
    [
        nn.Sequential(nn.Conv2d(8, 16, kernel_size=3, padding=1), nn.ReLU()),
        nn.Sequential(),
    ],
    join="a, b",
    dim=1,
)`);
    expect(formatPython('nn.ReLU()')).toBe('nn.ReLU()');
  });

  test('of the network names the classes that PyTorch does not have', () => {
    expect(modelCode(['nn.ReLU()'])).not.toContain('#');
    expect(modelCode(['Residual(nn.Sequential(nn.ReLU()), nn.Sequential())'])).toContain('# Residual');
  });
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
