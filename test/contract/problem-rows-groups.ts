/** Faults in what layers say of their own training. */
import { conv, flatten, type JsonProject, linear, projectWith, relu } from './cases.ts';
import type { Row } from './problem-rows.ts';

const train = (settings: JsonProject) => ({ train: settings });

export const groupRows: { [group: string]: Row[] } = {
  "a layer's own training": [
    {
      name: 'mistyped and misspelt',
      project: projectWith([flatten, { ...linear(10), train: { freeze: 'yes', lr: -1, weight_deca: 0.1 } }]),
      problems: [
        '(warning) UNKNOWN_KEY model.layers.1.train.weight_deca: The key "weight_deca" is not known here and has no effect',
        'BAD_VALUE model.layers.1.train.freeze: Expected true or false for freeze but received "yes"',
        'BAD_VALUE model.layers.1.train.lr: Expected a number ≥ 0, or null for that of the optimizer for lr but received -1',
      ],
    },
    {
      name: 'no object',
      project: projectWith([flatten, { ...linear(10), train: true }]),
      problems: ['BAD_VALUE model.layers.1.train: Expected an object for train but received true'],
    },
    {
      name: 'everything frozen',
      project: projectWith([
        flatten,
        { ...linear(16), ...train({ freeze: true }) },
        relu,
        { ...linear(10), ...train({ freeze: true, lr: null }) },
      ]),
      problems: ['EMPTY_MODEL model.layers: Every layer with weights is frozen: there is nothing to learn'],
    },
    {
      name: 'everything frozen by a block',
      project: projectWith([
        { kind: 'Repeat', times: 2, layers: [conv(4)], ...train({ freeze: true }) },
        {
          kind: 'Residual',
          layers: [flatten, linear(10)],
          shortcut: [flatten, linear(10)],
          ...train({ freeze: true }),
        },
      ]),
      problems: ['EMPTY_MODEL model.layers: Every layer with weights is frozen: there is nothing to learn'],
    },
    {
      name: 'settings without effect',
      project: projectWith(
        [
          { ...flatten, ...train({ lr: 0.1 }) },
          { ...linear(16), ...train({ freeze: true, lr: 0.1, weight_decay: 0 }) },
          { ...relu, ...train({ freeze: true }) },
          { ...linear(10), ...train({ freeze: false, lr: null, weight_decay: null }) },
        ],
        { training: { optimizer: { kind: 'Adam' } } },
      ),
      problems: [
        '(warning) BAD_VALUE model.layers.0.train.lr: lr has no effect here: the layer has no weights',
        '(warning) BAD_VALUE model.layers.1.train.lr: lr has no effect here: its weights are frozen',
        '(warning) BAD_VALUE model.layers.1.train.weight_decay: weight_decay has no effect here: its weights are frozen',
        '(warning) BAD_VALUE model.layers.2.train.freeze: freeze has no effect here: the layer has no weights',
      ],
    },
  ],
};
