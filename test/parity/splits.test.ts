/** Splits computed a second time, in Python, from torch.randperm and the rule that the documentation states. */
import { expect, test } from 'vitest';
import { drawSplit } from '../../engine/data/draw.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { runPython } from './python.ts';

interface Case {
  count: number;
  labels: number[] | null;
  excluded: number[];
  /** As text, so that Python reads the decimal fraction exactly. */
  val: string;
  seed: number;
}

const cases: Case[] = [10, 97, 1000, 4096].flatMap((count, size) =>
  ['0.1', '0.25', '0.29', '0.5'].flatMap((val, at) =>
    [null, 3, 10].map((classes, which) => ({
      count,
      val,
      labels: classes === null ? null : Array.from({ length: count }, (_, i) => ((i * i + size) % 17) % classes),
      excluded: which === 1 ? [] : Array.from({ length: Math.floor(count / 13) }, (_, i) => i * 7 + at),
      seed: [0, 42, 2 ** 40, 7][at] as number,
    })),
  ),
);

test('samples validate that torch.randperm and the largest remainders say, with exclusions and without', async () => {
  const addon = loadAddon();
  const expected = await runPython<{ train: number[]; val: number[] }[]>('splits.py', cases);
  for (const [at, { val, labels, count, excluded, seed }] of cases.entries()) {
    const drawn = drawSplit(
      { count, labels, excluded },
      { val: Number(val), seed, stratify: labels !== null },
      (n, s) => addon.randperm(n, s),
    );
    expect({ train: [...drawn.train], val: [...drawn.val] }, JSON.stringify({ at, val, count })).toEqual(expected[at]);
  }
}, 300_000);
