/** Packing the open project's data: how the pack stands to the data now, and the import that makes it. */
import { useEffect, useState } from 'react';
import type { Imported, ImportState } from '../../engine/contract/data/import.ts';
import { engine } from '../client/client.ts';
import { useChecking } from './data-check.ts';
import { useDataKey } from './data-place.ts';
import { longWork } from './long-work.ts';
import { readDataAgain, useProjectState } from './project.ts';

export const importing = longWork<{ file: string; text: string }, Imported>((input, signal) =>
  engine.data.import(input, { signal }),
);

export async function importData(key: string): Promise<void> {
  const { file, text } = useProjectState.getState();
  if (file === null) return;
  // What an import has found of the files is known from then on.
  if (await importing.start(key, { file, text })) readDataAgain();
}

const restMs = 250;

/** null: not known yet, or it cannot be asked as the project stands. Asked again when `round` changes, and after an import or a check. */
export function useImportState(round: number): ImportState | null {
  const { source, split } = useDataKey();
  const known = useProjectState(({ facts }) => facts !== null);
  const imported = importing.use((work) => work.result);
  // A check imports what it reads.
  const checked = useChecking((work) => work.result);
  const [state, setState] = useState<{ key: string; state: ImportState } | null>(null);
  const key = source + split;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stand for all that is asked about
  useEffect(() => {
    if (!known) return;
    const end = new AbortController();
    const ask = async () => {
      const { file, text } = useProjectState.getState();
      if (file === null) return;
      // Where it cannot be told, the import itself says why.
      const found = await engine.data.imported({ file, text }, { signal: end.signal }).catch(() => ({ packed: false }));
      if (!end.signal.aborted) setState({ key, state: found });
    };
    const due = setTimeout(() => void ask(), restMs);
    return () => {
      clearTimeout(due);
      end.abort();
    };
  }, [key, known, imported, checked, round]);
  return state?.key === key ? state.state : null;
}
