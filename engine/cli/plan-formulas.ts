/** `plan --formulas`: where each layer's shape, parameters and operations come from, with its own numbers. */
import { grouped } from '../contract/format.ts';
import type { Plan, PlannedLayer } from '../contract/plan.ts';
import { explainLayer } from '../contract/plan-explain.ts';
import type { Output } from './output.ts';

/** The layers with their formulas, those inside blocks too. */
export function withFormulas(plan: Plan, layers: readonly PlannedLayer[] = plan.layers): object[] {
  return layers.map((layer) => ({
    ...layer,
    formulas: explainLayer(layer, plan.tensors),
    ...(layer.children
      ? { children: layer.children.map((child) => ({ ...child, layers: withFormulas(plan, child.layers) })) }
      : {}),
  }));
}

export function showFormulas(out: Output, plan: Plan, layers: readonly PlannedLayer[] = plan.layers): void {
  for (const layer of layers) {
    const { shape, parameters, flops } = explainLayer(layer, plan.tensors);
    out.say();
    out.say(
      `${layer.path} ${out.style('bold', layer.kind)}: [${layer.input.join(', ')}] → [${layer.output.join(', ')}]`,
    );
    for (const line of [...shape, ...parameters, `FLOPs: ${flops}`]) out.say(`  ${grouped(line)}`);
    for (const child of layer.children ?? []) showFormulas(out, plan, child.layers);
  }
}
