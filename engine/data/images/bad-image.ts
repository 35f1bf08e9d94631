/** Why a file that is or should be an image cannot be read. */

/** The message is part of a sentence about the file: `it is cut short`. */
export class BadImage extends Error {}

/** The first line of what a library says. */
export function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return (text.split('\n')[0] ?? '').trim();
}
