/** The built window's files: those that its manifest names, and nothing else. */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { contentPolicy, contentType, indexName, namesInManifest, noncePlaceholder } from './contract/window-files.ts';

export interface ServedFile {
  body: Buffer;
  headers: Record<string, string>;
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
        'Content-Type': contentType(name),
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
      body: Buffer.from(text.replaceAll(noncePlaceholder, nonce)),
      headers: {
        'Content-Type': contentType(indexName),
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
  return namesInManifest(await readFile(file, 'utf8').catch(() => '{}'));
}
