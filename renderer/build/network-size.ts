/** How large the network is, in a line: what is known of it, and up to where. Pure. */
import type { Plan } from '../../engine/contract/plan-types.ts';
import { countInside } from '../state/stack-inside.ts';
import type { StackView } from '../state/stack-rows.ts';
import { count, flops, plural } from '../ui/index.ts';

/** A layer that cannot be planned costs nobody knows what, and so does everything behind it: that is never told as 0. */
export function sizeWords({ rows }: Pick<StackView, 'rows'>, plan: Plan): string {
  const layers = plural(layersOf(rows), 'layer');
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

/** Folded or not, a network has as many. */
function layersOf(rows: StackView['rows']): number {
  const shown = new Set<string>();
  let total = 0;
  for (const row of rows) {
    if (row.type !== 'layer') continue;
    total += 1;
    if (row.elsewhere) continue;
    if (typeof row.layer.ref === 'string') shown.add(row.layer.ref);
    total += countInside(row.holds, shown);
  }
  return total;
}
