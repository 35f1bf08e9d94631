/** Refuses a look at a network that the memory cannot hold, before it is tried for long and fails, or takes what others need. */
import os from 'node:os';
import { GradloomError } from '../contract/errors.ts';
import { bytes } from '../contract/format.ts';
import { product } from '../contract/layers/kind.ts';
import type { Addon } from '../contract/native.ts';
import type { PlannedLayer, PlannedTensor } from '../contract/plan-types.ts';
import { elementBytes } from '../contract/tensors.ts';

interface Looked {
  layers: readonly PlannedLayer[];
  tensors: readonly PlannedTensor[];
}

/** null: the device does not tell. */
export function freeOn(device: string, addon: Pick<Addon, 'devices'>): number | null {
  if (device === 'cpu') return os.freemem();
  return addon.devices().find(({ name }) => name === device)?.memory_free ?? null;
}

/** What a look takes at the least: all weights, and the largest of the values that one sample leaves behind a layer. */
export function leastMemory({ layers, tensors }: Looked): { weights: number; values: number } {
  return {
    weights: tensors.reduce((sum, { shape, dtype }) => sum + elementBytes[dtype] * product(shape), 0),
    values: Math.max(0, ...all(layers).map(({ output }) => elementBytes.float32 * product(output))),
  };
}

/** @throws GradloomError OUT_OF_MEMORY */
export function refuseTooLarge(looked: Looked, free: number | null): void {
  const { weights, values } = leastMemory(looked);
  if (free === null || weights + values <= free) return;
  const size = (layer: PlannedLayer) =>
    weights >= values ? layer.parameters : layer.children ? 0 : product(layer.output);
  const largest = all(looked.layers)
    .filter(({ children }) => !children)
    .reduce<PlannedLayer | null>((most, layer) => (most && size(most) >= size(layer) ? most : layer), null);
  throw new GradloomError(
    'OUT_OF_MEMORY',
    `The network's weights take ${bytes(weights)} and one sample's values behind a layer up to ${bytes(values)}, but ${bytes(free)} of memory are free`,
    {
      hint: largest
        ? `Make the network smaller: ${largest.kind} at ${largest.place} takes the most.`
        : 'Make the network smaller.',
      path: largest?.place ?? 'model.layers',
    },
  );
}

function all(layers: readonly PlannedLayer[]): PlannedLayer[] {
  return layers.flatMap((layer) => [layer, ...(layer.children ?? []).flatMap((child) => all(child.layers))]);
}
