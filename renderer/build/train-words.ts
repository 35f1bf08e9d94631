/** What a layer's training is in effect, and how its fields and its folded section say it. Pure. */
import type { Plan } from '../../engine/contract/plan.ts';
import type { JsonObject } from '../../engine/contract/report.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { handsDown, trainOf } from '../state/stack-train.ts';
import { number } from '../ui/format.ts';

export interface EffectiveTrain {
  freeze: boolean;
  /** A block around it says that it is frozen. */
  handed: boolean;
  lr: number | null;
  /** null: the optimizer has none. */
  weight_decay: number | null;
  /** Where a value comes from that the layer does not say itself. */
  from: { lr: 'block' | 'network'; weight_decay: 'block' | 'network' };
}

/** `handed`: what blocks around it say. */
export function effectiveTrain({ layer, number: path }: LayerRow, plan: Plan, handed: JsonObject): EffectiveTrain {
  const own = trainOf(layer);
  const group = plan.groups.find(({ tensors }) => tensors.some((tensor) => tensor.startsWith(`${path}.`)));
  const base = plan.groups[0];
  const from = (key: 'lr' | 'weight_decay') => (typeof handed[key] === 'number' ? 'block' : 'network');
  const value = (key: 'lr' | 'weight_decay') => {
    // What the layer says itself is in the field; the placeholder is what holds without it.
    if (typeof own[key] !== 'number' && group) return group[key];
    return typeof handed[key] === 'number' ? handed[key] : (base?.[key] ?? null);
  };
  return {
    freeze: (typeof own.freeze === 'boolean' ? own.freeze : handed.freeze) === true,
    handed: handed.freeze === true,
    lr: value('lr'),
    weight_decay: value('weight_decay'),
    from: { lr: from('lr'), weight_decay: from('weight_decay') },
  };
}

/** What a field says while nothing is typed in it: the value that holds, and whose it is. */
export function trainPlaceholders(
  effective: readonly EffectiveTrain[],
  differing: ReadonlySet<string>,
): Record<string, string> {
  const words = (key: 'lr' | 'weight_decay') => {
    if (differing.has(key)) return 'they differ';
    const texts = new Set(
      effective.map(({ [key]: value, from }) => (value === null ? 'not used' : `${number(value)} (${from[key]})`)),
    );
    return texts.size === 1 ? ([...texts][0] as string) : 'each its own';
  };
  return { lr: words('lr'), weight_decay: words('weight_decay') };
}

/** "frozen", "lr 0.0001", "as the network". */
export function trainSummary(layers: readonly unknown[], effective: readonly EffectiveTrain[]): string {
  const frozen = effective.filter(({ freeze }) => freeze).length;
  if (frozen === layers.length) return 'frozen';
  const parts = [
    ...(frozen > 0 ? [`${frozen} of ${layers.length} frozen`] : []),
    ...(layers.length === 1
      ? ownWords(trainOf(layers[0]))
      : layers.some(saysMore)
        ? ['some with values of their own']
        : []),
  ];
  return parts.length === 0 ? 'as the network' : parts.join(', ');
}

function saysMore(layer: unknown): boolean {
  return ownWords(trainOf(layer)).length > 0;
}

function ownWords({ lr, weight_decay, init }: JsonObject): string[] {
  return [
    ...(typeof lr === 'number' ? [`lr ${number(lr)}`] : []),
    ...(typeof weight_decay === 'number' ? [`weight decay ${number(weight_decay)}`] : []),
    ...(init === undefined || init === null ? [] : ['own initial weights']),
  ];
}

/** Dimensions of the weights that the layers have themselves: what a block holds is left alone where it does not fit. */
export function weightDims(tensors: Plan['tensors'], rows: readonly LayerRow[]): number[] {
  const names = new Set(rows.filter(({ layer }) => !handsDown(layer)).map(({ number: path }) => `${path}.weight`));
  return tensors.flatMap(({ name, shape }) => (names.has(name) ? [shape.length] : []));
}
