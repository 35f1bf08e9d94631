/** Edits of the open project, each a step that can be undone; the steps outlast the window, since the engine keeps them with the project. */
import { create, useStore } from 'zustand';
import { type KeptHistory, packHistory, unpackHistory } from '../../engine/contract/history.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { editProject, readProject, spellingsOf } from '../../engine/contract/project.ts';
import { isObject } from '../../engine/contract/report.ts';
import { connection, engine } from '../client/client.ts';
import { hasUnsaved, useProjectState } from './project-state.ts';
import { viewOf } from './project-view.ts';
import { tellError } from './session.ts';

const history = () => useProjectState.temporal.getState();

/** Whether there is something to undo and to redo. */
export function useHistory(): { canUndo: boolean; canRedo: boolean } {
  const canUndo = useStore(useProjectState.temporal, ({ pastStates }) => pastStates.length > 0);
  const canRedo = useStore(useProjectState.temporal, ({ futureStates }) => futureStates.length > 0);
  return { canUndo, canRedo };
}

/** One step of undo. Answers false, and tells why, where an edit has no place in the project. */
export function edit(edits: readonly Edit[]): boolean {
  const { text, file } = useProjectState.getState();
  if (file === null) return false;
  try {
    const now = readProject(text).text;
    // What is moved to another place is told by the very value that stands there: it keeps its numbers and spaces as a person wrote them.
    const moves = edits.some(({ value }) => typeof value === 'object' && value !== null);
    const next = editProject(now, edits, moves ? spellingsOf(now, viewOf(text).project) : undefined);
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
  if (goesOn) {
    history().resume();
    // Typed and taken back: a step that leads nowhere is none, and what is typed next is one of its own.
    const { pastStates } = history();
    if (pastStates.at(-1)?.text === textNow()) {
      useProjectState.temporal.setState({ pastStates: pastStates.slice(0, -1) });
      lastTopic = noTopic;
      return done;
    }
  }
  lastTopic = { topic, at: now, text: textNow() };
  return done;
}

const typingMs = 1500;
const noTopic = { topic: '', at: 0, text: '' };
let lastTopic = noTopic;
const textNow = () => useProjectState.getState().text;

/** What was undone or redone last, and at which place of the project. */
export const useLastStep = create<{ kind: 'undone' | 'redone'; place: string; times: number }>(() => ({
  kind: 'undone',
  place: '',
  times: 0,
}));

export function undo(): void {
  step('undone', () => history().undo());
}

export function redo(): void {
  step('redone', () => history().redo());
}

function step(kind: 'undone' | 'redone', work: () => void): void {
  const before = viewOf(textNow()).project;
  // What is typed from here on is a step of its own, and drops what was undone.
  lastTopic = noTopic;
  work();
  const after = viewOf(textNow()).project;
  if (before !== after) {
    const place = changedPlace(before, after).join('.');
    useLastStep.setState(({ times }) => ({ kind, place, times: times + 1 }));
  }
}

/** The innermost place that holds all that differs between two projects. */
function changedPlace(before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const [key, ...others] = keys.filter((each) => JSON.stringify(before[each]) !== JSON.stringify(after[each]));
  if (key === undefined || others.length > 0) return [];
  return [key, ...changedPlace(before[key], after[key])];
}

/** For a project that has just been opened: the steps that were kept of it. */
export function startHistory(kept: KeptHistory | null): void {
  lastTopic = noTopic;
  const { text } = useProjectState.getState();
  const steps = kept && unpackHistory(kept);
  const states = (texts: readonly string[]) => texts.map((each) => ({ text: each }));
  if (!steps) history().clear();
  else if (steps.text === text) {
    useProjectState.temporal.setState({ pastStates: states(steps.past), futureStates: states(steps.future) });
  } else {
    // The file was changed while it was not open here: that is a step as well.
    useProjectState.temporal.setState({ pastStates: states([...steps.past, steps.text]), futureStates: [] });
  }
  keptOf = stepsNow();
}

/** What the engine has of the steps, by what changes with each of them. */
let keptOf: unknown[] = [];

function stepsNow(): unknown[] {
  const { pastStates, futureStates } = history();
  return [useProjectState.getState().file, textNow(), pastStates, futureStates];
}

/** Hands the steps to the engine. They belong to what the file holds: those to a text that is not saved wait until it is. */
export async function keepHistory(): Promise<void> {
  const { file, text } = useProjectState.getState();
  const now = stepsNow();
  if (file === null || hasUnsaved() || now.every((part, index) => part === keptOf[index])) return;
  if (connection.status !== 'ready') return; // with the next step
  const texts = (states: readonly { text?: string }[]) => states.map((state) => state.text ?? '');
  const { pastStates, futureStates } = history();
  const kept = packHistory({ text, past: texts(pastStates), future: texts(futureStates) });
  keptOf = now;
  // A convenience: what fails here is tried with the next step, and the project itself is saved.
  await engine.keep.history({ file, history: kept }).catch(() => {
    keptOf = [];
  });
}
