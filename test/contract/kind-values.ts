/** Values for the parameters of any kind, by what its schema says of them: mostly right ones, some at the edge, some wrong. */
import fc from 'fast-check';
import { type FieldInfo, fieldInfo } from '../../engine/contract/fields.ts';
import type { LayerKind } from '../../engine/contract/layers/kind.ts';

type Values = fc.Arbitrary<unknown>;

const small: Values[] = [
  fc.constant({ kind: 'ReLU' }),
  fc.constant({ kind: 'Flatten' }),
  fc.integer({ min: 1, max: 6 }).map((out_features) => ({ kind: 'Linear', out_features })),
  fc.integer({ min: 1, max: 4 }).map((out_channels) => ({ kind: 'Conv2d', out_channels, kernel_size: 3, padding: 1 })),
  fc.constant({ kind: 'MaxPool2d', kernel_size: 2 }),
];
const layers = fc.array(fc.oneof(...small), { maxLength: 3 });

/** Small whole numbers within the bounds, now and then the bounds themselves. */
function whole({ min = -4, max = 12 }: FieldInfo): fc.Arbitrary<number> {
  const most = Math.max(min, Math.min(max, min + 9));
  return fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min, max: most }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max, 64, 1024) },
  );
}

function right(info: FieldInfo): Values {
  switch (info.control) {
    case 'integer':
      return whole(info);
    case 'number':
      return fc.constantFrom(0, 0.1, 0.5, 1, 1e-5, 2, -1, 3.5);
    case 'switch':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...(info.choices ?? ['same']));
    case 'pair':
    case 'padding': {
      const rank = info.rank ?? 2;
      const side = fc.integer({ min: info.min ?? 0, max: 5 });
      const sides = fc.oneof(
        { weight: 6, arbitrary: side as Values },
        { weight: 3, arbitrary: fc.array(side, { minLength: rank, maxLength: rank }) },
        { weight: 1, arbitrary: fc.array(fc.oneof(side, fc.constant(null)), { minLength: rank, maxLength: rank }) },
        { weight: 1, arbitrary: fc.array(side, { minLength: 1, maxLength: 6 }) },
      );
      return info.control === 'pair'
        ? sides
        : fc.oneof({ weight: 4, arbitrary: sides }, { weight: 1, arbitrary: fc.constantFrom('same', 'valid') });
    }
    case 'numbers':
      return fc.oneof(
        fc.array(fc.integer({ min: -1, max: 9 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
      );
    case 'layers':
      return layers;
    case 'branches':
      return fc.array(layers, { minLength: 1, maxLength: 3 });
    case 'shortcut':
      return fc.oneof(fc.constant('auto'), layers);
    case 'text':
    case 'path':
      return fc.constantFrom('a', 'b');
    case 'texts':
      return fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 });
    case 'columns':
      return fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('ignore', 'numeric'));
  }
}

const wrong = fc.constantFrom<unknown>(
  -1,
  0,
  2 ** 31,
  1.5,
  'x',
  null,
  [],
  [0, 0],
  {},
  true,
  Number.NaN,
  [1, 2, 3, 4, 5],
);

/** A layer of the kind. `faults`: how often in a hundred a parameter is of any kind at all. */
export function layerOf({ kind, params }: LayerKind, faults: number): fc.Arbitrary<{ [key: string]: unknown }> {
  const shape: { [key: string]: Values } = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(params)) {
    const info = fieldInfo(schema);
    if (!('default' in info)) required.push(name);
    const values = 'default' in info ? [{ weight: 30, arbitrary: fc.constant(info.default) as Values }] : [];
    shape[name] = fc.oneof(
      { weight: 100 - faults, arbitrary: right(info) },
      ...(faults > 0 ? [{ weight: faults, arbitrary: wrong }] : []),
      ...values,
    );
  }
  return fc.record(shape, { requiredKeys: required }).map((given) => ({ kind, ...given }));
}
