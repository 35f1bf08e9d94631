/** Packing the open project's data: how the pack stands to the data now, and the import that makes it. */
import { useEffect, useState } from 'react';
import type { Imported, ImportState } from '../../engine/contract/data/import.ts';
import { engine } from '../client/client.ts';
import { useChecking } from './data-check.ts';
import { useImportKey } from './data-place.ts';
import { type LongWork, type LongWorks, longWork } from './long-work.ts';
import { readDataAgain, useProjectState } from './project.ts';

type Importing = LongWorks<{ file: string; text: string }, Imported>;

/** By project: to open another one ends no import. */
const works = new Map<string | null, Importing>();

function importingOf(file: string | null): Importing {
  const known = works.get(file);
  if (known) return known;
  const work: Importing = longWork((input, signal) => engine.data.import(input, { signal }));
  works.set(file, work);
  return work;
}

/** The open project's import. */
export function useImporting(): LongWork<Imported> {
  return importingOf(useProjectState(({ file }) => file)).use();
}

export function cancelImport(): void {
  importingOf(useProjectState.getState().file).cancel();
}

export async function importData(key: string): Promise<void> {
  const { file, text } = useProjectState.getState();
  if (file === null) return;
  const imported = await importingOf(file).start(key, { file, text });
  // What an import has found of the files is known from then on.
  if (imported && useProjectState.getState().file === file) readDataAgain();
}

const restMs = 250;

/**
 * null: not known yet, or it cannot be asked as the project stands. Asked again when `round` changes, and after an import or a check; not
 * before it is `due`: what a person looks at is read first.
 */
export function useImportState(round: number, due = true): ImportState | null {
  const key = useImportKey();
  const known = useProjectState(({ facts }) => facts !== null);
  const imported = useImporting().result;
  // A check imports what it reads.
  const checked = useChecking((work) => work.result);
  const [state, setState] = useState<{ key: string; state: ImportState } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stand for all that is asked about
  useEffect(() => {
    if (!known || !due) return;
    const end = new AbortController();
    const ask = async () => {
      const { file, text } = useProjectState.getState();
      if (file === null) return;
      // Where it cannot be told, the import itself says why.
      const found = await engine.data.imported({ file, text }, { signal: end.signal }).catch(() => ({ packed: false }));
      if (!end.signal.aborted) setState({ key, state: found });
    };
    const rest = setTimeout(() => void ask(), restMs);
    return () => {
      clearTimeout(rest);
      end.abort();
    };
  }, [key, known, due, imported, checked, round]);
  return state?.key === key ? state.state : null;
}
