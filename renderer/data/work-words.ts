/** How far a long work is, in words. Pure. */
import type { TaskProgress } from '../../engine/contract/finders.ts';
import { bytes, capital, duration, integer } from '../ui/index.ts';

/** What is read of files is counted in bytes, and told by the file's name alone. */
const importing = /^importing(?: (.*))?$/;

/** null: nothing is known yet. */
export function stageWords(progress: TaskProgress | null): string | null {
  if (progress === null) return null;
  const [found, file] = importing.exec(progress.stage) ?? [];
  if (found === undefined) return capital(progress.stage);
  return file === undefined ? 'Importing' : `Importing ${file.split(/[\\/]/).at(-1)}`;
}

/** `412 of 8,415`; empty where it is not known. */
export function progressWords(progress: TaskProgress | null, show?: (value: number) => string): string {
  if (!progress || !(progress.total > 0)) return '';
  const told = show ?? (importing.test(progress.stage) ? bytes : integer);
  const left = progress.seconds_left;
  const wait = left === undefined || left < 5 ? '' : `, about ${duration(left)} left`;
  return `${told(progress.done)} of ${told(progress.total)}${wait}`;
}

export const shareOf = (progress: TaskProgress | null): number | null =>
  progress && progress.total > 0 ? progress.done / progress.total : null;
