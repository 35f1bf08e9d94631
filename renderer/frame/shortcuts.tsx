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

export function useShortcuts() {
  const [, navigate] = useLocation();
  const open = usePalette((state) => state.open);
  const commands = useMemo(() => makeCommands(navigate), [navigate]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const typing = isTyping(event.target);
      const run =
        key === 'k'
          ? openPalette
          : key === 's'
            ? () => void saveNow()
            : key === 'enter'
              ? commands.train
              : typing
                ? null // undo inside a field is the field's own
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
    const leave = shell()?.onMenu((command) => commands[command]());
    return () => {
      window.removeEventListener('keydown', onKey);
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
  };
}
