/** A tensor of the stack in words. Pure. */
import type { Tensor } from '../state/stack-rows.ts';
import { tensorWords } from '../ui/index.ts';

/** "16×64×64"; "128 tokens". */
export function shapeWords({ dims, dtype, padded }: Tensor): string {
  return tensorWords(dims, dtype === 'int64', padded);
}
