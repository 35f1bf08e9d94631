/** How large the network is, in a line: what is known of it, and up to where. Pure. */
import type { Plan } from '../../engine/contract/plan-types.ts';
import { isObject } from '../../engine/contract/report.ts';
import { allLayers } from '../state/stack.ts';
import type { StackView } from '../state/stack-rows.ts';
import { count, flops, plural } from '../ui/index.ts';

/** A layer that cannot be planned costs nobody knows what, and so does everything behind it: that is never told as 0. */
export function sizeWords({ rows }: Pick<StackView, 'rows'>, plan: Plan): string {
  // Folded or not, a network has as many.
  const layers = plural(allLayers(plan.project).length, 'layer');
  const network = rows.slice(
    0,
    rows.findIndex((row) => row.type === 'output'),
  );
  const known = network.every((row) => row.type !== 'layer' || row.dimmed || row.costs !== null);
  const last = plan.layers.at(-1);
  if (!known && !last) return `${layers} · — parameters`;
  const size = `${count(plan.parameters)} parameters · ${flops(plan.flops)}`;
  return known || !last ? `${layers} · ${size}` : `${layers} · up to layer ${last.path}: ${size}, not known beyond`;
}

/** What has to be right before the network's numbers are known; null: they are. */
export function unknownUntil({ input, output, layers, project }: Plan): string | null {
  if (output.length > 0) return null;
  if (input.length === 0) return 'until the data can be read';
  // Layers are numbered as they run: behind those that could be planned stands the one that could not.
  const enabled = project.model.layers.filter((layer) => !isObject(layer) || layer.disabled !== true);
  return enabled.length === 0 ? 'until there is a layer' : `until layer ${layers.length} fits`;
}
