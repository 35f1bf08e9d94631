/** Initial weights as they are written, and back. */
import { expect, test } from 'vitest';
import { initOf, initParts } from '../../../renderer/build/init-edits.ts';

test.each([
  'xavier_uniform',
  { kind: 'kaiming_normal', nonlinearity: 'relu' },
  { kind: 'orthogonal', gain: 2, bias: 'zeros' },
  { kind: 'default', bias: { kind: 'constant', val: 0.1 } },
])('%j is read in parts and written as it was', (value) => expect(initOf(initParts(value))).toEqual(value));

test('nothing is said where neither part says anything', () => {
  expect(initOf(initParts(undefined))).toBeUndefined();
  expect(initOf(initParts(null))).toBeUndefined();
  expect(initParts({ bias: 'zeros' })).toEqual({
    weight: { kind: null, args: {} },
    bias: { kind: 'zeros', args: {} },
  });
});

test('a bias alone leaves the weight to PyTorch', () => {
  const { weight } = initParts(undefined);
  expect(initOf({ weight, bias: { kind: 'zeros', args: {} } })).toEqual({ kind: 'default', bias: 'zeros' });
});
