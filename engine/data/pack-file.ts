/** What a pack's folder holds: `pack.json` and one little-endian file per part and column, `<part>.<column>.bin`. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NativeColumn, NativePart } from '../contract/native.ts';
import type { ResolvedSource, ResolvedSplit } from '../contract/project.ts';
import { isObject, type JsonObject } from '../contract/report.ts';
import { type DataFacts, partNames, type TargetType } from '../contract/tensors.ts';
import { systemError } from '../files.ts';
import type { BadSample, ColumnRole, ColumnType } from './open-source.ts';

export const packVersion = 1;
export const packName = 'pack.json';
/** Columns that every pack has. */
export const givenRoles = ['input', 'target'] as const;
const roles = [...givenRoles, 'group'] as const;

const bytesOf: Record<ColumnType['dtype'], number> = { uint8: 1, uint16: 2, float32: 4, int64: 8 };

/** `pack.json`. Unknown keys of later versions are left alone. */
export interface PackFile {
  version: number;
  /** SHA-256 over what the pack holds: equal data gives an equal hash, wherever it came from. */
  hash: string;
  classes: string[] | null;
  /** Rows that are stored. */
  parts: Record<string, { count: number }>;
  columns: ({ name: ColumnRole; role: ColumnRole } & ColumnType)[];
  /** The facts' target, and how many tokens the inputs may be. */
  target: TargetType;
  tokens?: number;
  /** The token that fills sequences up. */
  padding?: number;
  /** Rows of samples that could not be read: zeros, which take part in nothing. */
  excluded?: Record<string, number[]>;
  /** Why: one for each of `excluded`. */
  skipped?: BadSample[];
  /** How the values came about, where prediction has to do the same. */
  encoding?: JsonObject;
  /** What it was made from, by the name that the cache has for it; relative paths are of `base`. */
  made?: { key: string; source: ResolvedSource; base: string; split: ResolvedSplit };
}

/** As C++ reads it; `group` is not for it. */
export type PackPart = NativePart & { group?: NativeColumn };

export interface DataPack {
  folder: string;
  hash: string;
  /** `facts.parts` count the samples that take part. */
  facts: DataFacts;
  /** All rows, those of samples that are excluded too. */
  parts: Record<string, PackPart>;
  /** Positions of samples that could not be read, ascending. */
  excluded: Record<string, number[]>;
  skipped: BadSample[];
  encoding: JsonObject | null;
}

export function columnFile(folder: string, part: string, role: ColumnRole): string {
  return join(folder, `${part}.${role}.bin`);
}

export function rowBytes({ dtype, shape }: Pick<ColumnType, 'dtype' | 'shape'>): number {
  return shape.reduce((product, dim) => product * dim, bytesOf[dtype]);
}

/** Whether an import could have written it: its folder may have come from anywhere, and names of parts and columns are names of files. */
function isPackFile(file: unknown): boolean {
  if (!isObject(file) || file.version !== packVersion || !isObject(file.parts) || !isObject(file.target)) return false;
  return (
    Object.keys(file.parts).every((part) => (partNames as readonly string[]).includes(part)) &&
    Array.isArray(file.columns) &&
    file.columns.every(
      (column) =>
        isObject(column) &&
        (roles as readonly unknown[]).includes(column.role) &&
        Object.hasOwn(bytesOf, String(column.dtype)) &&
        Array.isArray(column.shape),
    ) &&
    givenRoles.every((role) => (file.columns as JsonObject[]).some((column) => column.role === role))
  );
}

/** null if there is none, or a damaged one, or one of another version. @throws GradloomError NOT_READABLE */
export async function readPackFile(folder: string): Promise<PackFile | null> {
  try {
    const file = JSON.parse(await readFile(join(folder, packName), 'utf8')) as PackFile;
    return isPackFile(file) ? file : null;
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR' || thrown instanceof SyntaxError) return null;
    throw systemError(thrown, folder, 'read');
  }
}

/**
 * The pack in `folder`, or null if there is none, or one whose files have not their sizes. `tokens`: for a pack that does not say it.
 * @throws GradloomError NOT_READABLE
 */
export async function readPack(folder: string, tokens?: number): Promise<DataPack | null> {
  const file = await readPackFile(folder);
  if (!file) return null;
  const columns = new Map(file.columns.map(({ role, dtype, shape, scaled }) => [role, { dtype, shape, scaled }]));
  const parts: DataPack['parts'] = {};
  for (const [part, { count }] of Object.entries(file.parts)) {
    const found: Partial<Record<ColumnRole, NativeColumn>> = {};
    for (const [role, type] of columns) {
      const path = columnFile(folder, part, role);
      const status = await stat(path).catch((thrown: { code?: string }) => {
        if (thrown.code === 'ENOENT') return null;
        throw systemError(thrown, path, 'read');
      });
      if (status?.size !== count * rowBytes(type)) return null;
      found[role] = { path, ...type };
    }
    const { input, target, group } = found;
    if (!input || !target) return null;
    parts[part] = { count, input, target, ...(group ? { group } : {}) };
  }
  return {
    folder,
    hash: file.hash,
    facts: packFacts(file, tokens),
    parts,
    excluded: file.excluded ?? {},
    skipped: file.skipped ?? [],
    encoding: file.encoding ?? null,
  };
}

/** What a pack says of itself: its samples less those that are excluded. */
export function packFacts(
  { columns, parts, target, tokens, padding, excluded }: PackFile,
  knownTokens?: number,
): DataFacts {
  const input = columns.find(({ role }) => role === 'input') as ColumnType;
  const counts = Object.entries(parts).map(([part, { count }]) => [part, count - (excluded?.[part]?.length ?? 0)]);
  return factsFrom(input, Object.fromEntries(counts) as DataFacts['parts'], target, {
    tokens: tokens ?? knownTokens,
    padding,
  });
}

export function factsFrom(
  { dtype, shape: dims }: ColumnType,
  parts: DataFacts['parts'],
  target: TargetType,
  { tokens, padding }: { tokens?: number | undefined; padding?: number | undefined },
): DataFacts {
  if (dtype !== 'int64') return { input: { dims, dtype: 'float32' }, target, parts };
  const count = target.kind === 'next_token' ? target.tokens : tokens;
  const known = { ...(count === undefined ? {} : { tokens: count }), ...(padding === undefined ? {} : { padding }) };
  return { input: { dims, dtype, ...known }, target, parts };
}

/** `digests`: SHA-256 of a column's file. What only some packs have counts where they have it, so that hashes of others stay. */
export function packHash(
  { classes, parts, columns, excluded }: Pick<PackFile, 'classes' | 'parts' | 'columns' | 'excluded'>,
  digests: (part: string, role: ColumnRole) => string,
): string {
  const hashes = Object.entries(parts).flatMap(([part, { count }]) =>
    columns.flatMap(({ role }) => [part, role, String(count), digests(part, role)]),
  );
  const left = Object.values(excluded ?? {}).some((positions) => positions.length > 0) ? [excluded] : [];
  return createHash('sha256')
    .update(JSON.stringify([packVersion, columns, classes, hashes, ...left]))
    .digest('hex');
}

export async function digestFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, ...(signal ? { signal } : {}) })) {
      hash.update(chunk);
    }
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
  return hash.digest('hex');
}
