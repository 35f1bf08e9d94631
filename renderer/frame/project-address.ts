/** Keeps the open project and the address (`?project=…`) the same, so that a reload or a second window finds it. */
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { shell } from '../client/shell.ts';
import { closeProject, hasUnsaved, saveNow, useProjectState } from '../state/project.ts';
import { openFile } from '../state/projects.ts';

export function useProjectAddress(): void {
  const [parameters, setParameters] = useSearchParams();
  const address = parameters.get('project');
  const file = useProjectState((state) => state.file);

  // The address leads: back, forward and a typed address open what they name.
  useEffect(() => {
    const { file: open, opening } = useProjectState.getState();
    if (opening || address === open) return;
    void (address === null ? closeProject() : openFile(address)).then(() => {
      // What was refused leaves the project that is open: then the address names that one again.
      const stays = useProjectState.getState().file;
      if (stays !== null && stays !== address) nameInAddress(setParameters, stays, true);
    });
  }, [address, setParameters]);

  // A project that a button opened gives its name to the address.
  useEffect(
    () =>
      useProjectState.subscribe((now, before) => {
        if (now.file === before.file || now.file === null) return;
        nameInAddress(setParameters, now.file);
      }),
    [setParameters],
  );

  useEffect(() => shell()?.onOpenFile((opened) => void openFile(opened)), []);

  useEffect(keepOnLeaving, []);

  useEffect(() => {
    const name = file
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.gradloom\.json$|\.json$/, '');
    document.title = name === undefined ? 'Gradloom' : `${name} – Gradloom`;
  }, [file]);
}

type SetParameters = ReturnType<typeof useSearchParams>[1];

function nameInAddress(setParameters: SetParameters, file: string, replace = false): void {
  setParameters(
    (old) => {
      const next = new URLSearchParams(old);
      next.set('project', file);
      return next;
    },
    { replace },
  );
}

/** What was edited a moment ago is saved before the window goes; where that cannot be done, a browser asks. */
function keepOnLeaving(): () => void {
  const onLeave = (event: BeforeUnloadEvent) => {
    if (!hasUnsaved()) return void saveNow(); // the steps of undo
    const { save } = useProjectState.getState();
    if (save.kind === 'unsaved') void saveNow();
    else if (shell() === null) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);
  return () => window.removeEventListener('beforeunload', onLeave);
}
