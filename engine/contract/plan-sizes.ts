/** Layers of sizes that no device can hold: most often a digit too many. */
import { bytes, integer } from './format.ts';
import { layerTable } from './layers/index.ts';
import { product } from './layers/kind.ts';
import { toEdit } from './plan-answer-fixes.ts';
import type { PlannedLayer } from './plan-types.ts';
import { type Place, type Report, setEdit } from './report.ts';

/** More than this in one layer no usual device holds beside all else. */
const mostBytes = 64 * 2 ** 30;
/** An argument is as likely meant up to here; beyond, this is what is offered in its place. */
const usualSize = 2 ** 16;
const offeredSize = 1024;

/** Warns of the first layer that is too large: those behind it follow from it. */
export function checkSizes(layers: readonly PlannedLayer[], report: Report): void {
  const layer = firstTooLarge(layers);
  if (!layer) return;
  const { weights, output } = sizesOf(layer);
  const place: Place = toEdit(layer.place.split('.'));
  const [key, value] = largest(layer) ?? [];
  const what =
    weights >= output
      ? `The weights of this ${layer.kind} take ${bytes(weights)} (${integer(layer.parameters)} values)`
      : `One sample's output of this ${layer.kind} takes ${bytes(output)}`;
  const named = key === undefined || value === undefined ? null : { key, value };
  // In proportion: weights and output grow with the argument.
  const helps = named !== null && Math.max(weights, output) * (offeredSize / named.value) <= mostBytes;
  report.warn(
    'TOO_LARGE',
    named ? [...place, named.key] : place,
    `${what}: no usual device holds that`,
    named
      ? `${named.key} is ${integer(named.value)}; some hundreds or thousands are usual.`
      : 'Make what arrives at it smaller, by pooling or a stride further up.',
    helps
      ? [{ label: `Set ${named.key} to ${offeredSize}`, edits: [setEdit([...place, named.key], offeredSize)] }]
      : [],
  );
}

/** Of what is inside a layer, the layer there is told. */
function firstTooLarge(layers: readonly PlannedLayer[]): PlannedLayer | null {
  for (const layer of layers) {
    const { weights, output } = sizesOf(layer);
    if (Math.max(weights, output) <= mostBytes) continue;
    const inside = firstTooLarge((layer.children ?? []).flatMap((child) => child.layers));
    if (inside) return inside;
    if (!layer.children || output > mostBytes) return layer;
  }
  return null;
}

function sizesOf({ parameters, output }: PlannedLayer): { weights: number; output: number } {
  return { weights: 4 * parameters, output: 4 * product(output) };
}

/** The layer's own argument that is larger than any that is usual. */
function largest({ kind, args }: PlannedLayer): [string, number] | undefined {
  const params = layerTable.get(kind)?.params ?? {};
  return Object.keys(params)
    .flatMap((key): [string, number][] => {
      const value = args[key];
      return typeof value === 'number' && value > usualSize ? [[key, value]] : [];
    })
    .sort(([, a], [, b]) => b - a)[0];
}
