/** Marks on single samples of the open project's data: read from beside the data, put, taken away, undone. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { Mark, MarkChange } from '../../engine/contract/data/marks.ts';
import { engine } from '../client/client.ts';
import { sourceNow, useSource } from './data-place.ts';
import { readDataAgain } from './project-facts.ts';
import { useProjectState } from './project-state.ts';
import { dismissToast, tell, tellError, useSession } from './session.ts';

type Part = Mark['part'];

interface Undo {
  back: MarkChange[];
  text: string;
  toast: string;
}

interface Marks {
  /** Of which source they are; null: none is read. */
  key: string | null;
  marks: readonly Mark[];
  byName: ReadonlyMap<string, Mark>;
  /** Where they lie. */
  file: string | null;
  /** How often they were changed in this window: what counts samples is asked again. */
  changes: number;
  /** What would take back each change, the newest last; `text` is the project's when it was made. */
  undo: readonly Undo[];
}

const none: Marks = { key: null, marks: [], byName: new Map(), file: null, changes: 0, undo: [] };

export const useMarks = create<Marks>(() => none);

const nameOf = (part: Part, sample: string) => `${part}\n${sample}`;
const named = (marks: readonly Mark[]) => new Map(marks.map((mark) => [nameOf(mark.part, mark.sample), mark]));

/** Keeps them those of the open project's source. */
export function useMarksOfProject(): void {
  const source = useSource();
  useEffect(() => {
    useMarks.setState(({ changes }) => ({ ...none, changes }));
    if (source === null) return;
    const end = new AbortController();
    const { key, ...ofProject } = source;
    engine.data.marks.list(ofProject, { signal: end.signal }).then(
      ({ marks, file }) => {
        if (!end.signal.aborted) useMarks.setState({ key, marks, byName: named(marks), file });
      },
      // Data that cannot be read is told where it is chosen.
      () => {},
    );
    return () => end.abort();
  }, [source]);
}

export function markOf({ byName }: Marks, part: Part, sample: string): Mark | null {
  return byName.get(nameOf(part, sample)) ?? null;
}

/** `done`: what was done, in words, for who wants it undone. Answers whether it was. */
export async function changeMarks(changes: readonly MarkChange[], done: string): Promise<boolean> {
  const before = useMarks.getState();
  const back = changes.map(({ part, sample }) => ({ part, sample, mark: saidBy(markOf(before, part, sample)) }));
  if (!(await put(changes))) return false;
  const { text } = useProjectState.getState();
  // Who marks one sample after the other wants to see the last one told.
  for (const { toast } of useMarks.getState().undo) untell(toast);
  const made: Undo = { back, text, toast: done };
  useMarks.setState(({ undo }) => ({ undo: [...undo, made] }));
  tell({ tone: 'info', message: done, action: { label: 'Undo', run: () => void undoMarks(made) } });
  return true;
}

function untell(message: string): void {
  for (const toast of useSession.getState().toasts) if (toast.message === message) dismissToast(toast.id);
}

/** Takes a change back, the newest unless said; false where there is none. */
export async function undoMarks(which = useMarks.getState().undo.at(-1)): Promise<boolean> {
  if (!which) return false;
  untell(which.toast);
  useMarks.setState(({ undo }) => ({ undo: undo.filter((each) => each !== which) }));
  return put(which.back);
}

/** Whether the last thing that was done to the project and its data is a mark: then undo means that. */
export function isMarkNewest(): boolean {
  return useMarks.getState().undo.at(-1)?.text === useProjectState.getState().text;
}

function saidBy(mark: Mark | null): MarkChange['mark'] {
  if (mark === null) return null;
  const { part: _, sample: __, ...value } = mark;
  return value;
}

async function put(changes: readonly MarkChange[]): Promise<boolean> {
  const source = sourceNow();
  if (source === null) return false;
  const { key, ...ofProject } = source;
  try {
    const { marks } = await engine.data.marks.set({ ...ofProject, changes: [...changes] });
    if (sourceNow()?.key === key) {
      useMarks.setState((state) => ({ key, marks, byName: named(marks), changes: state.changes + 1 }));
      readDataAgain(); // what takes part is counted anew
    }
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}
