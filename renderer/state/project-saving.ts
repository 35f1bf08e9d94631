/** Saves the open project by itself, and notices when another window or program changes its file. */
import type { OpenProject } from '../../engine/contract/api.ts';
import { GradloomError } from '../../engine/contract/errors.ts';
import { connection, engine, keepAsking } from '../client/client.ts';
import { keepHistory } from './project-history.ts';
import { hasUnsaved, useProjectState } from './project-state.ts';
import { infoOf } from './session.ts';

const autosaveMs = 400;

let saving: Promise<void> | null = null;
let autosave: ReturnType<typeof setTimeout> | undefined;

/** Saves what is not saved yet; a conflict waits for the person. */
export async function saveNow(): Promise<void> {
  clearTimeout(autosave);
  while (saving) await saving;
  if (hasUnsaved() && useProjectState.getState().save.kind !== 'conflict') await store(false);
  await keepHistory();
}

/** One save at a time: the next one starts from the revision that this one has made. */
export function store(overwrite: boolean): Promise<void> {
  saving = write(overwrite).finally(() => {
    saving = null;
  });
  return saving;
}

async function write(overwrite: boolean): Promise<void> {
  const { file, text, revision } = useProjectState.getState();
  if (file === null) return;
  useProjectState.setState({ save: { kind: 'saving' } });
  try {
    const saved = await engine.projects.save({ file, revision, text, overwrite });
    if (useProjectState.getState().file !== file) return;
    const more = useProjectState.getState().text !== text;
    useProjectState.setState({
      revision: saved.revision,
      savedText: text,
      save: { kind: more ? 'unsaved' : 'saved' },
    });
    if (more) scheduleSave();
    watchFile();
  } catch (thrown) {
    if (useProjectState.getState().file !== file) return;
    const error = GradloomError.from(thrown);
    if (error.code === 'STALE_REVISION') return useProjectState.setState({ save: { kind: 'conflict', revision: '' } });
    useProjectState.setState({ save: { kind: 'failed', error: error.toInfo() } });
    if (error.code === 'CLOSED') void connection.ready().then(scheduleSave);
  }
}

function scheduleSave(): void {
  clearTimeout(autosave);
  autosave = setTimeout(() => void saveNow(), autosaveMs);
}

useProjectState.subscribe((now, before) => {
  if (now.text === before.text || now.file !== before.file) return;
  if (now.save.kind !== 'conflict' && now.save.kind !== 'saving') {
    useProjectState.setState({ save: { kind: now.text === now.savedText ? 'saved' : 'unsaved' } });
  }
  // Also where there is nothing to save any more: the steps that were taken are kept.
  if (now.save.kind !== 'saving') scheduleSave();
});

/** What another one saved, as a step that can be undone: ours is not lost. */
export function takeTheirs({ text, revision }: OpenProject): void {
  useProjectState.setState({ text, savedText: text, revision, save: { kind: 'saved' } });
  watchFile();
}

let watching: AbortController | null = null;

export function stopWatching(): void {
  watching?.abort();
}

/** Notices that another window or program changed the file: loaded where nothing of ours would be lost, else a conflict. */
export function watchFile(): void {
  watching?.abort();
  const { file, revision } = useProjectState.getState();
  if (file === null) return;
  const here = new AbortController();
  watching = here;
  const stillHere = () => {
    const now = useProjectState.getState();
    return !here.signal.aborted && now.file === file && now.revision === revision;
  };
  let seen = revision;
  void keepAsking(
    async (signal) => {
      const answer = await engine.projects.watch({ file, revision: seen }, { signal });
      if (!stillHere() || answer.revision === seen) return;
      const { text, savedText, save } = useProjectState.getState();
      if (save.kind === 'saving') {
        await saving; // it watches what it has written
        return;
      }
      if (answer.revision === null || text !== savedText) {
        here.abort();
        useProjectState.setState({ save: { kind: 'conflict', revision: answer.revision } });
        return;
      }
      const theirs = await engine.projects.open({ file }).catch((thrown: unknown) => {
        const error = infoOf(thrown);
        if (error.code === 'CLOSED') throw thrown;
        return error;
      });
      if (!stillHere()) return;
      if ('text' in theirs) {
        here.abort();
        takeTheirs(theirs);
        return;
      }
      // Whoever works on the file may mend it: it is looked at again when it changes.
      seen = answer.revision;
      useProjectState.setState({ save: { kind: 'conflict', revision: answer.revision, error: theirs } });
    },
    here.signal,
    () => true,
  );
}
