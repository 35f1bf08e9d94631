/** The window's own files, at `gradloom://app/`: those that the build's manifest names, and no other. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';

export const scheme = 'gradloom';
export const origin = `${scheme}://app`;
export const startPage = `${origin}/index.html`;

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
  if (name !== 'index.html') return new Response(new Uint8Array(content), { headers });
  const nonce = randomBytes(16).toString('base64');
  headers['content-security-policy'] = policy(nonce);
  return new Response(content.toString('utf8').replaceAll('__CSP_NONCE__', nonce), { headers });
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function policy(nonce: string): string {
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
