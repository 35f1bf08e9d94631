// @ts-check
/** A process of the memory bench: measures one network after the other, as it is asked. Its parts are built by the bench. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../suites.mjs';

const { compare } = await import(pathToFileURL(path.join(root, 'dist', 'bench', 'memory-parts.js')).href);

/** @param {{ text: string, baseDir: string }} request */
async function answer({ text, baseDir }) {
  try {
    process.send?.(await compare(text, baseDir));
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', answer);
process.on('disconnect', () => process.exit());
