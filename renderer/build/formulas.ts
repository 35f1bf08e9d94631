/** How a formula is set: thousands apart, and lines that end between its terms, never within a product. */
import { grouped } from '../../engine/contract/format.ts';

/** Brackets of numbers alone: `⌊(28 + 2·1 − 1·(3 − 1) − 1) / 2⌋`. */
const brackets = /[⌊⌈(][\d\s·+−/()⌊⌋⌈⌉.]*[⌋⌉)]/g;
/** What stands on both sides of these belongs together. */
const factors = / ([·/×]) /g;
/** What a term comes to stands with its sign. */
const result = / = /g;

export function typeset(formula: string): string {
  return grouped(formula)
    .replace(brackets, (found) => found.replaceAll(' ', '\u00a0'))
    .replace(factors, '\u00a0$1\u00a0')
    .replace(result, ' =\u00a0');
}
