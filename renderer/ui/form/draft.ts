/**
 * The text of a field while it is typed. It stays what was typed for as long as it means the value that the project has, or means nothing
 * yet; only a change from elsewhere (undo, a fix, another window) replaces it.
 */
import { type KeyboardEvent, useState } from 'react';
import { type Parsed, same } from './parse.ts';

export interface Draft<T> {
  text: T;
  /** Why the text is no value; null where it is one. */
  problem: string | null;
  type: (text: T) => void;
  /** Back to the value that the project has. */
  revert: () => void;
}

/** Undo of what is no value yet takes that back; every value is the project's already, and so is its undo. Answers whether it did. */
export function takeBack(
  event: KeyboardEvent,
  { problem, revert }: Pick<Draft<unknown>, 'problem' | 'revert'>,
): boolean {
  const undoes =
    event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  if (!undoes || problem === null) return false;
  event.preventDefault();
  revert();
  return true;
}

export function useDraft<T>(
  value: unknown,
  show: (value: unknown) => T,
  parse: (text: T) => Parsed,
  tell: (value: unknown) => void,
): Draft<T> {
  const [draft, setDraft] = useState(() => ({ text: show(value), known: value }));
  let { text } = draft;
  if (!same(draft.known, value)) {
    // Told by this field itself, the value means the text; else it comes from elsewhere.
    const meant = parse(text);
    const own = 'value' in meant ? same(meant.value, value) : 'absent' in meant && value === undefined;
    if (!own) text = show(value);
    setDraft({ text, known: value });
  }
  const parsed = parse(text);
  return {
    text,
    problem: 'problem' in parsed ? parsed.problem : null,
    type: (next) => {
      setDraft({ text: next, known: value });
      const meant = parse(next);
      if ('problem' in meant) return;
      const told = 'value' in meant ? meant.value : undefined;
      if (!same(told, value)) tell(told);
    },
    revert: () => setDraft({ text: show(value), known: value }),
  };
}
