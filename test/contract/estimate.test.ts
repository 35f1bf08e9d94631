/** The memory estimate: its parts, its highest moment, the layers' shares, and what settings make of them; corrections by what was measured. */
import { describe, expect, test } from 'vitest';
import {
  correctionOf,
  type MemoryCorrection,
  type MemoryObservation,
  percentOff,
} from '../../engine/contract/estimate-correction.ts';
import { memoryPhases } from '../../engine/contract/estimate-types.ts';
import { type PlannedLayer, planProject } from '../../engine/contract/plan.ts';

const linear = (out_features: number, more: object = {}) => ({ kind: 'Linear', out_features, ...more });
const relu = { kind: 'ReLU' };
const conv = (out_channels: number) => ({ kind: 'Conv2d', out_channels, kernel_size: 3, padding: 1 });

function memoryOf(
  layers: unknown[],
  {
    shape = [64],
    batch = 8,
    loader = {},
    training = {},
    tokens,
  }: { shape?: number[]; batch?: number; loader?: object; training?: object; tokens?: number } = {},
) {
  const plan = planProject(
    {
      gradloom: 1,
      data: {
        source: { kind: 'random', shape, classes: 10, samples: 64, ...(tokens ? { tokens } : {}) },
        split: { val: 0 },
        loader: { batch_size: batch, num_workers: 0, ...loader },
      },
      model: { layers },
      training: { optimizer: { kind: 'SGD' }, device: 'cpu', ...training },
    },
    null,
  );
  return { ...plan.memory, layers: plan.layers };
}

const mlp = [linear(32), relu, linear(10)];
const parameters = 4 * (64 * 32 + 32 + 32 * 10 + 10);

describe('parts and their moment', () => {
  test('of a small network, byte by byte', () => {
    const memory = memoryOf(mlp);
    const [hidden, answer] = [8 * 4 * 32, 8 * 4 * 10];
    expect(memory).toMatchObject({
      weights: parameters,
      gradients: parameters,
      optimizer: 0,
      // The ReLU's output, which lies where its input lay; the logarithms that the loss keeps.
      activations: hidden + answer,
      input: 8 * (4 * 64 + 8),
    });
    // At the first Linear's end all gradients are there, that of the hidden values, and the answer.
    expect(memory.peak).toMatchObject({
      phase: 'backward',
      path: '0',
      parts: { gradients: parameters, activations: 0, workspace: 2 * 5056 + 64 + hidden + answer },
    });
  });

  test('the highest of all phases is the total, and the sum of what is there then', () => {
    for (const optimizer of ['SGD', 'Adam', 'NAdam', 'Adafactor', 'Muon']) {
      const memory = memoryOf([conv(8), relu, { kind: 'MaxPool2d', kernel_size: 2 }, { kind: 'Flatten' }, linear(10)], {
        shape: [3, 8, 8],
        training: { optimizer: { kind: optimizer } },
      });
      const { parts, phase } = memory.peak;
      expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(memory.total);
      expect(Math.max(...memoryPhases.map((each) => memory.phases[each]))).toBe(memory.total);
      expect(memory.phases[phase]).toBe(memory.total);
    }
  });

  test('an optimizer that needs room of its own has its highest moment at the update', () => {
    const wide = [linear(2000), relu, linear(10)];
    expect(memoryOf(wide, { training: { optimizer: { kind: 'Adam' } } }).peak.phase).toBe('backward');
    expect(memoryOf(wide, { training: { optimizer: { kind: 'NAdam' } } }).peak).toMatchObject({
      phase: 'update',
      path: null,
    });
  });

  test('each layer has its share, blocks that of their layers', () => {
    const { layers, weights, gradients, optimizer } = memoryOf(
      [linear(32), { kind: 'Residual', layers: [linear(32), relu] }, linear(10)],
      { training: { optimizer: { kind: 'Adam' } } },
    );
    const sum = (of: (layer: PlannedLayer) => number) => layers.reduce((total, layer) => total + of(layer), 0);
    expect(sum(({ memory }) => memory.weights)).toBe(weights);
    expect(sum(({ memory }) => memory.gradients)).toBe(gradients);
    expect(sum(({ memory }) => memory.optimizer)).toBe(optimizer);
    const [inside] = layers[1]?.children?.[0]?.layers ?? [];
    expect(layers[1]?.memory.weights).toBe(inside?.memory.weights);
    expect(layers[1]?.memory.workspace).toBeGreaterThan(0);
  });

  test('a network of nothing, or that does not fit together, has an estimate all the same', () => {
    const empty = memoryOf([]);
    expect(empty.total).toBe(empty.input);
    expect(memoryOf([conv(3), linear(4)]).weights).toBeGreaterThanOrEqual(0);
    expect(memoryOf([{ kind: 'Residual', layers: [linear(3)] }, linear(4)]).total).toBeGreaterThanOrEqual(0);
  });
});

