/** Which layer of a project a path leads to. Pure. */
import { isObject } from '../../engine/contract/report.ts';

/** The longest beginning of a path that is a layer: one that ends with a position in a list of layers. */
export function layerPlace(project: unknown, path: string): string | null {
  const steps = path.split('.');
  let at: unknown = project;
  let place: string | null = null;
  for (const [index, step] of steps.entries()) {
    const inList = Array.isArray(at);
    if (!inList && !isObject(at)) break;
    at = (at as Record<string, unknown>)[step];
    if (inList && !Array.isArray(at) && (steps[index - 1] === 'layers' || isLayerList(steps, index))) {
      place = steps.slice(0, index + 1).join('.');
    }
  }
  return place;
}

function isLayerList(steps: readonly string[], index: number): boolean {
  return steps[index - 1] === 'shortcut' || steps[index - 2] === 'branches';
}
