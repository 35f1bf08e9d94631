/** The window's own files, at `gradloom://app/`: those that the build's manifest names, and no other. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';

export const scheme = 'gradloom';
export const origin = `${scheme}://app`;
export const startPage = `${origin}/index.html`;
export const firstStartPage = `${scheme}://first-start/`;

/** Beside this file's folder, in dist/ as in a package. */
const folder = path.join(__dirname, '..', 'renderer');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Before the app is ready: the scheme behaves like https, with an origin of its own. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/** Once the app is ready. */
export function serveScheme(): void {
  const known = builtFiles();
  protocol.handle(scheme, (request) => answer(request, known));
}

interface ManifestEntry {
  file: string;
  css?: string[];
  assets?: string[];
}

/** Paths as they stand in an address, without the first slash. */
function builtFiles(): Set<string> {
  const manifest: Record<string, ManifestEntry> = JSON.parse(
    readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8'),
  );
  const named = Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]);
  return new Set(['index.html', ...named]);
}

async function answer(request: Request, known: Set<string>): Promise<Response> {
  const url = new URL(request.url);
  if (request.url === firstStartPage)
    return withNonce(firstStartHtml, "default-src 'none'; style-src 'nonce-__CSP_NONCE__'");
  const name = url.pathname === '/' ? 'index.html' : url.pathname.slice(1);
  if (url.host !== 'app' || !known.has(name)) return refusal(404, 'Not found');
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'Only GET');
  const content = await readFile(path.join(folder, name)).catch(() => null);
  if (content === null) return refusal(404, 'Not found');
  const headers: Record<string, string> = {
    'content-type': types[path.extname(name)] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
  if (name === 'index.html') return withNonce(content.toString('utf8'), policy);
  return new Response(new Uint8Array(content), { headers });
}

/** Pages get their styles' nonce anew each time. */
function withNonce(html: string, contentPolicy: string): Response {
  const fill = (text: string) => text.replaceAll('__CSP_NONCE__', nonce);
  const nonce = randomBytes(16).toString('base64');
  const headers = {
    'content-type': types['.html'] ?? '',
    'content-security-policy': fill(contentPolicy),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return new Response(fill(html), { headers });
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'nonce-__CSP_NONCE__'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Filled by its preload. */
const firstStartHtml = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Gradloom</title>
<style nonce="__CSP_NONCE__">
  body { font: 14px/1.5 system-ui, sans-serif; margin: 32px; background: Canvas; color: CanvasText; }
  h1 { font-size: 18px; margin: 0 0 8px; }
  #state { white-space: pre-line; min-height: 66px; font-variant-numeric: tabular-nums; }
  progress { width: 100%; accent-color: #5b5bd6; }
</style>
<h1>Preparing Gradloom</h1>
<p>PyTorch’s libraries are fetched once, about 540 MB. They stay in the cache for later versions.</p>
<progress id="bar"></progress>
<p id="state" role="status">Looking for PyTorch…</p>
<button id="again" hidden>Try again</button>
</html>`;
