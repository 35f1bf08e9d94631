/** How kinds take images whose channels lie last on the CPU, for the memory estimate: what their rows have in common. */
import type { Operation } from '../estimate-types.ts';
import { type LayerKind, type Lying, product } from './kind.ts';

type OnCpu = Pick<LayerKind, 'layout' | 'onCpu'>;

/** Makes plain tensors of any, and plain gradients. */
export const plain = { layout: { output: 'first', gradient: 'first' } } satisfies OnCpu;

/** Its kernel wants a plain tensor, of which it makes a copy on the way; `backward`: there as well. */
export function copying(layout: LayerKind['layout'], { backward = false } = {}): OnCpu {
  return { ...(layout ? { layout } : {}), onCpu: (operation, lying) => copied(operation, lying, backward) };
}

/** What the copy adds. */
export function copied(
  { layer, workspace }: Operation,
  { input }: Lying,
  backward = false,
): Pick<Operation, 'workspace'> {
  const copy = input === 'last' ? 4 * product(layer.input) : 0;
  return {
    workspace: (batch, pass) => workspace(batch, pass) + (pass === 'backward' && !backward ? 0 : batch * copy),
  };
}
