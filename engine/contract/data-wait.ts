/** How much of an epoch's training went by in waiting for batches. */

/** From 0 to 1; null where nothing was measured. */
export function shareWaited(breakdown: Readonly<Record<string, number>> | null): number | null {
  if (!breakdown) return null;
  const total = Object.values(breakdown).reduce((sum, seconds) => sum + seconds, 0);
  return total > 0 ? (breakdown.data ?? 0) / total : null;
}

/** From this share on it is worth a word: more workers, or data on a faster disk, would make the run that much faster. */
export const muchWaiting = 0.05;
