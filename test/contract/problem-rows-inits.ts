/** Faults in what layers say of their initial values. */
import { conv, flatten, type JsonProject, linear, projectWith, relu } from './cases.ts';
import type { Row } from './problem-rows.ts';

const init = (layer: JsonProject, value: JsonProject | string | number) => ({ ...layer, train: { init: value } });
const place = (layer: number) => `model.layers.${layer}.train.init`;

export const initRows: { [group: string]: Row[] } = {
  "a layer's initial values": [
    {
      name: 'right ones, at layers and blocks',
      project: projectWith([
        init({ kind: 'Residual', layers: [conv(1, { padding: 1 }), { kind: 'BatchNorm2d' }] }, 'orthogonal'),
        init({ kind: 'BatchNorm2d' }, { kind: 'constant', val: 0.5 }),
        flatten,
        init(linear(10), { kind: 'sparse', sparsity: 0.9, bias: 'zeros' }),
      ]),
      problems: [],
    },
    {
      name: 'unknown, misspelt, mistyped',
      project: projectWith([
        flatten,
        init(linear(30), { kind: 'kaiming_norml' }),
        init(linear(20), { kind: 'kaiming_normal', mode: 'fan', gain: 2, bias: { kind: 'normal' } }),
        init(linear(15), 'xavier'),
        init(linear(10), 7),
      ]),
      problems: [
        `UNKNOWN_KIND ${place(1)}.kind: There is no initialisation of kind "kaiming_norml"`,
        `(warning) UNKNOWN_KEY ${place(2)}.gain: The key "gain" is not known here and has no effect`,
        `BAD_VALUE ${place(2)}.mode: Expected one of "fan_in", "fan_out" for mode but received "fan"`,
        `UNKNOWN_KIND ${place(2)}.bias.kind: There is no initialisation of the bias of kind "normal"`,
        `UNKNOWN_KIND ${place(3)}.kind: There is no initialisation of kind "xavier"`,
        `BAD_VALUE ${place(4)}: Expected an object with a kind for initialisation but received 7`,
      ],
    },
    {
      name: 'values that cannot be drawn',
      project: projectWith([
        flatten,
        init(linear(30), { kind: 'uniform', a: 1, b: -1 }),
        init(linear(20), { kind: 'sparse' }),
        init(linear(10), { kind: 'trunc_normal', std: 0 }),
      ]),
      problems: [
        `BAD_VALUE ${place(1)}.a: a must lie below b, but 1 does not lie below -1`,
        `MISSING_VALUE ${place(2)}.sparsity: sparsity is missing: expected a number ≥ 0 and ≤ 1`,
        `BAD_VALUE ${place(3)}.std: Expected a number > 0 for std but received 0`,
      ],
    },
    {
      name: 'weights that the kind cannot fill',
      project: projectWith([
        init(conv(4), { kind: 'sparse', sparsity: 0.5 }),
        init({ kind: 'BatchNorm2d' }, 'kaiming_normal'),
        flatten,
        linear(10),
      ]),
      problems: [
        `BAD_VALUE ${place(0)}.kind: sparse fills weights of 2 dimensions, but that of Conv2d is [4,1,3,3]`,
        `BAD_VALUE ${place(1)}.kind: kaiming_normal fills weights of 2 or more dimensions, but that of BatchNorm2d is [4]`,
      ],
    },
    {
      name: 'without effect',
      project: projectWith([
        flatten,
        init(relu, 'zeros'),
        init({ ...linear(10), bias: false }, { kind: 'normal', bias: 'zeros' }),
      ]),
      problems: [
        `(warning) BAD_VALUE ${place(1)}: init has no effect here: ReLU has no weight of its own`,
        `(warning) BAD_VALUE ${place(2)}.bias: init has no effect here: Linear has no bias of its own`,
      ],
    },
  ],
};
