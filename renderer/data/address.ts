/** What the page Data shows, in the address (`view=check&sample=train.12`), so that a reload or a second window finds it. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { PartName } from '../../engine/contract/tensors.ts';

export const views = ['samples', 'table', 'check'] as const;
export type View = (typeof views)[number];

export interface SampleAt {
  part: PartName;
  index: number;
}

export function sampleOf(text: string | null): SampleAt | null {
  const [, part, index] = /^(train|val|test)\.(\d{1,12})$/.exec(text ?? '') ?? [];
  return part === undefined ? null : { part: part as PartName, index: Number(index) };
}

export interface DataAddress {
  view: View;
  /** null: none is looked at. */
  sample: SampleAt | null;
  show(view: View): void;
  look(sample: SampleAt | null): void;
}

export function useDataAddress(): DataAddress {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get('view') as View | null;
  const view = asked !== null && views.includes(asked) ? asked : 'samples';
  const text = parameters.get('sample');
  const sample = useMemo(() => sampleOf(text), [text]);
  const set = useCallback(
    (key: string, value: string | null, replace: boolean) =>
      setParameters(
        (old) => {
          const next = new URLSearchParams(old);
          if (value === null) next.delete(key);
          else next.set(key, value);
          return next;
        },
        { replace },
      ),
    [setParameters],
  );
  const show = useCallback((next: View) => set('view', next === 'samples' ? null : next, false), [set]);
  const look = useCallback(
    (at: SampleAt | null) => set('sample', at === null ? null : `${at.part}.${at.index}`, true),
    [set],
  );
  return { view, sample, show, look };
}
