/**
 * The window's first script. Zod compiles its checks with `new Function` where it may; the window's policy forbids that, and reports even
 * the question. So zod is told not to, where it looks for its settings, before anything that makes a schema is loaded.
 */
declare global {
  var __zod_globalConfig: { jitless: boolean } | undefined;
}

globalThis.__zod_globalConfig = { jitless: true };

void import('./main.tsx');

export {};
