/** What a folded block holds, in a line: its kinds in their order, what repeats told once. Pure. */
import type { LayerCategory } from '../../engine/contract/layers/kind.ts';
import type { Inside } from '../state/stack-inside.ts';
import { categoryOf } from './categories.ts';

/** The longest part that is looked for again behind itself. */
const longestPart = 8;

/** "Conv2d · BatchNorm2d · ReLU ×2"; "Conv2d · (BatchNorm2d · ReLU) ×2"; of branches "Conv2d | MaxPool2d". */
export function insideWords(lanes: Inside['lanes']): string {
  return lanes.map((lane) => (lane.length === 0 ? 'its input' : listWords(lane))).join(' | ');
}

function listWords(layers: readonly Inside[]): string {
  const words = layers.map((layer) => layerWords(layer, layers.length === 1));
  const parts: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { length, times } = repetitionAt(words, at);
    const text = words.slice(at, at + length).join(' · ');
    const whole = at === 0 && length * times === words.length;
    parts.push(times === 1 ? text : length === 1 || whole ? `${text} ×${times}` : `(${text}) ×${times}`);
    at += length * times;
  }
  return parts.join(' · ');
}

/** What stands at a place and follows itself there: the one that covers most, of those the shortest. */
function repetitionAt(words: readonly string[], at: number): { length: number; times: number } {
  let best = { length: 1, times: 1 };
  for (let length = 1; length <= Math.min(longestPart, (words.length - at) / 2); length++) {
    const same = (offset: number) => words[at + (offset % length)] === words[at + offset];
    let covered = length;
    while (at + covered < words.length && same(covered)) covered++;
    const times = Math.floor(covered / length);
    if (times > 1 && times * length > best.times * best.length) best = { length, times };
  }
  return best;
}

/** A block by its kind; one that stands alone with what it holds, so that no fold tells nothing but another. */
function layerWords({ kind, times, lanes }: Inside, alone: boolean): string {
  const name = times === undefined ? kind : `${kind} ×${times}`;
  return alone && lanes.some((lane) => lane.length > 0) ? `${name} (${insideWords(lanes)})` : name;
}

/** A block's layers as colours, all levels in one row; a repetition once. */
export function insideColors(lanes: Inside['lanes'], most: number): (LayerCategory | null)[] {
  const found: (LayerCategory | null)[] = [];
  const walk = (list: readonly Inside[]) => {
    for (const { kind, lanes: inner } of list) {
      if (found.length >= most) return;
      if (inner.length === 0) found.push(categoryOf(kind));
      else for (const each of inner) walk(each);
    }
  };
  for (const lane of lanes) walk(lane);
  return found;
}
