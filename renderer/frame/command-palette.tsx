/** The command palette: everything that a person may want to do or to go to, by name. */
import {
  IconActivity,
  IconAdjustmentsHorizontal,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCode,
  IconContrast,
  IconCopy,
  IconDatabase,
  IconEyeSearch,
  IconFile,
  IconFilePlus,
  IconFolderOpen,
  IconKeyboard,
  IconPlayerPlay,
  IconPlayerStop,
  IconRestore,
  IconTemplate,
} from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { canRun, fullLabel, stackCommands } from '../build/stack-commands.ts';
import type { MenuCommand } from '../client/shell.ts';
import { showCode } from '../state/code-panel.ts';
import { openDrawer } from '../state/drawers.ts';
import { openFitting } from '../state/fitting.ts';
import { takeDigits } from '../state/preview.ts';
import { redo, undo, useProjectState } from '../state/project.ts';
import { createProject, openFile, useProjects } from '../state/projects.ts';
import { act, useRuns } from '../state/runs.ts';
import { changeSettings } from '../state/session.ts';
import { useTrash } from '../state/trash.ts';
import { Palette, type PaletteItem } from '../ui/index.ts';
import { pages, settingsPage } from './pages.ts';
import { openShortcuts } from './shortcuts-sheet.tsx';

interface CommandPaletteProps {
  commands: Record<MenuCommand, () => void>;
  navigate: (to: string) => void;
  onClose: () => void;
}

export function CommandPalette({ commands, navigate, onClose }: CommandPaletteProps) {
  const runs = useRuns((state) => state.list);
  const deleted = useTrash(({ list }) => list !== null && list.length > 0);
  const recent = useProjects((state) => state.recent);
  const templates = useProjects((state) => state.templates);
  const file = useProjectState((state) => state.file);
  const [page] = useLocation();
  const fitOrReplace = (open: 'fit' | 'replace') => {
    // The page Data asks the same there: leaving it would close what has just been opened.
    if (page !== '/data') navigate('/build');
    openFitting(open);
  };
  const items: PaletteItem[] = [
    ...(file === null
      ? []
      : [
          {
            id: 'train',
            icon: IconPlayerPlay,
            label: 'Train',
            hint: 'Start a run of this project',
            keys: 'Mod+Enter',
            run: commands.train,
          },
          {
            id: 'look',
            icon: IconEyeSearch,
            label: 'Look inside the network',
            hint: 'What each layer makes of a sample',
            run: () => {
              navigate('/build?look=train.0');
              openDrawer('inspector');
            },
          },
          { id: 'undo', icon: IconArrowBackUp, label: 'Undo', keys: 'Mod+Z', run: undo },
          { id: 'redo', icon: IconArrowForwardUp, label: 'Redo', keys: 'Mod+Shift+Z', run: redo },
          {
            id: 'code',
            icon: IconCode,
            label: 'Show the network as code',
            hint: 'Python for PyTorch',
            keys: 'Mod+J',
            run: () => {
              showCode(true);
              navigate('/build');
            },
          },
          {
            id: 'fit',
            icon: IconAdjustmentsHorizontal,
            label: 'Fit the network to its data',
            run: () => fitOrReplace('fit'),
          },
          {
            id: 'replace',
            icon: IconTemplate,
            label: 'Replace the network by a template',
            run: () => fitOrReplace('replace'),
          },
          {
            id: 'digits',
            icon: IconDatabase,
            label: 'Use the digits that come with Gradloom',
            hint: 'As this project’s data',
            keywords: ['data digits handwritten MNIST'],
            run: () => {
              navigate('/data');
              void takeDigits(file);
            },
          },
          { id: 'copy', icon: IconCopy, label: 'Save a copy of the project', run: commands['save-copy'] },
        ]),
    ...(file === null || page !== '/build' ? [] : layerItems()),
    { id: 'new', icon: IconFilePlus, label: 'New empty project', run: commands.new },
    { id: 'open', icon: IconFolderOpen, label: 'Open a project file', run: commands.open },
    ...(templates ?? []).map(({ name, title }) => ({
      id: `template ${name}`,
      icon: IconTemplate,
      label: `New from template: ${title}`,
      run: () => void createProject(name).then((done) => done && navigate('/build')),
    })),
    ...[...pages, settingsPage].map(({ path, label, icon }) => ({
      id: `go ${path}`,
      label: `Go to ${label}`,
      keywords: [label],
      icon,
      run: () => navigate(path),
    })),
    ...(deleted
      ? [
          {
            id: 'deleted',
            icon: IconRestore,
            label: 'Recently deleted runs',
            run: () => navigate('/runs?deleted'),
          },
        ]
      : []),
    { id: 'shortcuts', icon: IconKeyboard, label: 'Keyboard shortcuts', keys: '?', run: openShortcuts },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme ${theme}`,
      icon: IconContrast,
      label: `Theme: ${theme}`,
      run: () => void changeSettings({ theme }),
    })),
    ...(recent ?? []).slice(0, 8).map((project) => ({
      id: `project ${project.file}`,
      icon: IconFile,
      label: `Open ${project.name}`,
      hint: project.file,
      run: () => void openFile(project.file).then((done) => done && navigate('/build')),
    })),
    ...(runs ?? []).slice(0, 30).flatMap((run) => [
      {
        id: `run ${run.folder}`,
        icon: IconActivity,
        label: `Run ${run.name}`,
        hint: run.status,
        run: () => navigate(`/runs/${encodeURIComponent(run.name)}/monitor`),
      },
      ...(run.status === 'running' || run.status === 'paused'
        ? [
            {
              id: `stop ${run.folder}`,
              icon: IconPlayerStop,
              label: `Stop ${run.name}`,
              run: () => void act(run, 'stop'),
            },
          ]
        : []),
    ]),
  ];
  return <Palette items={items} onClose={onClose} />;
}

/** What can be done with the layers that are selected now. */
function layerItems(): PaletteItem[] {
  return stackCommands.filter(canRun).map((command) => ({
    id: `layers ${command.id}`,
    label: fullLabel(command),
    icon: command.icon,
    hint: command.needs === 'nothing' ? 'Stack' : 'Selected layers',
    keys: command.keys,
    keywords: command.keywords,
    run: command.run,
  }));
}
