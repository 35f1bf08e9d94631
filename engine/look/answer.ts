/** What a session saw of each layer, told in the network's order and by the project's own names. */
import {
  inputPath,
  type LookedLayer,
  type LookForm,
  type LookOptions,
  type LookStatistics,
  thinning,
} from '../contract/look.ts';
import type { LookResult, NativeLayer, ValueStatistics } from '../contract/native.ts';
import type { Plan, PlannedLayer } from '../contract/plan.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { formsOf } from './forms.ts';

/** A layer of the plan: `from` is the path of the native layer that makes its output. */
interface LayerPlace {
  from: string;
  dims: readonly number[];
}

/** By path, a block before what is in it; first the input. */
export function placesOf({ network, layers, input }: Plan): Map<string, LayerPlace> {
  const native = new Set<string>();
  const collect = (list: readonly NativeLayer[]) => {
    for (const { path, children } of list) {
      native.add(path);
      for (const child of children ?? []) collect(child.layers);
    }
  };
  collect(network);
  const places = new Map<string, LayerPlace>([[inputPath, { from: inputPath, dims: input }]]);
  // A named block is no layer of its own to C++: what leaves it is what leaves its last layer.
  const maker = ({ path, children }: PlannedLayer): string | null => {
    if (native.has(path)) return path;
    const last = children?.at(-1)?.layers.at(-1);
    return last ? maker(last) : null;
  };
  const walk = (list: readonly PlannedLayer[]) => {
    for (const layer of list) {
      const from = maker(layer);
      if (from !== null) places.set(layer.path, { from, dims: layer.output });
      for (const child of layer.children ?? []) walk(child.layers);
    }
  };
  walk(layers);
  return places;
}

export function lookedLayers(
  plan: Plan,
  facts: DataFacts,
  seen: LookResult,
  places: ReturnType<typeof placesOf>,
  { layers: wanted, most }: LookOptions,
): LookedLayer[] {
  const forms = formsOf(plan.layers, plan.input, facts.input.dtype);
  const planned = new Map<string, PlannedLayer>();
  const walk = (list: readonly PlannedLayer[]) => {
    for (const layer of list) {
      planned.set(layer.path, layer);
      for (const child of layer.children ?? []) walk(child.layers);
    }
  };
  walk(plan.layers);
  const outputs = new Map(seen.layers.map((layer) => [layer.path, layer]));
  return [...places].flatMap(([path, { from, dims }]): LookedLayer[] => {
    const output = outputs.get(from);
    if (!output) return [];
    const form = path === inputPath ? forms.input : (forms.of.get(path) as LookForm);
    const layer = planned.get(path);
    const steps = thinning(dims, most);
    return [
      {
        path,
        kind: layer?.kind ?? 'Input',
        ...(layer?.name === undefined ? {} : { name: layer.name }),
        shape: output.shape,
        form,
        statistics: statisticsOf(output.statistics, output.shape, form),
        ...(output.values && wanted.includes(path)
          ? {
              values: {
                steps,
                shape: dims.map((size, dim) => Math.ceil(size / (steps[dim] as number))),
                data: base64(output.values),
              },
            }
          : {}),
      },
    ];
  });
}

function statisticsOf({ zero_slices, ...rest }: ValueStatistics, shape: number[], form: LookForm): LookStatistics {
  const dim = form === 'positions' ? 1 : 0;
  return { ...rest, units: shape[dim] ?? 1, dead: zero_slices[dim] ?? rest.zeros };
}

function base64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