describe('settings', () => {
  test('the batch, and those that wait', () => {
    const one = memoryOf(mlp).input;
    expect(memoryOf(mlp, { batch: 16 }).input).toBe(2 * one);
    expect(memoryOf(mlp, { loader: { num_workers: 2, prefetch_factor: 3 } }).input).toBe(7 * one);
    // Elsewhere they wait in the computer's memory.
    expect(memoryOf(mlp, { loader: { num_workers: 2 }, training: { device: 'cuda:0' } }).input).toBe(one);
  });

  test('frozen layers keep nothing and have no gradients', () => {
    const frozen = memoryOf([linear(32, { train: { freeze: true } }), relu, linear(10)]);
    expect(frozen.gradients).toBe(4 * (32 * 10 + 10));
    expect(frozen.total).toBeLessThan(memoryOf(mlp).total);
  });

  test('several batches a step take a second set of gradients', () => {
    const twice = memoryOf(mlp, { training: { accumulate: 2 } });
    expect(twice.gradients).toBe(2 * parameters);
    expect(twice.total).toBe(memoryOf(mlp).total + parameters);
  });

  test('checkpointing keeps what lies between the segments, and one of them', () => {
    const deep = [...Array<object[]>(9).fill([linear(64), { kind: 'GELU' }]), linear(10)].flat();
    const [plain, checkpointed] = [false, true].map((activation_checkpointing) =>
      memoryOf(deep, { batch: 64, training: { activation_checkpointing } }),
    );
    expect(checkpointed?.activations).toBeLessThan(0.6 * (plain?.activations ?? 0));
    expect(checkpointed?.total).toBeLessThan(plain?.total ?? 0);
  });

  test('half as many bytes a value between the layers', () => {
    const wide = { batch: 64, training: { device: 'cuda:0' } };
    const full = memoryOf(mlp, wide);
    const half = memoryOf(mlp, { ...wide, training: { ...wide.training, precision: 'bf16' } });
    expect(half.weights).toBe(parameters);
    // Copies of the parameters and of the batch in half precision; the loss goes on in fp32.
    expect(half.activations).toBe((parameters + 64 * 4 * (64 + 32)) / 2 + 2 * 64 * 4 * 10);
    expect(half.peak.parts.workspace).toBeLessThan(full.peak.parts.workspace);
  });

  test('averages are a second set of weights', () => {
    expect(memoryOf(mlp, { training: { ema: {} } }).weights).toBe(2 * parameters);
  });

  test('max pooling of few channels brings image, gradient and places into one order where a flat list follows', () => {
    const room = (behind: object[], batch: number) =>
      memoryOf([conv(4), { kind: 'Tanh' }, { kind: 'MaxPool2d', kernel_size: 2 }, ...behind, linear(10)], {
        shape: [3, 16, 16],
        batch,
      }).layers[2]?.memory.workspace ?? 0;
    const one = (behind: object[]) => (room(behind, 16) - room(behind, 8)) / 8;
    const [image, places] = [4 * 4 * 16 * 16, 8 * 4 * 8 * 8];
    expect(one([{ kind: 'Flatten' }]) - one([conv(8), { kind: 'GlobalAvgPool' }])).toBe(image + places);
  });

  test('on the CPU a convolution and the pooling behind it are one: its output is never whole', () => {
    const layers = [conv(16), relu, { kind: 'MaxPool2d', kernel_size: 2 }, { kind: 'Flatten' }, linear(10)];
    const given = { shape: [3, 64, 64], batch: 64 };
    const cpu = memoryOf(layers, given);
    const other = memoryOf(layers, { ...given, training: { device: 'cuda:0' } });
    expect(cpu.total).toBeLessThan(0.6 * other.total);
  });
});

