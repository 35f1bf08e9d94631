/** Shapes that several grids are tried on. */

/** Of every rank, for kinds that take any. */
export const anyRank = [[3, 4, 6], [6], [1], [4, 6], [2, 3, 4, 5], [1, 1], [2, 1, 3, 2, 2]];

/** Images: of sizes around the windows', and of other ranks. */
export const images = [
  [4, 8, 9],
  [4, 3, 3],
  [4, 2, 7],
  [4, 1, 1],
  [1, 12, 5],
  [6, 9],
  [9],
  [4, 3, 5, 6],
  [2, 2, 2, 2, 2],
];

/** Sequences of channels. */
export const signals = [[4, 9], [4, 3], [4, 2], [4, 1], [1, 16], [9], [4, 8, 9], [4, 3, 5, 6]];

/** Volumes. */
export const volumes = [
  [4, 5, 6, 4],
  [4, 3, 3, 3],
  [4, 2, 5, 3],
  [2, 1, 1, 1],
  [1, 7, 4, 6],
  [4, 8, 9],
  [9],
  [6, 9],
  [2, 3, 2, 2, 2],
];

/** What a kind of rank 1, 2 or 3 is tried on. */
export const ofRank = { 1: signals, 2: images, 3: volumes } as const;

export type Rank = keyof typeof ofRank;

/** A value for each side, made unequal: [2], [2, 3] or [2, 3, 4]. */
export function sides(rank: Rank, ...values: number[]): number[] {
  return Array.from({ length: rank }, (_, side) => values[side % values.length] as number);
}
