/** Projects for the tests of the Build page, as text with a spelling of its own that edits must leave alone. */
import fc from 'fast-check';
import { readProject } from '../../../engine/contract/project.ts';
import { isObject } from '../../../engine/contract/report.ts';

/** Odd spacing, exponents, a key order of its own: what an edit elsewhere would lose if it wrote the file anew. */
export const nestedText = `{
  "gradloom": 1,   "name": "nested",
  "data": { "source": { "kind": "random", "shape": [3, 8, 8], "classes": 4, "samples": 1e2 } },
  "model": {
    "layers": [
      {"kind":"Conv2d","out_channels":8,"kernel_size":3,"padding":1},
      { "kind": "Residual",
        "layers": [ { "kind": "Conv2d", "out_channels": 8, "kernel_size": 3, "padding": 1 }, {"kind": "ReLU"} ],
        "shortcut": [ { "kind": "Identity" } ] },
      { "kind": "Parallel", "branches": [
          [ { "kind": "Conv2d", "out_channels": 4, "kernel_size": 1 } ],
          [] ] },
      { "kind": "Repeat", "times": 2, "layers": [ { "kind": "Block", "ref": "unit" } ] },
      { "kind": "Block", "ref": "unit" },
      { "kind": "Flatten" },
      { "kind": "Dropout", "p": 5e-1, "note": "kept" },
      { "kind": "Linear", "out_features": 4 }
    ],
    "blocks": { "unit": { "layers": [ { "kind": "Conv2d", "out_channels": 12, "kernel_size": 3, "padding": 1 } ] },
                "spare": { "layers": [ { "kind": "Tanh" } ] } }
  },
  "training": { "epochs": 2 }
}
`;

export function projectOf(text: string): unknown {
  return readProject(text).project;
}

export function textWith(layers: unknown[], blocks?: unknown): string {
  return `${JSON.stringify(
    {
      gradloom: 1,
      name: 'made',
      data: { source: { kind: 'random', shape: [3, 8, 8], classes: 4, samples: 100 } },
      model: { layers, ...(isObject(blocks) ? { blocks } : {}) },
    },
    null,
    2,
  )}\n`;
}

/** Layers that may hold layers. */
export const anyLayer = fc.letrec<{ layer: unknown; list: unknown[] }>((tie) => ({
  list: fc.array(tie('layer'), { maxLength: 3 }),
  layer: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom({ kind: 'ReLU' }, { kind: 'Conv2d', out_channels: 4, kernel_size: 1 }, { kind: 'Flatten' }),
    fc.record({ kind: fc.constant('Repeat'), times: fc.constant(2), layers: tie('list') }),
    fc.record(
      { kind: fc.constant('Residual'), layers: tie('list'), shortcut: tie('list') },
      { requiredKeys: ['kind', 'layers'] },
    ),
    fc.record({ kind: fc.constant('Parallel'), branches: fc.array(tie('list'), { minLength: 1, maxLength: 2 }) }),
  ),
}));
