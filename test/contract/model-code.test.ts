/** The network as Python: as people write it, complete, and each line known as its layer's. */
import { describe, expect, test } from 'vitest';
import { codeText, definitionCode, formatPython, modelCode } from '../../engine/contract/model-code.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { conv, digits, flatten, linear, projectWith, relu } from './cases.ts';

const codeOf = (layers: Parameters<typeof projectWith>[0], more = {}) =>
  modelCode(planProject(projectWith(layers, more), digits));

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

describe('the whole network', () => {
  test('a line a layer, with its name behind it', () => {
    expect(codeText(codeOf([flatten, { ...linear(10), name: 'The\nanswer' }]))).toBe(`import torch
from torch import nn


# N×1×28×28 → N×10
model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(784, 10),  # The answer
)
`);
    expect(codeText(modelCode({ layers: [], input: [], output: [] }))).toContain('model = nn.Sequential()\n');
  });

  test('what a class imports stands before it, and only then', () => {
    const sequence = [
      { kind: 'Flatten', start_dim: 1, end_dim: 2 },
      { kind: 'SinusoidalEncoding' },
      flatten,
      linear(10),
    ];
    const text = codeText(codeOf(sequence));
    expect(text.indexOf('import math\n')).toBeGreaterThan(-1);
    expect(text.indexOf('import math\n')).toBeLessThan(text.indexOf('math.'));
    expect(codeText(codeOf([flatten, linear(10)]))).not.toContain('math');
  });

  test('classes that PyTorch does not have stand before it, once, and only those that are named', () => {
    const residual = { kind: 'Residual', layers: [relu] };
    const text = codeText(codeOf([flatten, { kind: 'Repeat', times: 2, layers: [residual] }, residual, linear(10)]));
    expect(text.match(/^class (\w+)/gm)).toEqual(['class Residual']);
    expect(definitionCode('ReLU')).toBeNull();
    // The usual encoder layer is torch.nn's own.
    const encoder = { kind: 'TransformerEncoderLayer', nhead: 4, dim_feedforward: 8 };
    const plain = codeText(codeOf([{ kind: 'Flatten', start_dim: 1, end_dim: 2 }, encoder, flatten, linear(10)]));
    expect(plain).not.toContain('class ');
    const causal = codeText(
      codeOf([{ kind: 'Flatten', start_dim: 1, end_dim: 2 }, { ...encoder, causal: true }, flatten, linear(10)]),
    );
    expect(causal).toMatch(/^masks = \{\}/m);
    expect(causal).toMatch(/^def unseen[\s\S]*^class MaskedTransformerEncoderLayer/m);
  });

  test('copies that are built alike are a loop; those that are not, and short ones, are written out', () => {
    const body = [conv(16, { padding: 1 }), { kind: 'BatchNorm2d' }, relu];
    const text = (layers: Parameters<typeof codeOf>[0], times = 3) =>
      codeText(codeOf([conv(16), { kind: 'Repeat', times, layers }, flatten, linear(10)]));
    expect(text(body)).toContain(`
    nn.Sequential(
        *[
            nn.Sequential(
                nn.Conv2d(16, 16, kernel_size=3, padding=1),
                nn.BatchNorm2d(16),
                nn.ReLU(),
            )
            for _ in range(3)
        ]
    ),
`);
    expect(text([conv(8, { padding: 1 }), relu])).not.toContain('range');
    expect(text([relu], 2)).toContain('nn.Sequential(nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU())');
  });

  test('each line is of the innermost layer, and a layer’s lines are those of all that it holds', () => {
    const inner = [conv(4, { padding: 1 }), { kind: 'BatchNorm2d' }, relu, conv(1, { padding: 1 })];
    const { lines, spans } = codeOf(
      [
        { kind: 'Residual', layers: inner },
        { kind: 'Block', ref: 'end' },
      ],
      {
        model: {
          layers: [
            { kind: 'Residual', layers: inner },
            { kind: 'Block', ref: 'end' },
          ],
          blocks: { end: { layers: [flatten, linear(10)] } },
        },
      },
    );
    const at = (place: string) =>
      (spans.get(place) ?? []).map(([first, last]) => lines.slice(first, last + 1).map(({ text }) => text.trim()));
    expect(at('model.layers.0')[0]?.[0]).toBe('Residual(');
    expect(at('model.layers.0')[0]?.at(-1)).toBe('),');
    expect(at('model.layers.0.layers.2')).toEqual([['nn.ReLU(),']]);
    // A short block stands on one line: it is the line of all its layers.
    expect(at('model.layers.1')).toEqual([['Block(nn.Sequential(nn.Flatten(), nn.Linear(784, 10))),']]);
    expect(at('model.blocks.end.layers.1')).toEqual(at('model.layers.1'));
    for (const { text, place } of lines) {
      if (text.trim().startsWith('nn.BatchNorm2d')) expect(place).toBe('model.layers.0.layers.1');
      if (text === 'model = nn.Sequential(') expect(place).toBeNull();
    }
  });
});
