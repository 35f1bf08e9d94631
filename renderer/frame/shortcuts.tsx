/** Keys that work everywhere, the menu of Electron, and the command palette that offers the same commands by name. */
import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { create } from 'zustand';
import { type MenuCommand, shell } from '../client/shell.ts';
import { pickProject } from '../state/files.ts';
import { redo, saveNow, settleConflict, undo, useProjectState } from '../state/project.ts';
import { createProject, loadProjects, openFile, useProjects } from '../state/projects.ts';
import { act, startRun, useRuns } from '../state/runs.ts';
import { changeSettings, tellError } from '../state/session.ts';
import { Palette, type PaletteItem } from '../ui/index.ts';
import { nameOf } from './primary-action.tsx';

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

  return open ? <CommandPalette commands={commands} navigate={navigate} /> : null;
}

type Commands = Record<MenuCommand, () => void>;

function makeCommands(navigate: (to: string) => void): Commands {
  const train = async () => {
    const answer = await startRun();
    if ('run' in answer) navigate(`/runs/${encodeURIComponent(nameOf(answer.run))}/monitor`);
    else tellError(Object.assign(new Error(answer.error.message), answer.error));
  };
  const openDialog = async () => {
    const file = await pickProject();
    if (file !== null && (await openFile(file))) navigate('/build');
  };
  const fresh = async () => {
    if (await createProject(null)) navigate('/build');
  };
  return {
    new: () => void fresh(),
    open: () => void openDialog().catch(tellError),
    'save-copy': () => void settleConflict('copy'),
    undo,
    redo,
    search: openPalette,
    train: () => void train(),
    settings: () => navigate('/settings'),
    home: () => navigate('/'),
    runs: () => navigate('/runs'),
    devices: () => navigate('/devices'),
  };
}

function CommandPalette({ commands, navigate }: { commands: Commands; navigate: (to: string) => void }) {
  const runs = useRuns((state) => state.list);
  const recent = useProjects((state) => state.recent);
  const templates = useProjects((state) => state.templates);
  const file = useProjectState((state) => state.file);
  const go = (label: string, to: string): PaletteItem => ({
    id: `go ${to}`,
    label: `Go to ${label}`,
    run: () => navigate(to),
  });
  const items: PaletteItem[] = [
    ...(file === null
      ? []
      : [
          { id: 'train', label: 'Train', hint: 'Start a run of this project', keys: 'Mod+Enter', run: commands.train },
          { id: 'undo', label: 'Undo', keys: 'Mod+Z', run: undo },
          { id: 'redo', label: 'Redo', keys: 'Mod+Shift+Z', run: redo },
          { id: 'copy', label: 'Save a copy of the project', run: commands['save-copy'] },
        ]),
    { id: 'new', label: 'New empty project', run: commands.new },
    { id: 'open', label: 'Open a project file', run: commands.open },
    ...(templates ?? []).map(({ name, title }) => ({
      id: `template ${name}`,
      label: `New from template: ${title}`,
      run: () => void createProject(name).then((done) => done && navigate('/build')),
    })),
    go('Home', '/'),
    go('Data', '/data'),
    go('Build', '/build'),
    go('Train', '/train'),
    go('Monitor', '/monitor'),
    go('Runs', '/runs'),
    go('Devices', '/devices'),
    go('Settings', '/settings'),
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme ${theme}`,
      label: `Theme: ${theme}`,
      run: () => void changeSettings({ theme }),
    })),
    ...(recent ?? []).slice(0, 8).map((project) => ({
      id: `project ${project.file}`,
      label: `Open ${project.name}`,
      hint: project.file,
      run: () => void openFile(project.file).then((done) => done && navigate('/build')),
    })),
    ...(runs ?? []).slice(0, 30).flatMap((run) => [
      {
        id: `run ${run.folder}`,
        label: `Run ${run.name}`,
        hint: run.status,
        run: () => navigate(`/runs/${encodeURIComponent(run.name)}/monitor`),
      },
      ...(run.status === 'running' || run.status === 'paused'
        ? [{ id: `stop ${run.folder}`, label: `Stop ${run.name}`, run: () => void act(run, 'stop') }]
        : []),
    ]),
  ];
  return <Palette items={items} onClose={() => usePalette.setState({ open: false })} />;
}
