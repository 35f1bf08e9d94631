/** The open project, opened and closed; what the rest of the window uses of it stands here together. */
import type { OpenProject } from '../../engine/contract/api.ts';
import { engine } from '../client/client.ts';
import { type Kept, readKept } from './project-drafts.ts';
import { refreshFacts } from './project-facts.ts';
import { startHistory } from './project-history.ts';
import { saveNow, stopWatching, store, takeTheirs, watchFile } from './project-saving.ts';
import { closed, hasUnsaved, useProjectState } from './project-state.ts';
import { infoOf, tell, tellError } from './session.ts';

export { settleDraft } from './project-drafts.ts';
export { readDataAgain } from './project-facts.ts';
export { edit, editWhile, redo, undo, useHistory, useLastStep } from './project-history.ts';
export { saveNow } from './project-saving.ts';
export { hasUnsaved, type SaveState, useProjectState } from './project-state.ts';
export { currentProject, type ProjectView, usePlan, useProject } from './project-view.ts';

let lastOpening = 0;

/** Takes a project into this window, unless the one that is open holds what cannot be saved, or another is asked for meanwhile. */
export async function openProject(load: () => Promise<OpenProject>): Promise<boolean> {
  lastOpening += 1;
  const opening = lastOpening;
  if (!(await keepChanges())) return false;
  useProjectState.setState({ opening: true, openError: null });
  try {
    const loaded = await load();
    const kept = await readKept(loaded.file, loaded.text);
    if (opening !== lastOpening) return false;
    const saved = await keepChanges(); // it could be edited while the other was on its way
    if (saved) take(loaded, kept);
    else useProjectState.setState({ opening: false });
    return saved;
  } catch (thrown) {
    if (opening !== lastOpening) return false;
    useProjectState.setState({ opening: false, openError: infoOf(thrown) });
    if (useProjectState.getState().file !== null) tellError(thrown); // the page shows the project that stays
    return false;
  }
}

/** Saves what the open project holds. Where that cannot be done, a person is told, and nothing may take its place. */
async function keepChanges(): Promise<boolean> {
  await saveNow();
  if (!hasUnsaved()) return true;
  tell({
    tone: 'error',
    message: 'The open project has changes that are not saved',
    hint: 'Choose in the bar above the page what becomes of them, then try again.',
  });
  return false;
}

function take({ file, text, revision }: OpenProject, { history, drafts }: Kept): void {
  useProjectState.setState({ ...closed, file, text, savedText: text, revision, drafts });
  startHistory(history);
  void refreshFacts();
  watchFile();
}

/** Answers false, and tells why, where it holds what cannot be saved. */
export async function closeProject(): Promise<boolean> {
  if (!(await keepChanges())) return false;
  lastOpening += 1;
  stopWatching();
  useProjectState.setState(closed);
  startHistory(null);
  return true;
}

/** The person's choice after a conflict. */
export async function settleConflict(choice: 'theirs' | 'mine' | 'copy'): Promise<void> {
  const { file, text } = useProjectState.getState();
  if (file === null) return;
  try {
    if (choice === 'mine') return await store(true);
    const settled = await (choice === 'theirs'
      ? engine.projects.open({ file })
      : engine.projects.saveCopy({ file, text }));
    if (useProjectState.getState().file !== file) return; // another was opened meanwhile
    if (choice === 'theirs') takeTheirs(settled);
    else goOnWith(settled);
    await saveNow();
  } catch (thrown) {
    tellError(thrown);
  }
}

/** The same text in another file: its steps go along, and what was edited in the meantime. */
function goOnWith({ file, text, revision }: OpenProject): void {
  useProjectState.setState({ file, savedText: text, revision, save: { kind: 'saved' }, drafts: [] });
  void refreshFacts();
  watchFile();
}

useProjectState.subscribe((now, before) => {
  if (now.text !== before.text && now.file === before.file) void refreshFacts();
});
