// @ts-check
/** Builds a bench's TypeScript, and with it the engine's code that it times, for Node. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { root } from '../suites.mjs';

/** @param {string} name of the file in this folder, without its ending */
export async function buildParts(name) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: `test/bench/${name}.ts`,
      target: 'node20',
      outDir: path.join('dist', 'bench'),
      emptyOutDir: false,
      rollupOptions: { output: { format: 'es', entryFileNames: '[name].js' } },
    },
  });
  return import(pathToFileURL(path.join(root, 'dist', 'bench', `${name}.js`)).href);
}
