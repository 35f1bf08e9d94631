/** The window's own files, at `gradloom://app/`: those that the build's manifest names, and no other. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';
import {
  contentPolicy,
  contentType,
  indexName,
  namesInManifest,
  noncePlaceholder,
} from '../engine/contract/window-files.ts';

export const scheme = 'gradloom';
export const origin = `${scheme}://app`;
export const startPage = `${origin}/index.html`;
export const firstStartPage = `${scheme}://first-start/`;

/** Beside this file's folder, in dist/ as in a package. */
const folder = path.join(__dirname, '..', 'renderer');

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

/** Paths as they stand in an address, without the first slash. */
function builtFiles(): ReadonlySet<string> {
  return namesInManifest(readFileSync(path.join(folder, '.vite', 'manifest.json'), 'utf8'));
}

async function answer(request: Request, known: ReadonlySet<string>): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'Only GET');
  if (request.url === firstStartPage) return page(firstStartHtml, firstStartPolicy);
  const url = new URL(request.url);
  const name = url.pathname === '/' ? indexName : url.pathname.slice(1);
  if (url.host !== 'app' || (name !== indexName && !known.has(name))) return refusal(404, 'Not found');
  const content = await readFile(path.join(folder, ...name.split('/'))).catch(() => null);
  if (content === null) return refusal(404, 'Not found');
  if (name === indexName) return page(content.toString('utf8'), contentPolicy);
  const headers = {
    'content-type': contentType(name),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
  return new Response(new Uint8Array(content), { headers });
}

/** Its styles get a nonce of their own each time. */
function page(html: string, policy: (nonce: string) => string): Response {
  const nonce = randomBytes(16).toString('base64');
  const headers = {
    'content-type': contentType(indexName),
    'content-security-policy': policy(nonce),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return new Response(html.replaceAll(noncePlaceholder, nonce), { headers });
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

const firstStartPolicy = (nonce: string) => `default-src 'none'; style-src 'nonce-${nonce}'`;

/** Filled by its preload. */
const firstStartHtml = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Gradloom</title>
<style nonce="${noncePlaceholder}">
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
