/** Marks put by single keys: X leaves a sample out, digits say its class, Ctrl+Z takes the last mark back. */
import type { KeyboardEvent } from 'react';
import type { PartName, TargetType } from '../../engine/contract/tensors.ts';
import type { PreviewSample } from '../../engine/contract/wire.ts';
import { changeMarks, isMarkNewest, markOf, undoMarks, useMarks } from '../state/data-marks.ts';
import { type MarkEdit, type MarkValue, marked } from '../state/mark-value.ts';
import { captionOf, labelOf, markName } from './sample-words.ts';

export interface Markable {
  part: PartName;
  sample: PreviewSample;
  target: TargetType;
}

const shortest = (name: string) => (name.length > 40 ? `…${name.slice(-39)}` : name);

/** Puts a change to a sample's mark, and tells it so that it can be undone. */
export function mark({ part, sample }: Markable, change: MarkEdit, done: string): Promise<boolean> {
  const name = markName(sample);
  const before: MarkValue | null = markOf(useMarks.getState(), part, name);
  return changeMarks([{ part, sample: name, mark: marked(plain(before), change) }], done);
}

function plain(before: MarkValue | null): MarkValue | null {
  if (before === null) return null;
  const { exclude, label, note } = before;
  return marked(null, { exclude, label, note });
}

export function leaveOut(at: Markable): Promise<boolean> {
  const name = shortest(markName(at.sample));
  const out = markOf(useMarks.getState(), at.part, markName(at.sample))?.exclude === true;
  return mark(at, { exclude: !out }, out ? `${name} takes part again` : `${name} is left out`);
}

/** `label` of its own class: it is right as it is. */
export function relabel(at: Markable, label: string): Promise<boolean> {
  const name = shortest(markName(at.sample));
  const own = captionOf(at.sample, at.target);
  return label === own
    ? mark(at, { label: undefined }, `${name} keeps its class ${label}`)
    : mark(at, { label }, `${name} is of class ${label}`);
}

/** Answers whether the key was one of these. */
export function pressMarkKey(event: KeyboardEvent, at: Markable): boolean {
  const command = event.ctrlKey || event.metaKey;
  if (command && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'z') {
    if (!isMarkNewest()) return false;
    event.preventDefault();
    void undoMarks();
    return true;
  }
  // Before they are read, a mark that is there already would be lost.
  if (command || event.altKey || useMarks.getState().key === null) return false;
  if (event.key.toLowerCase() === 'x') {
    event.preventDefault();
    void leaveOut(at);
    return true;
  }
  const label = at.target.kind === 'class' ? labelOf(event.key, at.target.classes) : undefined;
  if (label === undefined) return false;
  event.preventDefault();
  void relabel(at, label);
  return true;
}
