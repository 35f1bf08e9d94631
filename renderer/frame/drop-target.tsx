/** Takes files that are dropped anywhere on the window: a project is opened, weights are what the open project starts from, data is looked at. */
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { shell } from '../client/shell.ts';
import { cancelBringing, startFromFile, useBringing } from '../state/bringing.ts';
import { inspectPath } from '../state/data-bringing.ts';
import { useProjectState } from '../state/project.ts';
import { importProject } from '../state/projects.ts';
import { tell } from '../state/session.ts';
import { Button, bytes, percent } from '../ui/index.ts';
import { kindOfDrop, mostProjectBytes, readDropped, whatCanBeDropped } from './dropped.ts';
import styles from './frame.module.css';

/** Only files: not a text or a picture that is dragged within the window. */
function filesOf(event: DragEvent): DataTransfer | null {
  return event.dataTransfer?.types.includes('Files') ? event.dataTransfer : null;
}

export function DropTarget() {
  const [, navigate] = useLocation();
  const [over, setOver] = useState(false);
  const open = useProjectState((state) => state.file !== null);
  useEffect(() => {
    /** Entering a child comes before leaving its parent. */
    let depth = 0;
    const end = () => {
      depth = 0;
      setOver(false);
    };
    const listeners: { [Type in 'dragenter' | 'dragover' | 'dragleave' | 'drop']: (event: DragEvent) => void } = {
      dragenter: (event) => {
        if (!filesOf(event)) return;
        depth += 1;
        setOver(true);
      },
      dragover: (event) => {
        const files = filesOf(event);
        if (!files) return;
        event.preventDefault();
        files.dropEffect = 'copy';
      },
      dragleave: (event) => {
        if (!filesOf(event)) return;
        depth -= 1;
        if (depth <= 0) end();
      },
      drop: (event) => {
        const files = filesOf(event);
        if (!files) return;
        event.preventDefault();
        end();
        void take(files, navigate);
      },
    };
    for (const [type, listener] of Object.entries(listeners)) {
      window.addEventListener(type, listener as EventListener);
    }
    return () => {
      for (const [type, listener] of Object.entries(listeners)) {
        window.removeEventListener(type, listener as EventListener);
      }
    };
  }, [navigate]);
  if (!over) return null;
  return (
    <div className={styles.dropHint} aria-hidden>
      {open
        ? 'Drop data to train on, weights to start from, or a project to open it'
        : 'Drop a project file to open it'}
    </div>
  );
}

async function take({ files, items }: DataTransfer, navigate: (to: string) => void): Promise<void> {
  const [file] = files;
  if (!file) return;
  if (files.length > 1) {
    return tell({ tone: 'error', message: 'Several files were dropped', hint: 'Drop one file at a time.' });
  }
  const isFolder = items[0]?.webkitGetAsEntry()?.isDirectory === true;
  const { kind, words } = kindOfDrop(file.name, isFolder);
  if (kind === 'project') return takeProject(file, navigate);
  if (kind === 'weights') return takeWeights(file, navigate);
  if (kind === 'other') {
    return tell({ tone: 'error', message: `${file.name} is ${words}`, hint: whatCanBeDropped });
  }
  const open = useProjectState.getState().file !== null;
  const place = shell()?.pathOf(file);
  if (open && place) {
    void inspectPath(place);
    return navigate('/data');
  }
  tell({
    tone: 'info',
    message: place
      ? `${file.name} is ${words}, and no project is open to learn from it`
      : `${file.name} is ${words}, and a browser does not tell where it lies`,
    hint: open
      ? 'Choose it on the page Data, or type its path there.'
      : 'Open or make a project, then choose it on its page Data.',
    ...(open ? { action: { label: 'Go to Data', run: () => navigate('/data') } } : {}),
  });
}

async function takeProject(file: File, navigate: (to: string) => void): Promise<void> {
  const dropped =
    file.size > mostProjectBytes
      ? { problem: `${file.name} is too large for a project: ${bytes(file.size)}`, hint: whatCanBeDropped }
      : readDropped(file.name, await file.text());
  if ('problem' in dropped) return tell({ tone: 'error', message: dropped.problem, hint: dropped.hint });
  if (!(await importProject(file.name, dropped.text))) return;
  tell({
    tone: 'info',
    message: `${file.name} was copied into the workspace`,
    ...(dropped.movedData
      ? { hint: 'Its data was named relative to where the file came from: check it on the page Data.' }
      : {}),
  });
  navigate('/build');
}

async function takeWeights(file: File, navigate: (to: string) => void): Promise<void> {
  if (useProjectState.getState().file === null) {
    return tell({
      tone: 'error',
      message: `${file.name} holds weights, and no project is open to start from them`,
      hint: 'Open the project of their network, then drop them again.',
    });
  }
  if (!(await startFromFile(file))) return;
  tell({
    tone: 'info',
    message: `Runs of this project start from ${file.name}`,
    hint: 'The page Train tells what of them fits.',
    action: { label: 'Show', run: () => navigate('/train') },
  });
}

/** A file on its way to the engine. */
export function BringingBar() {
  const { name, share, size } = useBringing();
  if (name === null) return null;
  return (
    <div className={styles.bar} role="status" aria-label={`Copying ${name} into the workspace`}>
      <span>
        Copying {name} into the workspace: {percent(share, 0)} of {bytes(size)}
      </span>
      <Button size="xs" onClick={cancelBringing}>
        Cancel
      </Button>
    </div>
  );
}
