/** A choice of how things are shown, kept from one visit to the next in this browser or window. */
import { useCallback, useState } from 'react';

export type Kept = string | number | boolean;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`gradloom.${key}`) ?? 'null');
  } catch {
    return null;
  }
}

/** `isValid` judges what was kept by an earlier version. */
export function useKept<T extends Kept>(
  key: string,
  initial: T,
  isValid: (value: unknown) => boolean = (value) => typeof value === typeof initial,
): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = read(key);
    return kept !== null && isValid(kept) ? (kept as T) : initial;
  });
  const change = useCallback(
    (next: T) => {
      setValue(next);
      try {
        localStorage.setItem(`gradloom.${key}`, JSON.stringify(next));
      } catch {
        // Kept until the page is left.
      }
    },
    [key],
  );
  return [value, change];
}
