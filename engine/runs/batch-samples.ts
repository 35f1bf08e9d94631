/** Which samples a training batch is made of, and which of them the data itself has with values that are not finite. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Addon, NativeColumn, NativePlan, NativeSplit } from '../contract/native.ts';

/** Positions in the split's part, in the batch's order. `epoch` and `batch` from 0. */
export function samplesOfBatch(
  plan: NativePlan,
  addon: Pick<Addon, 'epochOrder'>,
  epoch: number,
  batch: number,
): number[] {
  const split = plan.data.splits.train as NativeSplit;
  const { batch_size } = plan.loader;
  const order = addon.epochOrder(JSON.stringify(plan), epoch);
  return rowsAt(split, [...order.slice(batch * batch_size, (batch + 1) * batch_size)]);
}

/** Positions in the part of positions in the split. */
export function rowsAt({ indices }: NativeSplit, positions: readonly number[]): number[] {
  if (indices === undefined) return [...positions];
  const file = openSync(indices, 'r');
  try {
    const row = Buffer.alloc(8);
    return positions.map((position) => {
      readSync(file, row, 0, 8, position * 8);
      return Number(row.readBigInt64LE());
    });
  } finally {
    closeSync(file);
  }
}

/** Those samples whose stored floats are not all finite. */
export function notFinite(column: NativeColumn, samples: readonly number[]): number[] {
  if (column.dtype !== 'float32') return [];
  const rowBytes = 4 * column.shape.reduce((product, dim) => product * dim, 1);
  const row = Buffer.alloc(rowBytes);
  const file = openSync(column.path, 'r');
  try {
    return samples.filter((sample) => {
      readSync(file, row, 0, rowBytes, sample * rowBytes);
      for (let at = 0; at < rowBytes; at += 4) if (!Number.isFinite(row.readFloatLE(at))) return true;
      return false;
    });
  } finally {
    closeSync(file);
  }
}

/** Whether every target of these samples is one of those classes. */
export function allTargetsIn(column: NativeColumn, samples: readonly number[], wanted: ReadonlySet<number>): boolean {
  if (column.dtype !== 'int64' || samples.length === 0) return false;
  const values = column.shape.reduce((product, dim) => product * dim, 1);
  const row = Buffer.alloc(8 * values);
  const file = openSync(column.path, 'r');
  try {
    return samples.every((sample) => {
      readSync(file, row, 0, row.length, sample * row.length);
      for (let at = 0; at < row.length; at += 8) if (!wanted.has(Number(row.readBigInt64LE(at)))) return false;
      return true;
    });
  } finally {
    closeSync(file);
  }
}
