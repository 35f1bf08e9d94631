/** How far a long work is, in words. Pure. */
import type { TaskProgress } from '../../engine/contract/finders.ts';
import { integer } from '../ui/index.ts';

/** `412 of 8,415`; empty where it is not known. */
export function progressWords(progress: TaskProgress | null, show: (value: number) => string = integer): string {
  return progress && progress.total > 0 ? `${show(progress.done)} of ${show(progress.total)}` : '';
}

export const shareOf = (progress: TaskProgress | null): number | null =>
  progress && progress.total > 0 ? progress.done / progress.total : null;
