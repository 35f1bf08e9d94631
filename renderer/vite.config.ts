/** Builds the window into dist/renderer, with the manifest that says which files may be served. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  base: './',
  logLevel: 'warn',
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    // Fonts stay files: the window's policy allows no data: addresses for them.
    assetsInlineLimit: 0,
    target: 'chrome140',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
});
