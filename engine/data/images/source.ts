/** What every source of images does alike: columns, rows for previews, names, and what is written into a pack. */
import type { PartName } from '../../contract/tensors.ts';
import type { ColumnRole, ColumnRows, ColumnType, OpenSource } from '../open-source.ts';
import { rowBytes } from '../pack-file.ts';
import type { Rows } from '../rows.ts';
import { uprightSize } from './geometry.ts';
import { asFloats, decodedRows, type ImageSet } from './samples.ts';
import type { ScannedFile } from './scan.ts';

export interface ImagePart {
  samples: readonly ScannedFile[];
  targets: PartTargets;
}

/** The targets of a part: known already, or decoded from the samples' files as the inputs are. */
export type PartTargets =
  | { values: Float32Array | BigInt64Array; labels: Uint32Array | null }
  | { decode(index: number): Promise<Uint8Array> };

export type ImageParts = Partial<Record<PartName, ImagePart>> & { train: ImagePart };

/** Class indices as targets. */
export function classTargets(labels: readonly number[]): PartTargets {
  return { values: BigInt64Array.from(labels, BigInt), labels: Uint32Array.from(labels) };
}

export const classColumn: ColumnType = { dtype: 'int64', shape: [], scaled: false };

/** The inputs as targets. */
export function inputTargets(set: ImageSet, samples: readonly ScannedFile[]): PartTargets {
  return {
    async decode(index) {
      const floats = asFloats(await set.decode(samples[index] as ScannedFile), set.column);
      return new Uint8Array(floats.buffer);
    },
  };
}

export function inputColumn(set: ImageSet): ColumnType {
  return { dtype: 'float32', shape: set.column.shape, scaled: false };
}

type Common = Pick<OpenSource, 'readBytes' | 'parts' | 'columns' | 'rows' | 'nameOf' | 'sizes' | 'encoding' | 'write'>;

/** `group`: of each part, whose samples stay together when a split is drawn. */
export function imageSource(
  parts: ImageParts,
  set: ImageSet,
  target: ColumnType,
  group?: { [part: string]: BigInt64Array },
): Common {
  const partAt = (part: string) => parts[part as PartName] as ImagePart;
  const all = Object.entries(parts) as [PartName, ImagePart][];
  return {
    readBytes: all.reduce((sum, [, { samples }]) => samples.reduce((bytes, file) => bytes + file.bytes, sum), 0),
    parts: Object.fromEntries(all.map(([part, { samples }]) => [part, samples.length])) as OpenSource['parts'],
    columns: { input: set.column, target, ...(group ? { group: classColumn } : {}) },
    // What files that are predicted later cannot say of themselves.
    encoding: async () => ({ bits: set.column.dtype === 'uint16' ? 16 : 8 }),
    nameOf: (part, index) => partAt(part).samples[index]?.name ?? String(index),
    rows: (part) => rowsOf(partAt(part), set, target),
    sizes: async (part) =>
      Uint32Array.from(
        partAt(part).samples.flatMap(({ header }) => (header ? uprightSize(header).toReversed() : [0, 0])),
      ),
    async write(part, sink, options) {
      const { samples, targets } = partAt(part);
      const decoded = (column: ColumnType, decode: (index: number) => Promise<Uint8Array>) =>
        decodedRows(samples, decode, rowBytes(column), part, options);
      await sink(
        'input',
        decoded(set.column, (index) => set.decode(samples[index] as ScannedFile)),
      );
      await sink(
        'target',
        'decode' in targets ? decoded(target, targets.decode) : valueRows(targets.values, samples.length),
      );
      const groups = group?.[part];
      if (groups) await sink('group' satisfies ColumnRole, valueRows(groups, samples.length));
    },
  };
}

function valueRows(values: Float32Array | BigInt64Array, count: number): ColumnRows {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const width = bytes.length / Math.max(1, count);
  return async function* (first) {
    if (first < count) yield bytes.subarray(first * width);
  };
}

/** A sample that cannot be read is shown as what the pack holds for it. */
function rowsOf({ samples, targets }: ImagePart, set: ImageSet, target: ColumnType): Rows {
  const bytes = rowBytes(set.column);
  const isClass = !('decode' in targets) && targets.labels !== null;
  return {
    ...(isClass ? {} : { goals: (positions) => goalsOf(targets, target, positions) }),
    inputs: (positions, signal) =>
      Promise.all(
        positions.map(async (index) => {
          signal?.throwIfAborted();
          const values = await set.decode(samples[index] as ScannedFile).catch(() => new Uint8Array(bytes));
          return asFloats(values, set.column);
        }),
      ),
    labels: async () => ('decode' in targets ? null : targets.labels),
  };
}

async function goalsOf(
  targets: PartTargets,
  column: ColumnType,
  positions: readonly number[],
): Promise<Float32Array[]> {
  const bytes = rowBytes(column);
  const width = column.shape.reduce((product, dim) => product * dim, 1);
  return Promise.all(
    positions.map(async (index) => {
      if (!('decode' in targets))
        return Float32Array.from(targets.values.subarray(index * width, (index + 1) * width), Number);
      const row = await targets.decode(index).catch(() => new Uint8Array(bytes));
      return column.dtype === 'uint8' ? Float32Array.from(row) : new Float32Array(row.slice().buffer);
    }),
  );
}
