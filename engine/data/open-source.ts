/** What a kind of data source must be able to do once its files are found. */
import type { Addon } from '../contract/native.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import type { IdxFile } from './idx-file.ts';

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
  /** How many different tokens the inputs may be, where that is known before the data are read. */
  tokens?: number;
  /** By part, where single samples can be read from files; absent for a source that is drawn. */
  files?: Record<string, { input: IdxFile; target: IdxFile }>;
  /** Reads the targets as far as needed to say what they are, and checks sizes. */
  target(): Promise<TargetType>;
  /** Hands each column's little-endian rows to `sink`, or writes `paths` itself. */
  write(
    part: string,
    sink: (role: ColumnRole, rows: AsyncIterable<Uint8Array>) => Promise<void>,
    options: WriteOptions,
  ): Promise<void>;
}
