/** A tensor of the stack in words. Pure. */
import type { Tensor } from '../state/stack-rows.ts';
import { tensorWords } from '../ui/index.ts';

/** "16×64×64"; "128 tokens"; "?" while unknown. */
export function shapeWords(tensor: Tensor | null): string {
  return tensorWords(tensor?.dims ?? null, tensor?.dtype === 'int64', tensor?.padded);
}
