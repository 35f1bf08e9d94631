// @ts-check
/** Lists of files, and signatures of them that tell whether anything changed. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * All files under a folder, sorted; none when it does not exist.
 * @param {string} folder
 * @returns {string[]}
 */
export function listFiles(folder) {
  /** @type {string[]} */
  const found = [];
  /** @type {import('node:fs').Dirent[]} */
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) found.push(...listFiles(file));
    else found.push(file);
  }
  return found.sort();
}

/**
 * Cheap: sizes and times only. Equal signatures mean nothing was touched.
 * @param {string[]} files
 * @returns {string}
 */
export function touchSignature(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const stat = statSync(file, { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.size}\0${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * By content: equal for equal files, whatever their times.
 * @param {string} root names are taken relative to it
 * @param {string[]} files
 * @returns {string}
 */
export function contentSignature(root, files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}
