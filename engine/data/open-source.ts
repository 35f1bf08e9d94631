/** What a kind of data source must be able to do once its files are found. */

import type { DataNote } from '../contract/data/inspect.ts';
import type { Mark } from '../contract/data/marks.ts';
import type { Addon, NativeColumn } from '../contract/native.ts';
import type { ResolvedSplit } from '../contract/project.ts';
import type { JsonObject } from '../contract/report.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import type { Kept, Rows } from './rows.ts';

/** `group`: samples of one group stay together when a split is drawn; int64, not given to the network. */
export type ColumnRole = 'input' | 'target' | 'group';

/** What opening a source may depend on besides its own settings. */
export interface OpenContext {
  /** For sources whose encoding is fitted on the samples that train. */
  split: ResolvedSplit;
  /** The marks that count in place of the data's own: those that a run was begun with. */
  marks?: readonly Mark[] | undefined;
}

/** A sample that cannot be read: its row in the pack is zeros, and it takes part in nothing. */
export interface BadSample {
  part: string;
  index: number;
  name: string;
  reason: string;
}

/** How a column is stored in a pack: dims of one sample; `scaled` bytes stand for value / 255, 16-bit ones for value / 65535. */
export type ColumnType = Omit<NativeColumn, 'path'>;

/**
 * Rows of a column, in order, in pieces of any size. As a function they can begin at any row: an import that was interrupted then goes on
 * where it stopped, and its pieces are whole rows.
 */
export type ColumnRows = AsyncIterable<Uint8Array> | ((first: number) => AsyncIterable<Uint8Array>);

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Bytes read so far of a source file. Of many small files each is told once, with its size. */
  onRead?: ((file: string, bytes: number) => void) | undefined;
  addon: Pick<Addon, 'writeRandom'>;
  /**
   * Its row is to be zeros. Whether such samples stop the import or are left out is decided by the packer, once all of them are known;
   * telling one twice (of two columns) does no harm.
   */
  onBad(bad: BadSample): void;
  /** Where the part's columns lie, for a source that writes them itself. */
  paths: Record<ColumnRole, string>;
}

/** A column of a person's table, and the values of the packed input row that it became: `width` of them from `at`. */
export interface InputColumn {
  name: string;
  at: number;
  /** A category's, one-hot: one a category. */
  width: number;
  kind: 'number' | 'category';
  /** Values of the training part that are missing in the files; absent: not known. */
  missing?: number;
}

/** A source whose files have been found and whose headers have been read. */
export interface OpenSource {
  /** Changes whenever the content may have changed. */
  identity: unknown;
  /** Bytes that packing will read; 0 where that is not known. */
  readBytes: number;
  /** Samples per part. */
  parts: DataFacts['parts'];
  columns: { input: ColumnType; target: ColumnType; group?: ColumnType };
  /** How many different tokens the inputs may be, where that is known before the data are read. */
  tokens?: number;
  /** The token that only fills sequences up at their ends. */
  padding?: number;
  /** Single samples of a part, read from the source's own files; absent for a source that must be packed to be looked at. */
  rows?(part: string, keep: Kept): Rows;
  /** What a person calls a sample: `cats/007.jpg`, `row 18`. Absent: its number. */
  nameOf?(part: string, index: number): string;
  /** What an input's tokens are read as. */
  textOf?(tokens: Float32Array): string;
  /** What opening brought up: files left out, rules applied. */
  notes?: DataNote[];
  /** Bad samples are left out instead of stopping the import; see `onBad`. Not part of the identity: what is packed is the same. */
  skipsBad?: boolean;
  /** What the pack keeps of how its values came about (a table's encoding), for prediction to do the same; asked once all is written. */
  encoding?(): Promise<JsonObject>;
  /** For the Data Doctor, once all is packed: which values of an input of one dimension came from which column. */
  inputColumns?(): Promise<InputColumn[]>;
  /** What a person calls each group, by the number that the column `group` has for it; absent: groups have numbers only. */
  groupNames?: readonly string[];
  /** For the Data Doctor, once all is packed: width and height of each sample of a part as its file has them, one after the other. */
  sizes?(part: string): Promise<Uint32Array>;
  /** For the Data Doctor: rows of the files that are none, such as ragged ones, so that no sample stands for them. */
  unreadRows?: { count: number; rows: { name: string; reason: string }[] };
  /** For the Data Doctor: columns that are read as texts, or as nothing, though most of their cells are numbers, and why. */
  nearlyNumbers?: { name: string; reason: string }[];
  /** The folder of a pack that this source is already. */
  pack?: string;
  /** Reads the targets as far as needed to say what they are, and checks sizes. */
  target(): Promise<TargetType>;
  /** Hands each column's little-endian rows to `sink` (many files: `inOrder` of in-order.ts), or writes `paths` itself. */
  write(
    part: string,
    sink: (role: ColumnRole, rows: ColumnRows) => Promise<void>,
    options: WriteOptions,
  ): Promise<void>;
}