test('without a sample to train with there are numbers all the same', () => {
  const { memory, problems } = planProject(
    {
      data: { source: { kind: 'random', shape: [64], classes: 10, samples: 1 }, split: { val: 0.9 } },
      model: { layers: mlp },
    },
    null,
  );
  expect(problems.map(({ code }) => code)).toContain('EMPTY_SPLIT');
  const { phases, peak, ...totals } = memory;
  const all = [...Object.values(totals), ...Object.values(phases), ...Object.values(peak.parts)];
  expect(all.every(Number.isFinite)).toBe(true);
  expect(phases.backward).toBeGreaterThan(0);
});

describe('recurrent layers of sequences with padding', () => {
  const [length, features, hidden, batch] = [12, 16, 24, 32];
  const masked = (kind: string, tokens: number) => [
    { kind: 'Embedding', num_embeddings: tokens, embedding_dim: features, padding_idx: 0, mask_padding: true },
    { kind, hidden_size: hidden, output: 'last' },
    linear(10),
  ];
  const of = (kind: string, tokens: number, samples = batch) =>
    memoryOf(masked(kind, tokens), { shape: [length], batch: samples, tokens });
  const value = 4 * batch * length;

  test.each([
    ['RNN', 1],
    ['GRU', 7],
    ['LSTM', 7],
  ])('%s keeps the packed input and %d states a position', (kind, states) => {
    expect(of(kind, 20).layers[1]?.memory.activations).toBe(value * (features + states * hidden));
  });

  test('where a batch is rarely equally long an LSTM goes cell by cell, else oneDNN takes it with a workspace of its own', () => {
    const kept = (samples: number, tokens: number) =>
      (of('LSTM', tokens, samples).layers[1]?.memory.activations ?? 0) / samples / 4 / length / hidden;
    expect(kept(batch, 20)).toBeLessThan(8);
    expect(kept(batch, 5000)).toBeGreaterThan(15);
    expect(kept(1, 20)).toBeGreaterThan(15);
  });

  test('the gradient of each position is as large as all', () => {
    const [few, many] = [of('GRU', 20, 8), of('GRU', 20, 16)].map(({ peak }) => peak.parts.workspace);
    const gates = 4 * 8 * length * 3 * hidden;
    expect((many ?? 0) - (few ?? 0)).toBeGreaterThan(1.5 * gates);
    expect((many ?? 0) - (few ?? 0)).toBeLessThan(2.5 * gates);
  });
});

test('attention that is causal and knows of padding keeps a number for each two positions', () => {
  const kept = (mask_padding: boolean, length: number, causal: boolean) =>
    memoryOf(
      [
        {
          kind: 'Embedding',
          num_embeddings: 50,
          embedding_dim: 16,
          ...(mask_padding ? { padding_idx: 0, mask_padding } : {}),
        },
        { kind: 'MultiheadAttention', num_heads: 2, causal },
        { kind: 'MeanOverSequence' },
        linear(10),
      ],
      { shape: [length], tokens: 50 },
    ).layers[1]?.memory.activations ?? 0;
  expect(kept(true, 24, true) - kept(true, 24, false)).toBe(8 * 4 * 24 * 24);
  expect(kept(false, 24, true)).toBe(kept(false, 24, false));
});

test('under a large kernel each channel of a depthwise convolution has a weight gradient of whole blocks', () => {
  const backward = (kernel_size: number) =>
    memoryOf([conv(32), { kind: 'Tanh' }, { ...conv(32), groups: 32, kernel_size, padding: (kernel_size - 1) / 2 }], {
      shape: [3, 8, 8],
      batch: 2,
    }).layers[2]?.memory.workspace ?? 0;
  expect(backward(5) - backward(3)).toBeGreaterThan(0.9 * 4 * 32 * 25 * 16 * 16);
});

