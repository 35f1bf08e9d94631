/**
 * Activation checkpointing: where the network is cut into segments. Only what goes from one segment to the next is kept; what lies inside is
 * computed again in the backward pass, except in the last segment, whose backward pass begins at once (as
 * torch.utils.checkpoint.checkpoint_sequential does it). The rule: the layers in order, blocks of one list and repetitions opened, make units
 * of a layer with weights (or a block) and those without that follow it; n units make about √n segments of equally many units.
 */
import type { PlannedLayer } from './plan-types.ts';

/** Kinds that only run their lists one after the other. */
const sequences = ['Block', 'Repeat'];

function inOrder(layers: readonly PlannedLayer[]): PlannedLayer[] {
  return layers.flatMap((layer) =>
    sequences.includes(layer.kind) ? inOrder((layer.children ?? []).flatMap((child) => child.layers)) : [layer],
  );
}

/** The layers of each segment. */
function segmentsOf(layers: readonly PlannedLayer[]): PlannedLayer[][] {
  const units: PlannedLayer[][] = [];
  let learning = false; // layers without weights at the very beginning go with the first that has some
  for (const layer of inOrder(layers)) {
    const begins = layer.parameters > 0 || layer.children !== undefined;
    if (units.length === 0 || (begins && learning)) units.push([layer]);
    else units.at(-1)?.push(layer);
    learning ||= begins;
  }
  const count = Math.ceil(Math.sqrt(units.length));
  const cut = (segment: number) => Math.round((segment * units.length) / count);
  return Array.from({ length: count }, (_, segment) => units.slice(cut(segment), cut(segment + 1)).flat());
}

/** Paths of the layers at which the segments begin; none where there is only one segment, and so nothing to compute again. */
export function segmentStarts(layers: readonly PlannedLayer[]): string[] {
  const segments = segmentsOf(layers);
  return segments.length < 2 ? [] : segments.map(([first]) => (first as PlannedLayer).path);
}
