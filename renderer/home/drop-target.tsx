/** Takes project files that are dropped on the page: copied into the workspace and opened. */
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { importProject } from '../state/projects.ts';
import { tell } from '../state/session.ts';
import { mostBytes, readDropped } from './dropped.ts';
import classes from './home.module.css';

/** Only files: not a text or a picture that is dragged within the window. */
function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files');
}

export function DropTarget({ children, onOpened }: { children: ReactNode; onOpened: () => void }) {
  const [over, setOver] = useState(false);
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0);
  const take = async (files: FileList) => {
    const [file] = files;
    if (!file) return;
    if (files.length > 1) {
      return tell({ tone: 'error', message: 'Several files were dropped', hint: 'Drop one project at a time.' });
    }
    const dropped =
      file.size > mostBytes
        ? { problem: `${file.name} is too large for a project`, hint: 'Data is chosen on the page Data of a project.' }
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
    onOpened();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button Open is the other
    <div
      className={classes.drop}
      data-over={over || undefined}
      onDragEnter={(event) => {
        if (!holdsFiles(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      }}
      onDragLeave={(event) => {
        if (!holdsFiles(event)) return;
        depth.current -= 1;
        if (depth.current <= 0) setOver(false);
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        void take(event.dataTransfer.files);
      }}
    >
      {children}
      {over && (
        <div className={classes.dropHint} aria-hidden>
          Drop a project file to open it
        </div>
      )}
    </div>
  );
}
