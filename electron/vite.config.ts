/** Builds main and preload into dist/electron: each one CommonJS file, which a sandboxed preload has to be. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `--mode preload` builds the preload; one entry a build, so that nothing is shared between the two. */
export default defineConfig(({ mode }) => {
  const entry = mode === 'preload' ? 'preload' : 'main';
  return {
    root,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      target: entry === 'preload' ? 'chrome140' : 'node22',
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
