/** How bad the worst of some problems is. Pure. */
import type { Problem } from '../../engine/contract/problems.ts';

export function worst(problems: readonly Problem[]): 'error' | 'warning' | null {
  if (problems.length === 0) return null;
  return problems.some(({ severity }) => severity === 'error') ? 'error' : 'warning';
}
