/** The open project: its text with undo and redo, saved by itself, and what follows from the text: the project, its data's facts, its plan. */
import { temporal } from 'zundo';
import { create, useStore } from 'zustand';
import type { OpenProject } from '../../engine/contract/api.ts';
import { type ErrorInfo, GradloomError } from '../../engine/contract/errors.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import type { Edit, Problem } from '../../engine/contract/problems.ts';
import { editProject, type Project, readProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { connection, engine, keepAsking, retryMs } from '../client/client.ts';
import { infoOf, tell, tellError } from './session.ts';
import { share } from './sharing.ts';

export type SaveState =
  | { kind: 'saved' }
  | { kind: 'unsaved' }
  | { kind: 'saving' }
  /** The file was changed by another window or program; `revision` null: it is gone; `error`: it cannot be read as a project any more. */
  | { kind: 'conflict'; revision: string | null; error?: ErrorInfo }
  | { kind: 'failed'; error: ErrorInfo };

interface ProjectState {
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
  facts: DataFacts | null;
  factsError: ErrorInfo | null;
  /** The data is being read for the first time: that it is not known is no problem yet. */
  factsAwaited: boolean;
}

const closed: ProjectState = {
  file: null,
  revision: '',
  savedText: '',
  text: '',
  save: { kind: 'saved' },
  opening: false,
  openError: null,
  facts: null,
  factsError: null,
  factsAwaited: false,
};

const undoSteps = 200;
const autosaveMs = 400;

export const useProjectState = create<ProjectState>()(
  temporal(() => closed, {
    partialize: ({ text }) => ({ text }),
    equality: (before, after) => before.text === after.text,
    limit: undoSteps,
  }),
);

const history = () => useProjectState.temporal.getState();

/** Whether there is something to undo and to redo. */
export function useHistory(): { canUndo: boolean; canRedo: boolean } {
  const canUndo = useStore(useProjectState.temporal, ({ pastStates }) => pastStates.length > 0);
  const canRedo = useStore(useProjectState.temporal, ({ futureStates }) => futureStates.length > 0);
  return { canUndo, canRedo };
}

export interface ProjectView {
  /** null where the text is no project: then `syntax` says why. */
  project: Project | null;
  syntax: ErrorInfo | null;
  /** What only the text can tell. */
  textProblems: Problem[];
}

let viewed: { text: string; view: ProjectView } = {
  text: '',
  view: { project: null, syntax: null, textProblems: [] },
};

function viewOf(text: string): ProjectView {
  if (viewed.text === text) return viewed.view;
  let view: ProjectView;
  try {
    const { project, problems } = readProject(text);
    const [notAProject] = project ? [] : problems;
    view = {
      project: share(viewed.view.project, project),
      syntax: notAProject ? { code: 'PROJECT_SYNTAX', message: notAProject.message, hint: notAProject.hint } : null,
      textProblems: problems,
    };
  } catch (thrown) {
    view = { project: null, syntax: infoOf(thrown), textProblems: [] };
  }
  viewed = { text, view };
  return view;
}

let planned: { project: Project | null; facts: DataFacts | null; plan: Plan | null } = {
  project: null,
  facts: null,
  plan: null,
};

function planOf(project: Project | null, facts: DataFacts | null): Plan | null {
  if (planned.project === project && planned.facts === facts) return planned.plan;
  planned = { project, facts, plan: project && planProject(project, facts) };
  return planned.plan;
}

export function useProject(): ProjectView {
  return useProjectState(({ text }) => viewOf(text));
}

/** Of the open project with what is known of its data; null where there is no project to plan. */
export function usePlan(): Plan | null {
  return useProjectState(({ text, facts }) => planOf(viewOf(text).project, facts));
}

export function currentProject(): { view: ProjectView; plan: Plan | null } {
  const { text, facts } = useProjectState.getState();
  const view = viewOf(text);
  return { view, plan: planOf(view.project, facts) };
}

/** One step of undo. Answers false, and tells why, where an edit has no place in the project. */
export function edit(edits: readonly Edit[]): boolean {
  const { text, file } = useProjectState.getState();
  if (file === null) return false;
  try {
    const next = editProject(readProject(text).text, edits);
    if (next !== text) useProjectState.setState({ text: next });
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/**
 * Like `edit`, but as part of the step before when that had the same `topic` a moment ago: typing a number, dragging a slider.
 */
export function editWhile(topic: string, edits: readonly Edit[]): boolean {
  const now = performance.now();
  const goesOn = topic === lastTopic.topic && now - lastTopic.at < typingMs && lastTopic.text === textNow();
  if (goesOn) history().pause();
  const done = edit(edits);
  if (goesOn) history().resume();
  lastTopic = { topic, at: now, text: textNow() };
  return done;
}

const typingMs = 1500;
let lastTopic = { topic: '', at: 0, text: '' };
const textNow = () => useProjectState.getState().text;

export function undo(): void {
  history().undo();
}

export function redo(): void {
  history().redo();
}

let lastOpening = 0;

/** Takes a project into this window, unless the one that is open holds what cannot be saved, or another is asked for meanwhile. */
export async function openProject(load: () => Promise<OpenProject>): Promise<boolean> {
  lastOpening += 1;
  const opening = lastOpening;
  if (!(await keepChanges())) return false;
  useProjectState.setState({ opening: true, openError: null });
  try {
    const loaded = await load();
    if (opening !== lastOpening) return false;
    const kept = await keepChanges(); // it could be edited while the other was on its way
    if (kept) take(loaded);
    else useProjectState.setState({ opening: false });
    return kept;
  } catch (thrown) {
    if (opening !== lastOpening) return false;
    useProjectState.setState({ opening: false, openError: infoOf(thrown) });
    if (useProjectState.getState().file !== null) tellError(thrown); // the page shows the project that stays
    return false;
  }
}

export function hasUnsaved(): boolean {
  const { file, text, savedText } = useProjectState.getState();
  return file !== null && text !== savedText;
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

function take({ file, text, revision }: OpenProject): void {
  useProjectState.setState({ ...closed, file, text, savedText: text, revision });
  history().clear();
  lastTopic = { topic: '', at: 0, text: '' };
  factsFor = '';
  void refreshFacts();
  watchFile();
}

/** What another one saved, as a step that can be undone: ours is not lost. */
function takeTheirs({ text, revision }: OpenProject): void {
  useProjectState.setState({ text, savedText: text, revision, save: { kind: 'saved' } });
  watchFile();
}

/** Answers false, and tells why, where it holds what cannot be saved. */
export async function closeProject(): Promise<boolean> {
  if (!(await keepChanges())) return false;
  lastOpening += 1;
  watching?.abort();
  useProjectState.setState(closed);
  history().clear();
  return true;
}

let saving: Promise<void> | null = null;
let autosave: ReturnType<typeof setTimeout> | undefined;

/** Saves what is not saved yet; a conflict waits for the person. */
export async function saveNow(): Promise<void> {
  clearTimeout(autosave);
  while (saving) await saving;
  if (hasUnsaved() && useProjectState.getState().save.kind !== 'conflict') await store(false);
}

/** One save at a time: the next one starts from the revision that this one has made. */
function store(overwrite: boolean): Promise<void> {
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
    else take(settled);
  } catch (thrown) {
    tellError(thrown);
  }
}

let watching: AbortController | null = null;

/** Notices that another window or program changed the file: loaded where nothing of ours would be lost, else a conflict. */
function watchFile(): void {
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

let factsFor = '';

/** Reads what the data source says of itself when the source has changed. */
async function refreshFacts(): Promise<void> {
  const { file, text } = useProjectState.getState();
  const source = (viewOf(text).project?.data as { source?: unknown } | undefined)?.source;
  const key = JSON.stringify([file, source]);
  if (key === factsFor) return;
  factsFor = key;
  if (file === null || typeof source !== 'object' || source === null || Array.isArray(source)) {
    useProjectState.setState({ facts: null, factsError: null, factsAwaited: false });
    return;
  }
  useProjectState.setState(({ facts }) => ({ factsAwaited: facts === null }));
  try {
    const { facts } = await engine.data.preview({
      file,
      source: source as Record<string, unknown>,
      transforms: [],
      part: 'train',
      start: 0,
      count: 0,
    });
    if (factsFor === key) useProjectState.setState({ facts, factsError: null, factsAwaited: false });
  } catch (thrown) {
    if (factsFor !== key) return;
    const error = infoOf(thrown);
    // The next call waits until the engine is there again; one that is just ending refuses it.
    if (error.code === 'CLOSED' && connection.status !== 'unauthorised') return void setTimeout(readDataAgain, retryMs);
    useProjectState.setState({ facts: null, factsError: error, factsAwaited: false });
  }
}

/** Asks again, after the files were put where the project says. */
export function readDataAgain(): void {
  factsFor = '';
  void refreshFacts();
}

useProjectState.subscribe((now, before) => {
  if (now.text === before.text || now.file !== before.file) return;
  if (now.save.kind !== 'conflict' && now.save.kind !== 'saving') {
    const unsaved = now.text !== now.savedText;
    useProjectState.setState({ save: { kind: unsaved ? 'unsaved' : 'saved' } });
    if (unsaved) scheduleSave();
  }
  void refreshFacts();
});
