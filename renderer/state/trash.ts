/** Deleted runs, for as long as they lie in the workspace's trash. */
import { create } from 'zustand';
import type { TrashedRun } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { engine } from '../client/client.ts';
import { fileName } from './files.ts';
import { infoOf, tell, tellError } from './session.ts';

interface Trash {
  /** null: not told yet. The one deleted last first. */
  list: TrashedRun[] | null;
  error: ErrorInfo | null;
}

export const useTrash = create<Trash>(() => ({ list: null, error: null }));

let reading = false;
let changedMeanwhile = false;

/** Many deletions in a row are read together. */
export async function readTrash(): Promise<void> {
  changedMeanwhile = true;
  if (reading) return;
  reading = true;
  while (changedMeanwhile) {
    changedMeanwhile = false;
    try {
      useTrash.setState({ list: await engine.runs.trash(), error: null });
    } catch (thrown) {
      useTrash.setState({ error: infoOf(thrown) });
    }
  }
  reading = false;
}

/** Brings one back, and tells where its name was taken in the meantime. */
export async function restoreTrashed({ trashed, name }: TrashedRun): Promise<void> {
  try {
    const back = fileName((await engine.runs.restore({ trashed })).run);
    if (back !== name) tell({ tone: 'info', message: `${name} is back as ${back}` });
  } catch (thrown) {
    tellError(thrown);
  }
  await readTrash();
}
