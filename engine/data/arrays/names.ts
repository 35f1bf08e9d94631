/** What a name says: of which part it is, whether it holds inputs or targets, and to which data set it belongs. */

import type { PartName } from '../../contract/tensors.ts';
import { partOf, wordsOf } from '../part-names.ts';

export interface ArrayName {
  part: PartName | null;
  role: 'input' | 'target' | null;
  /** What is left of the name: equal for arrays that belong together. */
  set: string;
}

const inputWords = new Set(['image', 'images', 'input', 'inputs', 'data', 'features', 'samples', 'x']);
const targetWords = new Set([
  'label',
  'labels',
  'target',
  'targets',
  'class',
  'classes',
  'answers',
  'mask',
  'masks',
  'y',
]);

/** Reads a name without its ending; folder names count like words of it. */
export function readName(name: string): ArrayName {
  const words = wordsOf(name);
  const found: ArrayName = { part: null, role: null, set: '' };
  const rest: string[] = [];
  for (const word of words) {
    const part = partOf(word);
    if (part !== null) found.part ??= part;
    else if (targetWords.has(word)) found.role = 'target';
    else if (inputWords.has(word)) found.role ??= 'input';
    else rest.push(word);
  }
  found.set = rest.join('-');
  return found;
}
