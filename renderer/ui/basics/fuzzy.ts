/** Fuzzy search as palettes do it: letters in order, best where words begin and where they stand together. */

/** How well `query` fits `text`, higher is better; null where it does not, with the places of the letters that fit. */
export function fuzzy(query: string, text: string): { score: number; at: number[] } | null {
  const wanted = query.trim().toLowerCase();
  const low = text.toLowerCase();
  if (wanted === '') return { score: 0, at: [] };
  const whole = low.indexOf(wanted);
  if (whole >= 0) {
    const begins = whole === 0 ? 60 : isStart(text, whole) ? 40 : 0;
    return {
      score: 100 + begins - whole - text.length / 10,
      at: Array.from({ length: wanted.length }, (_, index) => whole + index),
    };
  }
  const at: number[] = [];
  let score = 0;
  let from = 0;
  for (const letter of wanted) {
    if (letter === ' ') continue;
    let found = low.indexOf(letter, from);
    if (found < 0) return null;
    // A word's beginning further on fits better than a letter inside this one.
    for (let next = found; next >= 0 && found !== (at.at(-1) ?? -2) + 1; next = low.indexOf(letter, next + 1)) {
      if (!isStart(text, next)) continue;
      found = next;
      break;
    }
    if (isStart(text, found)) score += 12;
    if (found === (at.at(-1) ?? -2) + 1) score += 8;
    score -= Math.min(6, found - from);
    at.push(found);
    from = found + 1;
  }
  return { score: score - text.length / 10, at };
}

/** Whether a word begins there: after a space or sign, at a capital, at a digit after a letter. */
function isStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const [before, here] = [text[index - 1] as string, text[index] as string];
  return /[^\p{L}\p{N}]/u.test(before) || (/\p{Ll}/u.test(before) && /[\p{Lu}\p{N}]/u.test(here));
}

/** The items that fit, best first; equal ones keep their order. */
export function search<T>(query: string, items: readonly T[], textOf: (item: T) => readonly string[]): T[] {
  if (query.trim() === '') return [...items];
  return items
    .map((item, index) => {
      // What is found by its first text alone counts more than by a keyword.
      const scores = textOf(item).map((text, place) => (fuzzy(query, text)?.score ?? -Infinity) - place * 20);
      return { item, index, score: Math.max(...scores) };
    })
    .filter(({ score }) => score > -Infinity)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ item }) => item);
}
