/** Names of a weights file as the network's: modules at once, parts taken over, the most particular rule first. */
import { expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { renaming } from '../../engine/contract/weights-names.ts';

test.each<[string, Record<string, string>, Record<string, string>]>([
  [
    'a module renames all its tensors',
    { conv1: '0' },
    { 'conv1.weight': '0.weight', 'conv10.weight': 'conv10.weight' },
  ],
  ['a whole name', { cls_token: '2.token' }, { cls_token: '2.token', 'cls_token.x': '2.token.x' }],
  ['a prefix is taken off', { features: '' }, { 'features.0.weight': '0.weight', features: '' }],
  ['a prefix is put on', { '': '3.layers' }, { '0.weight': '3.layers.0.weight' }],
  ['a part is taken over', { 'layer1.*.conv1': '4.*.0' }, { 'layer1.12.conv1.weight': '4.12.0.weight' }],
  ['so is a piece of one', { 'encoder.layer_*.ln': '5.*.norm' }, { 'encoder.layer_7.ln.bias': '5.7.norm.bias' }],
  ['parts in their order', { '*.a.*': '*.*' }, { 'x.a.y.z': 'x.y.z' }],
  [
    'the longest key decides, wherever it stands',
    { '*': 'x', 'fc.*': 'y.*', fc: 'z' },
    { 'fc.weight': 'y.weight', fc: 'z', other: 'x' },
  ],
  [
    'dots and signs are letters',
    { 'a.b': '0', 'c+(d)$': '1' },
    { 'a.b.w': '0.w', 'axb.w': 'axb.w', 'c+(d)$.w': '1.w' },
  ],
])('%s', (_, names, expected) => {
  const rename = renaming(names);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, rename(name)]))).toEqual(expected);
});

test('without names all stay', () => expect(renaming(null)('features.0.weight')).toBe('features.0.weight'));

test('what is no map of names is a problem that can be taken away', () => {
  const problems = (weights_names: unknown) =>
    planProject({ gradloom: 1, model: { layers: [{ kind: 'Flatten' }], weights_names } }, null)
      .problems.filter(({ path }) => path.startsWith('model.weights_names'))
      .map(({ path, message, fixes }) => [path, message, fixes[0]?.edits]);
  const removed = [{ op: 'set', path: ['model', 'weights_names'], value: null }];
  expect(problems({ a: '0', 'b.*': '*.1' })).toEqual([]);
  expect(problems(null)).toEqual([]);
  expect(problems('names.json')).toEqual([
    ['model.weights_names', 'Expected an object of names, or null, but received "names.json"', removed],
  ]);
  expect(problems({ a: 0, b: '*' })).toEqual([
    ['model.weights_names.a', 'Expected a name in the network, but received 0', removed],
    ['model.weights_names.b', '"*" has more * than "b", whose parts they take over', removed],
  ]);
});
