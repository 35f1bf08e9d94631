/** The open project as the window holds it: its text, the file that the text is of, and what is known of its data. */
import { temporal } from 'zundo';
import { create } from 'zustand';
import type { Draft } from '../../engine/contract/api-keep.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { mostSteps } from '../../engine/contract/history.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';

export type SaveState =
  | { kind: 'saved' }
  | { kind: 'unsaved' }
  | { kind: 'saving' }
  /** The file was changed by another window or program; `revision` null: it is gone; `error`: it cannot be read as a project any more. */
  | { kind: 'conflict'; revision: string | null; error?: ErrorInfo }
  | { kind: 'failed'; error: ErrorInfo };

export interface ProjectState {
  /** null: no project is open. */
  file: string | null;
  revision: string;
  /** What the file holds as far as this window knows. */
  savedText: string;
  text: string;
  save: SaveState;
  opening: boolean;
  /** Why the project that the address names could not be opened. */
  openError: ErrorInfo | null;
  /** Texts that another window left without saving them; the person says what becomes of them, the first one first. */
  drafts: readonly Draft[];
  facts: DataFacts | null;
  factsError: ErrorInfo | null;
  /** The data is being read for the first time: that it is not known is no problem yet. */
  factsAwaited: boolean;
}

export const closed: ProjectState = {
  file: null,
  revision: '',
  savedText: '',
  text: '',
  save: { kind: 'saved' },
  opening: false,
  openError: null,
  drafts: [],
  facts: null,
  factsError: null,
  factsAwaited: false,
};

export const useProjectState = create<ProjectState>()(
  temporal(() => closed, {
    partialize: ({ text }) => ({ text }),
    equality: (before, after) => before.text === after.text,
    limit: mostSteps,
  }),
);

export function hasUnsaved(): boolean {
  const { file, text, savedText } = useProjectState.getState();
  return file !== null && text !== savedText;
}