describe('transposed convolutions of images on the CPU', () => {
  const room = (out_channels: number, more: object = {}, batch = 4) => {
    const layers = [conv(16), { kind: 'Tanh' }, { kind: 'ConvTranspose2d', out_channels, ...more }];
    const full = [...layers, { kind: 'GlobalAvgPool' }, linear(10)];
    const { layers: planned, phases } = memoryOf(full, { shape: [3, 8, 8], batch });
    return { ...planned[2]?.memory, phases };
  };

  test('the forward pass is what goes back in a convolution: with a stride it takes as much besides', () => {
    const rows = [0, 1].map((output_padding) => room(8, { kernel_size: 3, stride: 2, padding: 1, output_padding }));
    const [uneven, whole] = rows.map(({ phases }) => phases.forward);
    const plain = room(8, { kernel_size: 3, padding: 1 }).phases.forward;
    expect(whole).toBeGreaterThan(plain + 40_000);
    expect(uneven).toBeGreaterThan((whole ?? 0) + 10_000);
  });

  test('in groups with a stride the output is made twice', () => {
    const once = 4 * 16 * 16 * 16;
    const kernel = { kernel_size: 2, stride: 2, groups: 4 };
    const [few, many] = [8, 16].map((batch) => room(16, kernel, batch).phases.forward);
    const input = 4 * 16 * 8 * 8 + 4 * 3 * 8 * 8 + 8;
    expect(((many ?? 0) - (few ?? 0)) / 8).toBe(2 * once + input);
  });
});

describe('corrections by what was measured', () => {
  const seen = (network: string, ratio: number, more: Partial<MemoryObservation> = {}): MemoryObservation => ({
    device: 'cpu',
    network,
    batch_size: 64,
    estimated: 1000,
    measured: 1000 * ratio,
    ...more,
  });

  const asked = (network: string, estimated = 1000, batch_size = 32) => ({
    device: 'cpu',
    network,
    batch_size,
    estimated,
  });

  test('none without a measurement on the device', () => {
    expect(correctionOf([], asked('a'))).toBeNull();
    expect(correctionOf([seen('a', 1.1)], { ...asked('a'), device: 'cuda:0' })).toBeNull();
  });

  test('the middle of all networks, and how far they lie from it', () => {
    const known = [seen('a', 1.0), seen('b', 1.1), seen('c', 1.2)];
    expect(correctionOf(known, asked('other'))).toMatchObject({ networks: 3, same: false, factor: 1.1 });
    const wider = [seen('a', 0.7), seen('b', 1.1), seen('c', 1.6)];
    const residuals = [known, wider].map((seen) => correctionOf(seen, asked('other'))?.residual ?? 0);
    expect(residuals[0]).toBeGreaterThan(0.1 / 1.1);
    expect(residuals[1]).toBeGreaterThan(0.3);
  });

  test('one or two other networks make nobody sure, however well they agree; many do', () => {
    const residual = (count: number) =>
      correctionOf(
        Array.from({ length: count }, (_, index) => seen(`n${index}`, 1)),
        asked('other'),
      )?.residual ?? 0;
    expect(residual(1)).toBeGreaterThanOrEqual(0.1);
    expect(residual(2)).toBeGreaterThanOrEqual(0.1);
    expect(residual(20)).toBeLessThan(0.05);
  });

  test('what a tiny network takes besides says little of a large one, and that is told', () => {
    const tiny = [seen('a', 1.5), seen('b', 1.5), seen('c', 1.5)];
    const alike = correctionOf(tiny, asked('other', 2000));
    const large = correctionOf(tiny, asked('other', 1_000_000));
    expect(alike).toMatchObject({ factor: 1.5 });
    expect(large?.factor).toBeLessThan(1.01);
    expect(large?.residual).toBeGreaterThan(0.3);
  });

  test('its own measurement is not beyond doubt', () => {
    expect(correctionOf([seen('a', 1)], asked('a'))?.residual).toBe(0.03);
  });

  test.each([
    [0.07, 7],
    [0.0701, 8],
    [0, 1],
  ])('a residual of %d is told as %d %%', (residual, percent) => {
    expect(percentOff({ residual } as MemoryCorrection)).toBe(percent);
  });

  test('a network that was measured itself goes by that', () => {
    const known = [seen('a', 1.0), seen('b', 1.5), seen('a', 1.2)];
    expect(correctionOf(known, asked('a'))).toMatchObject({ networks: 1, same: true, factor: 1.2 });
    // Of another batch size it is as sure as the estimate was good; of the one that was measured it knows.
    const own = [seen('a', 0.4)];
    expect(correctionOf(own, asked('a'))?.residual).toBeCloseTo(0.6);
    expect(correctionOf(own, asked('a', 1000, 64))).toMatchObject({ factor: 0.4, residual: 0.03 });
    expect(correctionOf([seen('a', 0.4, { carried: true })], asked('a', 1000, 64))?.residual).toBeCloseTo(0.6);
  });
});
