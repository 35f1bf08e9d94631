/**
 * What is not saved yet outlasts a crash: each text goes to the engine at once, which keeps it beside the project until it is saved, or to the
 * window's own storage while there is no engine. Found again at the next opening it is offered, never taken by itself.
 */
import type { Draft } from '../../engine/contract/api-keep.ts';
import type { KeptHistory } from '../../engine/contract/history.ts';
import { isObject } from '../../engine/contract/report.ts';
import { connection, engine } from '../client/client.ts';
import { hasUnsaved, useProjectState } from './project-state.ts';
import { tell, tellError } from './session.ts';

/** This window, for as long as its page lives: a reload is another one. */
const self = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
  '',
);

/** A browser holds it until the window is gone, however it went; by it others know whose texts are still worked on. */
const lockOf = (window: string) => `gradloom-window-${window}`;
void navigator.locks?.request(lockOf(self), () => new Promise(() => {}));

async function liveWindows(): Promise<Set<string>> {
  const held = (await navigator.locks?.query().catch(() => null))?.held ?? [];
  return new Set([
    self,
    ...held.flatMap(({ name }) => (name?.startsWith(lockOf('')) ? [name.slice(lockOf('').length)] : [])),
  ]);
}

interface Unsaved {
  file: string;
  text: string;
  revision: string;
}

function unsavedNow(): Unsaved | null {
  const { file, text, revision } = useProjectState.getState();
  return file !== null && hasUnsaved() ? { file, text, revision } : null;
}

/** What the engine keeps of this window. */
let kept: Unsaved | null = null;
let sending = false;

/** One call at a time; the next one takes the newest text. */
async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  for (;;) {
    const now = unsavedNow();
    if (kept !== null && kept.file !== now?.file) {
      const { file } = kept;
      kept = null;
      await drop(file, self);
      continue;
    }
    if (now === null || (kept?.text === now.text && kept.revision === now.revision)) break;
    if (!(await put(now))) break;
    kept = now;
  }
  sending = false;
}

/** Answers whether the engine has it; else the window's storage does, and the next change or connection tries again. */
async function put({ file, text, revision }: Unsaved): Promise<boolean> {
  if (connection.status === 'ready') {
    try {
      await engine.keep.draft({ file, window: self, text, revision });
      storage.remove(file, self);
      return true;
    } catch {
      // The disk is full, or the engine has just died.
    }
  }
  storage.put(file, { window: self, text, revision, time: new Date().toISOString() });
  // Whatever the engine has is older: it goes with this one once that is saved.
  kept ??= { file, text: '', revision: '' };
  return false;
}

/** A draft that stays although it is saved is forgotten when the project is opened: the file holds it word for word. */
async function drop(file: string, window: string): Promise<void> {
  storage.remove(file, window);
  if (connection.status !== 'ready') return;
  await engine.keep.draft({ file, window, text: null, revision: '' }).catch(() => {});
}

useProjectState.subscribe((now, before) => {
  if (now.text !== before.text || now.savedText !== before.savedText || now.file !== before.file) void send();
});
connection.onStatus((status) => {
  if (status === 'ready') void send();
});

/** In the window's own storage, a key each. */
const storage = {
  key: (file: string, window: string) => `gradloom.draft.${window}.${file}`,
  put(file: string, draft: Draft): void {
    try {
      browserStorage()?.setItem(storage.key(file, draft.window), JSON.stringify(draft));
    } catch {
      // Full: the window itself still holds it.
    }
  },
  remove(file: string, window: string): void {
    browserStorage()?.removeItem(storage.key(file, window));
  },
  of(file: string): Draft[] {
    const kept = browserStorage();
    if (!kept) return [];
    return Object.keys(kept).flatMap((key) => {
      const draft = key.startsWith('gradloom.draft.') && key.endsWith(`.${file}`) ? parsed(kept.getItem(key)) : null;
      return draft !== null && storage.key(file, draft.window) === key ? [draft] : [];
    });
  },
};

/** null: the browser forbids it. */
function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

function parsed(text: string | null): Draft | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isObject(value)) return null;
    const { window, text: draft, revision, time } = value;
    if (![window, draft, revision, time].every((part) => typeof part === 'string')) return null;
    return { window, text: draft, revision, time } as Draft;
  } catch {
    return null;
  }
}

export interface Kept {
  history: KeptHistory | null;
  drafts: Draft[];
}

/** What was kept of a project that is being opened. Texts of windows that still hold them are theirs. */
export async function readKept(file: string, text: string): Promise<Kept> {
  const [{ history, drafts }, live] = await Promise.all([
    engine.keep.read({ file }).catch((thrown: unknown) => {
      tellError(thrown);
      return { history: null, drafts: [] };
    }),
    liveWindows(),
  ]);
  const found = new Map<string, Draft>();
  for (const draft of [...drafts, ...storage.of(file)]) {
    if (live.has(draft.window)) continue;
    if (draft.text === text) void drop(file, draft.window);
    else if ((found.get(draft.window)?.time ?? '') < draft.time) found.set(draft.window, draft);
  }
  return { history, drafts: [...found.values()].sort((a, b) => (a.time < b.time ? 1 : -1)) };
}

/** What the person says of the first draft that is offered. Restored it is one step that can be undone. */
export function settleDraft(choice: 'restore' | 'discard'): void {
  const { file, drafts } = useProjectState.getState();
  const [draft, ...others] = drafts;
  if (file === null || !draft) return;
  const restore = () => useProjectState.getState().file === file && useProjectState.setState({ text: draft.text });
  useProjectState.setState({ drafts: others });
  if (choice === 'restore') restore();
  else tell({ tone: 'info', message: 'The changes were discarded', action: { label: 'Restore them', run: restore } });
  void drop(file, draft.window);
}
