/** The repository's own files as git sees them, and what TypeScript and C++ files import. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Tracked files and new ones that are not ignored, relative to the root, but those of `third_party`. */
export const files: string[] = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.includes('third_party/') && existsSync(path.join(root, file)))
  .sort();

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

export function isTypeScript(file: string): boolean {
  return /\.(ts|tsx|mts|mjs)$/.test(file);
}

export function isNative(file: string): boolean {
  return /\.(cpp|h)$/.test(file);
}

export interface Import {
  /** As written: `zod`, `node:fs`, `../contract/errors.ts`. */
  specifier: string;
  /** Relative ones: the file meant, relative to the root. */
  target: string | null;
  /** Nothing of it is left when the code runs. */
  typeOnly: boolean;
  /** `await import(…)`: loaded when the code comes there. */
  dynamic?: true;
}

interface AstNode {
  type?: string;
  [key: string]: unknown;
}

/** Every node of a parsed file. */
export function* nodes(file: string): Generator<AstNode> {
  const pending: unknown[] = [parseSync(path.join(root, file), read(file)).program];
  while (pending.length > 0) {
    const node = pending.pop();
    if (Array.isArray(node)) pending.push(...node);
    else if (node !== null && typeof node === 'object') {
      yield node as AstNode;
      pending.push(...Object.values(node));
    }
  }
}

/** Imports, re-exports, dynamic imports, `import('…')` types and `require` of a TypeScript or JavaScript file. */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (source: unknown, typeOnly: boolean, dynamic = false) => {
    const specifier = (source as { value?: unknown } | null | undefined)?.value;
    if (typeof specifier !== 'string') return;
    const target = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : null;
    found.push({ specifier, target, typeOnly, ...(dynamic ? { dynamic } : {}) });
  };
  for (const node of nodes(file)) {
    switch (node.type) {
      case 'ImportDeclaration':
        add(node.source, node.importKind === 'type');
        break;
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        add(node.source, node.exportKind === 'type');
        break;
      case 'ImportExpression':
        add(node.source, false, true);
        break;
      case 'TSImportType':
        add(node.source ?? (node.argument as AstNode | undefined)?.literal, true);
        break;
      case 'CallExpression':
        if ((node.callee as AstNode).name === 'require') add((node.arguments as unknown[])[0], false);
        break;
    }
  }
  return found;
}

/** What a C++ file includes, as written between the quotes or brackets. */
export function includesOf(file: string): string[] {
  return [...read(file).matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)].map((match) => match[1] ?? '');
}
