/** What an IDX file's name says. */
import { basename, sep } from 'node:path';
import { type ArrayName, readName } from '../arrays/names.ts';

const ending = /([-._]?idx\d*)?([-._]?ubyte)?(\.(idx\d*|bin|gz))*$/i;

/** Whether the name alone claims that this is an IDX file. */
export function namedIdx(path: string): boolean {
  return /idx\d*[-._]ubyte|\.idx\d*(\.gz)?$/i.test(basename(path));
}

/** The name without what only says how the file is stored: equal for a file and its gzipped copy. */
export function storedName(relative: string): string {
  return relative.replace(/\.gz$/i, '');
}

/** Reads a path relative to the source's folder. */
export function readIdxName(relative: string): ArrayName {
  return readName(relative.split(sep).join('-').replace(ending, ''));
}
