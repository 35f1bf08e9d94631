/** A deep network of all kinds of layers, for measuring how long its plan takes. */
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { type Dims, product } from '../../engine/contract/layers/kind.ts';
import { planProject } from '../../engine/contract/plan.ts';

type Layer = { kind: string; [key: string]: unknown };

/** From pictures to sequences, volumes and vectors: each part has the kinds that work on its shape. */
const parts: Layer[][] = [
  [],
  [{ kind: 'Flatten', start_dim: 2 }],
  [
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 512 },
    { kind: 'Unflatten', dim: 1, unflattened_size: [8, 4, 4, 4] },
  ],
  [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 64 }],
];
const start = [8, 12, 12];
const [least, most] = [24, 8192];

function answer(layer: Layer, dims: Dims): Dims | null {
  const facts = {
    input: { dims: [...dims], dtype: 'float32' as const },
    target: { kind: 'vector' as const, dims: [1] },
    parts: { train: 1 },
  };
  return planProject({ model: { layers: [layer] } }, facts).layers[0]?.output ?? null;
}

/** The text of a project of so many layers; `kinds`: how many kinds are in it. */
export function mixedProject(count: number): { text: string; kinds: number } {
  const examples = layerKinds.flatMap(({ kind, examples }) =>
    examples.map(({ params }): Layer => ({ kind, ...params })),
  );
  const layers: Layer[] = [];
  let dims: Dims = start;
  for (const [part, way] of parts.entries()) {
    for (const layer of way) {
      dims = answer(layer, dims) as Dims;
      layers.push(layer);
    }
    const until = Math.round(((part + 1) * (count - 2)) / parts.length);
    let tried = 0;
    for (let at = 0; layers.length < until && tried < examples.length; at++, tried++) {
      const layer = examples[(7 * at) % examples.length] as Layer;
      const output = answer(layer, dims);
      if (!output || output.length !== dims.length || product(output) < least || product(output) > most) continue;
      // A side of one or two lets few windows fit.
      if (output.slice(1).some((side) => side < 3)) continue;
      layers.push(layer);
      dims = output;
      tried = 0;
    }
  }
  layers.push({ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 });
  const source = { kind: 'random', shape: start, classes: 3, samples: 400 };
  const project = { gradloom: 1, name: 'mixed', data: { source }, model: { layers } };
  return { text: `${JSON.stringify(project, null, 2)}\n`, kinds: new Set(layers.map(({ kind }) => kind)).size };
}
