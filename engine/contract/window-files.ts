/** How the built window is served, over HTTP as over Electron's scheme: which files there are, as what, and what their page may do. */

export const indexName = 'index.html';
/** Stands in index.html where each answer gets a nonce of its own. */
export const noncePlaceholder = '__CSP_NONCE__';

export function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  webp: 'image/webp',
  woff2: 'font/woff2',
  woff: 'font/woff',
  ttf: 'font/ttf',
};

export function contentType(name: string): string {
  return types[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}

/** Names of the files that a manifest of Vite's names, relative to its build; index.html is not among them. */
export function namesInManifest(text: string): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(text);
  const names = Object.values(Object(manifest) as object).flatMap((entry: unknown) => {
    const { file, css, assets } = Object(entry) as Record<string, unknown>;
    return [file, css, assets].flat();
  });
  return new Set(names.filter((name): name is string => typeof name === 'string' && isPlain(name)));
}

/** Below the folder whatever the manifest says. */
function isPlain(name: string): boolean {
  return !/[\\\0]/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
