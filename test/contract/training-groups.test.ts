/** Parameter groups and frozen parameters: what layers and blocks say, what becomes of it, and what it costs. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { conv, digits, flatten, type JsonProject, linear, projectWith, relu } from './cases.ts';

const plan = (layers: Json[], training: JsonProject = {}, model: JsonProject = {}) => {
  const project = projectWith(layers, { training });
  const made = planProject({ ...project, model: { ...(project.model as object), ...model } }, digits);
  expect(made.problems).toEqual([]);
  return made;
};
const sgd = (more: JsonProject = {}) => ({ optimizer: { kind: 'SGD', lr: 0.1, weight_decay: 0.01, ...more } });
const own = (layer: JsonProject, train: JsonProject) => ({ ...layer, train });

describe('groups', () => {
  test('nothing said: one group of all parameters', () => {
    const { groups, frozen } = plan([flatten, linear(8), relu, linear(10)], sgd());
    expect(groups).toEqual([{ tensors: ['1.weight', '1.bias', '3.weight', '3.bias'], lr: 0.1, weight_decay: 0.01 }]);
    expect(frozen).toEqual([]);
  });

  test('equal settings share a group, and group 0 is the rest', () => {
    const { groups } = plan(
      [
        flatten,
        own(linear(8), { lr: 0.5 }),
        linear(7),
        own(linear(6), { weight_decay: 0, lr: 0.5 }),
        own(linear(10), { lr: 0.5 }),
      ],
      sgd(),
    );
    expect(groups).toEqual([
      { tensors: ['2.weight', '2.bias'], lr: 0.1, weight_decay: 0.01 },
      { tensors: ['1.weight', '1.bias', '4.weight', '4.bias'], lr: 0.5, weight_decay: 0.01 },
      { tensors: ['3.weight', '3.bias'], lr: 0.5, weight_decay: 0 },
    ]);
  });

  test('group 0 stays where every layer has its own settings', () => {
    const { groups } = plan([flatten, own(linear(10), { lr: 0.5 })], sgd());
    expect(groups.map(({ tensors, lr }) => [tensors.length, lr])).toEqual([
      [0, 0.1],
      [2, 0.5],
    ]);
  });

  test('norms and biases without decay, whatever their layer says', () => {
    const { groups } = plan([flatten, own(linear(8), { weight_decay: 0.2 }), { kind: 'LayerNorm' }, linear(10)], {
      ...sgd(),
      decay_norms_and_biases: false,
    });
    expect(groups).toEqual([
      { tensors: ['3.weight'], lr: 0.1, weight_decay: 0.01 },
      { tensors: ['1.weight'], lr: 0.1, weight_decay: 0.2 },
      { tensors: ['1.bias', '2.weight', '2.bias', '3.bias'], lr: 0.1, weight_decay: 0 },
    ]);
  });
});

describe('blocks hand their settings to the layers inside', () => {
  const inside = [conv(3, { padding: 1 }), own(conv(3, { padding: 1 }), { freeze: false, lr: 0.3 })];
  const rules = (layers: Json[], model: JsonProject = {}) => {
    const { groups, frozen } = plan(layers, sgd(), model);
    return { lr: Object.fromEntries(groups.flatMap(({ tensors, lr }) => tensors.map((name) => [name, lr]))), frozen };
  };

  test('unless these have their own', () => {
    const train = { freeze: true, lr: 0.2 };
    const { lr, frozen } = rules([{ kind: 'Repeat', times: 1, layers: inside, train }, flatten, linear(10)]);
    expect(frozen).toEqual(['0.0.0.weight', '0.0.0.bias']);
    expect(lr).toEqual({ '0.0.1.weight': 0.3, '0.0.1.bias': 0.3, '2.weight': 0.1, '2.bias': 0.1 });
  });

  test('through blocks in blocks and shortcuts', () => {
    const residual = {
      kind: 'Residual',
      layers: [{ kind: 'Repeat', times: 1, layers: [conv(2, { padding: 1 })] }],
      shortcut: 'auto',
    };
    const { lr } = rules([{ ...residual, train: { lr: 0.2 } }, flatten, linear(10)]);
    expect(Object.keys(lr).filter((name) => lr[name] === 0.2)).toEqual([
      '0.layers.0.0.0.weight',
      '0.layers.0.0.0.bias',
      '0.shortcut.0.weight',
    ]);
  });

  test('each use of a named block its own', () => {
    const use = (train: JsonProject) => ({ kind: 'Block', ref: 'b', train });
    const { lr, frozen } = rules([flatten, use({ freeze: true }), use({ lr: 0.4 }), linear(10)], {
      blocks: { b: { layers: [linear(5)] } },
    });
    expect(frozen).toEqual(['1.layers.0.weight', '1.layers.0.bias']);
    expect(lr).toMatchObject({ '2.layers.0.weight': 0.4, '3.weight': 0.1 });
  });
});

describe('what frozen layers save', () => {
  const n = 784;
  const layers = (freeze: boolean) => [flatten, own(linear(n), { freeze }), relu, linear(16), relu, linear(10)];

  test('they count among the parameters, not among those that train', () => {
    const made = plan(layers(true), sgd({ momentum: 0.9 }));
    const trained = 16 * (n + 1) + 10 * 17;
    expect(made).toMatchObject({ parameters: n * (n + 1) + trained, trainable: trained });
    expect(made.layers[1]).toMatchObject({ parameters: n * (n + 1), trainable: 0 });
    expect(made.memory).toMatchObject({
      weights: 4 * made.parameters,
      gradients: 4 * trained,
      optimizer: 4 * trained,
    });
  });

  test('before the first layer that trains nothing is kept for the backward pass but its input', () => {
    const kept = (freeze: boolean) => plan(layers(freeze)).layers.map((layer) => layer.activation_bytes / 4);
    expect(kept(false)).toEqual([0, 0, n, 0, 16, 0]);
    expect(kept(true)).toEqual([0, 0, 0, n, 16, 0]);
  });
});
