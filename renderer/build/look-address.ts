/** What is looked at inside the network, in the address (`look=val.12`), so that a reload or a second window finds it. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { firstLook, type LookAt, lookOf, lookText } from '../state/look.ts';

interface LookAddress {
  /** null: nothing is looked at. */
  at: LookAt | null;
  show: (open: boolean) => void;
  look: (change: Partial<LookAt>) => void;
}

export function useLookAddress(): LookAddress {
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.get('look');
  const at = useMemo(() => lookOf(text), [text]);
  const set = useCallback(
    (make: (before: LookAt | null) => LookAt | null) =>
      setParameters(
        (old) => {
          const next = new URLSearchParams(old);
          const made = make(lookOf(old.get('look')));
          if (made === null) next.delete('look');
          else next.set('look', lookText(made));
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  const show = useCallback((open: boolean) => set((before) => (open ? (before ?? firstLook) : null)), [set]);
  const look = useCallback(
    (change: Partial<LookAt>) => set((before) => ({ ...(before ?? firstLook), ...change })),
    [set],
  );
  return { at, show, look };
}
