/** The built window's files: those that its manifest names, and nothing else. */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
};

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).optional(),
    assets: z.array(z.string()).optional(),
  }),
);

const indexName = 'index.html';

export interface ServedFile {
  body: Buffer;
  headers: Record<string, string>;
}

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

export class WindowFiles {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  #built = '';

  /** `folder`: `dist/renderer`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get isBuilt(): boolean {
    return statSync(path.join(this.#folder, indexName), { throwIfNoEntry: false })?.isFile() ?? false;
  }

  /** The file of a path of the address, as it was sent: compared letter by letter, never resolved. null: there is none. */
  async read(requested: string): Promise<ServedFile | null> {
    if (requested === '/' || requested === `/${indexName}`) return this.#index();
    const names = await this.#manifest();
    const name = requested.slice(1);
    if (!requested.startsWith('/') || !names.has(name)) return null;
    const body = await readFile(path.join(this.#folder, ...name.split('/'))).catch(() => null);
    if (!body) return null;
    return {
      body,
      headers: {
        'Content-Type': types[path.extname(name).toLowerCase()] ?? 'application/octet-stream',
        // Their names change with their content.
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': contentPolicy('none'),
      },
    };
  }

  /** With a nonce of its own for each answer. */
  async #index(): Promise<ServedFile | null> {
    const text = await readFile(path.join(this.#folder, indexName), 'utf8').catch(() => null);
    if (text === null) return null;
    const nonce = randomBytes(16).toString('base64url');
    return {
      body: Buffer.from(text.replaceAll('__CSP_NONCE__', nonce)),
      headers: {
        'Content-Type': types['.html'] as string,
        'Cache-Control': 'no-store',
        'Content-Security-Policy': contentPolicy(nonce),
      },
    };
  }

  /** Read again when the window was built anew; requests that come together wait for the same reading. */
  #manifest(): Promise<ReadonlySet<string>> {
    const file = path.join(this.#folder, '.vite', 'manifest.json');
    const found = statSync(file, { throwIfNoEntry: false });
    const built = found ? `${found.ino}-${found.mtimeMs}` : '';
    if (built !== this.#built) {
      this.#built = built;
      this.#names = readManifest(file);
    }
    return this.#names;
  }
}

async function readManifest(file: string): Promise<ReadonlySet<string>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const manifest = manifestSchema.parse(JSON.parse(text));
  return new Set(
    Object.values(manifest)
      .flatMap((entry) => [entry.file, ...(entry.css ?? []), ...(entry.assets ?? [])])
      .filter(isPlain),
  );
}

/** Below the folder whatever the manifest says. */
function isPlain(name: string): boolean {
  return !/[\\\0]/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
