/** An opened source of paired arrays: how their elements become a pack's columns. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { PartName, TargetKind, TargetType } from '../../contract/tensors.ts';
import type { ColumnType, OpenSource } from '../open-source.ts';
import type { Kept } from '../rows.ts';
import { type ArrayFile, readFloats, readIndices, unsignedByte } from './array-file.ts';
import { checkAlike, type Pair, type Parts } from './pairing.ts';
import { arrayRows } from './row-reads.ts';
import { highestLabel, targetsOf, vectors } from './targets.ts';
import { type ArrayColumns, tokensOf } from './tokens.ts';

export interface PairedSettings {
  /** What the targets are; null: by the arrays. */
  target: TargetKind | 'input' | null;
  /** Whole numbers of the inputs are tokens. */
  tokens?: boolean;
  /** N stays without a dim, and H × W without a channel. */
  asIs?: boolean;
  /** Of the source's settings, those that decide what is packed. */
  identity: unknown[];
  notes?: DataNote[];
}

/** @throws GradloomError DATA_COUNT, DATA_FORMAT */
export async function openPairs(parts: Parts, settings: PairedSettings): Promise<OpenSource> {
  const pairs = Object.entries(parts) as [PartName, Pair][];
  const arrays = [...new Set(pairs.flatMap(([, pair]) => [pair.input, pair.target]))];
  const files = new Map(arrays.map((array) => [array.path, array]));
  checkAlike(parts);
  const { input, inputs, targets } = await columnsOf(parts.train, settings);
  const tokens = settings.tokens ? { tokens: await tokensOfParts(pairs) } : {};

  return {
    identity: [...arrays.map((array) => [array.label, array.fileBytes, array.modified]), ...settings.identity],
    readBytes: [...files.values()].reduce((sum, file) => sum + file.fileBytes, 0),
    parts: Object.fromEntries(pairs.map(([part, pair]) => [part, pair.input.dims[0] as number])) as OpenSource['parts'],
    columns: { input, target: targets.column },
    ...tokens,
    ...(settings.notes && settings.notes.length > 0 ? { notes: settings.notes } : {}),
    // Tokens are looked at as they are packed: a row of the file is both what is read and what is predicted.
    ...(targets.kind === 'next_token'
      ? {}
      : {
          rows: (part: string, keep: Kept) => arrayRows(parts[part as PartName] as Pair, isClass(targets.column), keep),
        }),
    async target(): Promise<TargetType> {
      for (const array of arrays) await array.check();
      return targets.describe(pairs.map(([part, pair]) => [part, pair.target]));
    },
    async write(part, sink, { signal, onRead }) {
      const pair = parts[part as PartName] as Pair;
      const read = (file: ArrayFile) => ({ signal, onRead: onRead && ((bytes: number) => onRead(file.label, bytes)) });
      await sink('input', inputs(pair.input, read(pair.input)));
      await sink('target', targets.rows(pair.target, read(pair.target)));
    },
  };
}

const isClass = ({ dtype, shape }: ColumnType) => dtype === 'int64' && shape.length === 0;

async function columnsOf({ input, target }: Pair, settings: PairedSettings): Promise<ArrayColumns> {
  if (settings.target === 'next_token') return tokensOf(input);
  const column = inputColumn(input, settings);
  return {
    input: column,
    inputs:
      column.dtype === 'int64' ? readIndices : column.scaled ? (file, options) => file.elements(options) : readFloats,
    targets: settings.target === 'input' ? vectors(column.shape) : await targetsOf(target, settings.target),
  };
}

/** N becomes [1], N×H×W becomes 1×H×W; other ranks stay. */
function inputColumn(file: ArrayFile, { tokens, asIs }: PairedSettings): ColumnType {
  const dims = file.dims.slice(1);
  const shape = dims.length === 0 || (dims.length === 2 && !asIs && !tokens) ? [1, ...dims] : dims;
  if (tokens) return { dtype: 'int64', shape, scaled: false };
  const bytes = file.type === unsignedByte;
  return { dtype: bytes ? 'uint8' : 'float32', shape, scaled: bytes };
}

async function tokensOfParts(pairs: [PartName, Pair][]): Promise<number> {
  const highest = await Promise.all(pairs.map(([, { input }]) => highestLabel(input)));
  return Math.max(...highest) + 1;
}
