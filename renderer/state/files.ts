/** Choosing files and folders: by the desktop's own dialogs in Electron, by a dialog over the engine's folders in a browser. */
import { create } from 'zustand';
import { engine } from '../client/client.ts';
import { type FileFilter, shell } from '../client/shell.ts';

export interface PickRequest {
  kind: 'file' | 'folder';
  title: string;
  /** The verb of the button that takes the choice. */
  confirm: string;
  /** Files that may be chosen; none: all. */
  filters?: FileFilter[];
  /** Where to begin: a folder, or a file in it. */
  start?: string | null;
}

interface Picking {
  request: PickRequest | null;
  answer: ((path: string | null) => void) | null;
}

/** What the window's own dialog shows; only used where there are no native ones. */
export const usePicking = create<Picking>(() => ({ request: null, answer: null }));

/** null: the person chose nothing. */
export async function pickPath(request: PickRequest): Promise<string | null> {
  const host = shell();
  const { kind, title, filters = [] } = request;
  if (host) return kind === 'folder' ? host.pickFolder({ title }) : host.pickFile({ title, filters });
  usePicking.getState().answer?.(null);
  return new Promise((answer) => usePicking.setState({ request, answer }));
}

export function answerPick(path: string | null): void {
  const { answer } = usePicking.getState();
  usePicking.setState({ request: null, answer: null });
  answer?.(path);
}

export const listFolder = (folder: string | null) => engine.files.list({ folder });

const projectFilter: FileFilter = { name: 'Projects', extensions: ['json'] };

export function pickProject(): Promise<string | null> {
  return pickPath({ kind: 'file', title: 'Open project', confirm: 'Open', filters: [projectFilter] });
}

/** Both kinds of separator are read, since the engine may run on another system than the window. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

export function folderOf(path: string): string {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return end <= 0 ? path.slice(0, end + 1) : path.slice(0, end);
}

function parts(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== '');
}

/**
 * How a path is written in a project: relative to the project's folder where both lie on one disk and the way is short enough to be read,
 * so that the folders can be moved together.
 */
export function relativeTo(file: string, target: string): string {
  const [from, to] = [parts(folderOf(file)), parts(target)];
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1;
  const up = from.length - shared;
  if (shared === 0 || up > 3) return target;
  const steps = [...Array.from({ length: up }, () => '..'), ...to.slice(shared)];
  return steps.length === 0 ? '.' : steps.join('/');
}
