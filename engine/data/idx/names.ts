/** What an IDX file's name says: its part, whether it holds inputs or targets, and to which data set it belongs. */
import { basename, sep } from 'node:path';

export interface IdxName {
  part: 'train' | 'test' | null;
  role: 'input' | 'target' | null;
  /** What is left of the name: equal for files that belong together. */
  set: string;
}

const trainWords = new Set(['train', 'training']);
const testWords = new Set(['test', 'testing', 't10k', 'val', 'valid', 'validation']);
const inputWords = new Set(['image', 'images', 'input', 'inputs', 'data', 'features', 'samples', 'x']);
const targetWords = new Set(['label', 'labels', 'target', 'targets', 'classes', 'answers', 'mask', 'masks', 'y']);

const ending = /([-._]?idx\d*)?([-._]?ubyte)?(\.(idx\d*|bin|gz))*$/i;

/** Whether the name alone claims that this is an IDX file. */
export function namedIdx(path: string): boolean {
  return /idx\d*[-._]ubyte|\.idx\d*(\.gz)?$/i.test(basename(path));
}

/** The name without what only says how the file is stored: equal for a file and its gzipped copy. */
export function storedName(relative: string): string {
  return relative.replace(/\.gz$/i, '');
}

/** Reads a path relative to the source's folder; folder names count like words of the name. */
export function readIdxName(relative: string): IdxName {
  const words = relative
    .split(sep)
    .map((step, i, steps) => (i === steps.length - 1 ? step.replace(ending, '') : step))
    .join('-')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const name: IdxName = { part: null, role: null, set: '' };
  const rest: string[] = [];
  for (const word of words) {
    if (trainWords.has(word)) name.part ??= 'train';
    else if (testWords.has(word)) name.part ??= 'test';
    else if (targetWords.has(word)) name.role = 'target';
    else if (inputWords.has(word)) name.role ??= 'input';
    else rest.push(word);
  }
  name.set = rest.join('-');
  return name;
}
