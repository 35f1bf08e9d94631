/** Builds main and preloads into dist/electron: each one CommonJS file, which a sandboxed preload has to be. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `--mode` names the entry; one a build, so that no file is shared. */
const entries = ['main', 'preload', 'first-start-preload'];

export default defineConfig(({ mode }) => {
  const entry = entries.includes(mode) ? mode : 'main';
  return {
    root,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      target: entry === 'main' ? 'node22' : 'chrome140',
      outDir: 'dist/electron',
      emptyOutDir: false,
      sourcemap: true,
      rollupOptions: {
        input: { [entry]: `electron/${entry}.ts` },
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  };
});
