/** A value that is made anew more often than it differs: what is equal to the one before stays that one. */
import { useState } from 'react';

/** Compared as JSON: for short lists of plain things. */
export function useSame<T>(value: T): T {
  const [kept, setKept] = useState(value);
  if (kept === value || JSON.stringify(kept) === JSON.stringify(value)) return kept;
  setKept(value);
  return value;
}
