/** What a kind of data source must be able to do; one row a kind. */
import type { Addon } from '../contract/native.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import { openIdxSource } from './idx-source.ts';
import { openRandomSource } from './random-source.ts';

export type PartName = 'train' | 'test';
export type ColumnRole = 'input' | 'target';

/** How a column is stored in a pack: dims of one sample; `scaled` bytes stand for value / 255. */
export interface ColumnType {
  dtype: 'uint8' | 'float32' | 'int64';
  shape: number[];
  scaled: boolean;
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Bytes read so far of a source file. */
  onRead?: ((file: string, bytes: number) => void) | undefined;
  addon: Pick<Addon, 'writeRandom'>;
  /** Where the part's columns lie, for a source that writes them itself. */
  paths: Record<ColumnRole, string>;
}

/** A source whose files have been found and whose headers have been read. */
export interface OpenSource {
  /** Changes whenever the content may have changed. */
  identity: unknown;
  /** Bytes that packing will read; 0 where that is not known. */
  readBytes: number;
  /** Samples per part. */
  parts: DataFacts['parts'];
  columns: Record<ColumnRole, ColumnType>;
  /** Reads the targets as far as needed to say what they are, and checks sizes. */
  target(): Promise<TargetType>;
  /** Hands each column's little-endian rows to `sink`, or writes `paths` itself. */
  write(
    part: string,
    sink: (role: ColumnRole, rows: AsyncIterable<Uint8Array>) => Promise<void>,
    options: WriteOptions,
  ): Promise<void>;
}

type Opener<Kind extends ResolvedSource['kind']> = (
  settings: Extract<ResolvedSource, { kind: Kind }>,
  baseDir: string,
) => Promise<OpenSource>;

const kinds: { [Kind in ResolvedSource['kind']]: Opener<Kind> } = {
  idx: openIdxSource,
  random: openRandomSource,
};

/** Opens a source; relative paths are taken from `baseDir`. */
export async function openSource(source: ResolvedSource, baseDir: string): Promise<OpenSource> {
  return (kinds[source.kind] as Opener<typeof source.kind>)(source as never, baseDir);
}

/**
 * What a source says of itself: shapes, classes, samples per part. Reads headers and labels, never the inputs.
 * Throws DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, LABEL_RANGE, NOT_READABLE.
 */
export async function describeSource(source: ResolvedSource, baseDir: string): Promise<DataFacts> {
  const open = await openSource(source, baseDir);
  return factsOf(open, await open.target());
}

export function factsOf(open: Pick<OpenSource, 'columns' | 'parts'>, target: TargetType): DataFacts {
  return { input: { dims: open.columns.input.shape, dtype: 'float32' }, target, parts: open.parts };
}
