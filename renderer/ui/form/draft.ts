/**
 * The text of a field while it is typed. It stays what was typed for as long as it means the value that the project has, or means nothing
 * yet; only a change from elsewhere (undo, a fix, another window) replaces it.
 */
import { useState } from 'react';
import { type Parsed, same } from './parse.ts';

export interface Draft<T> {
  text: T;
  /** Why the text is no value; null where it is one. */
  problem: string | null;
  type: (text: T) => void;
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
  };
}
