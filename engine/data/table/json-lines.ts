/** JSON lines of which some are none: the others are read, and these are told by their line. */
import type { Ragged } from './ingest.ts';

export interface JsonLines {
  good: number;
  bad: Ragged[];
  badCount: number;
}

/** Lines that are kept by number; more are counted. */
const mostKept = 1_000;
/** Longer, and it is no line of a table. */
const longestLine = 64 << 20;

/** Each object's line as it stands; in place of any other an empty object, so that the rows after it keep their numbers. Counts into `told`. */
export async function* objectLines(text: AsyncIterable<string>, told: JsonLines): AsyncGenerator<string> {
  let line = 0;
  let rest = '';
  const take = (one: string): string => {
    line++;
    if (one.trim() === '') return '';
    const fault = faultOf(one);
    if (fault === null) {
      told.good++;
      return `${one}\n`;
    }
    told.badCount++;
    if (told.bad.length < mostKept) told.bad.push({ line, reason: fault });
    return '{}\n';
  };
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new Error(`line ${line + 1} is longer than ${longestLine >> 20} MiB`);
    yield lines.map(take).join('');
  }
  yield take(rest);
}

function faultOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'it is no object of values';
  } catch {
    return `it is no JSON: ${JSON.stringify(line.trim().slice(0, 60))}`;
  }
}
