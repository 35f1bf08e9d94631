/** What is told of a network whose numbers are not known. */
import { expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import { unknownUntil } from '../../../renderer/build/network-size.ts';

const source = { kind: 'random', shape: [1, 8, 8], classes: 3, samples: 40 };
const until = (layers: object[], data: object = { source }) =>
  unknownUntil(planProject({ data, model: { layers } }, null));
const flatten = { kind: 'Flatten' };

test('a network with an answer is known, though it is not the one that is wanted', () => {
  expect(until([flatten, { kind: 'Linear', out_features: 3 }])).toBeNull();
  expect(until([flatten, { kind: 'Linear', out_features: 2 }])).toBeNull();
});

test('else it is told what has to be right first', () => {
  expect(until([])).toBe('until there is a layer');
  expect(until([{ ...flatten, disabled: true }])).toBe('until there is a layer');
  expect(until([flatten], {})).toBe('until the data can be read');
  expect(until([flatten, { ...flatten, disabled: true }, { kind: 'Conv2d', out_channels: 2, kernel_size: 3 }])).toBe(
    'until layer 1 fits',
  );
});
