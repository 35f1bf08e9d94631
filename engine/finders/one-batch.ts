/** A split of one batch, as evaluations take it: measuring one needs no more. */
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NativePlan, NativeSplit } from '../contract/native.ts';

const name = 'probe';

/** `folder` is to hold its indices, which `write` writes for the plan without it. */
export function oneBatch(folder: string, size: number) {
  const indices = path.join(folder, `${name}.i64`);
  return {
    name,
    added(native: NativePlan): NativePlan['data'] {
      const { part, count } = sourceOf(native);
      const splits = { ...native.data.splits, [name]: { part, count: Math.min(size, count), indices } };
      return { ...native.data, splits };
    },
    write: (native: NativePlan) => writeIndices(native, size, indices),
  };
}

/** As many samples as an evaluation takes at once: of the validation split where there is one. */
function sourceOf(native: NativePlan): NativeSplit {
  return native.data.splits.val ?? (native.data.splits.train as NativeSplit);
}

async function writeIndices(native: NativePlan, size: number, file: string): Promise<void> {
  const source = sourceOf(native);
  const rows = Buffer.alloc(8 * Math.min(size, source.count));
  if (source.indices === undefined) {
    for (let row = 0; row * 8 < rows.length; row += 1) rows.writeBigInt64LE(BigInt(row), row * 8);
  } else {
    const all = await open(source.indices, 'r');
    try {
      await all.read(rows, 0, rows.length, 0);
    } finally {
      await all.close();
    }
  }
  await writeFile(file, rows);
}
