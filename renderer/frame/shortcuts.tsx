/** Keys that work everywhere, the menu of Electron, and the command palette that offers the same commands by name. */
import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { create } from 'zustand';
import { type MenuCommand, shell } from '../client/shell.ts';
import { pickProject } from '../state/files.ts';
import { redo, saveNow, settleConflict, undo } from '../state/project.ts';
import { askForName, loadProjects, openFile } from '../state/projects.ts';
import { tellError } from '../state/session.ts';
import { CommandPalette } from './command-palette.tsx';
import { train } from './primary-action.tsx';
import { openShortcuts } from './shortcuts-sheet.tsx';

const usePalette = create(() => ({ open: false }));

export function openPalette(): void {
  void loadProjects();
  usePalette.setState({ open: true });
}

/** Whether a key belongs to what is being typed. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * The field that was typed into since the focus came to it, and what it held then. Undo in it is its own while it holds something else and
 * keeps that to itself; a field whose every value is in the project at once says so by `data-undo`, and its undo is the project's.
 */
let typing: { field: EventTarget | null; before: string; typed: boolean } = { field: null, before: '', typed: false };

const textIn = (target: EventTarget | null) => (target as Partial<HTMLInputElement> | null)?.value ?? '';

function noteTyping({ type, target }: Event): void {
  if (type === 'focusin') typing = { field: target, before: textIn(target), typed: false };
  else if (typing.field === target) typing.typed = true;
  else typing = { field: target, before: '', typed: true };
}

function hasOwnUndo(target: EventTarget | null): boolean {
  if (!isTyping(target) || (target as HTMLElement).dataset.undo === 'project') return false;
  const { field, before, typed } = typing;
  return typed && target === field && textIn(target) !== '' && textIn(target) !== before;
}

export function useShortcuts() {
  const [, navigate] = useLocation();
  const open = usePalette((state) => state.open);
  const commands = useMemo(() => makeCommands(navigate), [navigate]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '?' && !isTyping(event.target) && document.querySelector('[role=dialog]') === null) {
        event.preventDefault();
        return openShortcuts();
      }
      if (!(event.metaKey || event.ctrlKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const own = event.defaultPrevented || hasOwnUndo(event.target);
      const run =
        key === 'k'
          ? openPalette
          : key === 's'
            ? () => void saveNow()
            : key === 'enter'
              ? commands.train
              : own
                ? null
                : key === 'z'
                  ? event.shiftKey
                    ? redo
                    : undo
                  : key === 'y'
                    ? redo
                    : null;
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    for (const type of ['input', 'focusin']) window.addEventListener(type, noteTyping);
    const leave = shell()?.onMenu((command) => commands[command]());
    return () => {
      window.removeEventListener('keydown', onKey);
      for (const type of ['input', 'focusin']) window.removeEventListener(type, noteTyping);
      leave?.();
    };
  }, [commands]);

  return open ? (
    <CommandPalette commands={commands} navigate={navigate} onClose={() => usePalette.setState({ open: false })} />
  ) : null;
}

type Commands = Record<MenuCommand, () => void>;

function makeCommands(navigate: (to: string) => void): Commands {
  const openDialog = async () => {
    const file = await pickProject();
    if (file !== null && (await openFile(file))) navigate('/build');
  };
  return {
    new: askForName,
    open: () => void openDialog().catch(tellError),
    'save-copy': () => void settleConflict('copy'),
    undo,
    redo,
    search: openPalette,
    train: () => void train(navigate),
    settings: () => navigate('/settings'),
    home: () => navigate('/'),
    runs: () => navigate('/runs'),
    devices: () => navigate('/devices'),
    shortcuts: openShortcuts,
  };
}
