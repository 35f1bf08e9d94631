/** Keeps the open project and the address (`?project=…`) the same, so that a reload or a second window finds it. */
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { shell } from '../client/shell.ts';
import { closeProject, useProjectState } from '../state/project.ts';
import { openFile } from '../state/projects.ts';

export function useProjectAddress(): void {
  const [parameters, setParameters] = useSearchParams();
  const address = parameters.get('project');
  const file = useProjectState((state) => state.file);

  // The address leads: back, forward and a typed address open what they name.
  useEffect(() => {
    const { file: open, opening } = useProjectState.getState();
    if (opening || address === open) return;
    void (address === null ? closeProject() : openFile(address));
  }, [address]);

  // A project that a button opened gives its name to the address.
  useEffect(
    () =>
      useProjectState.subscribe((now, before) => {
        if (now.file === before.file || now.file === null) return;
        const opened = now.file;
        setParameters((old) => {
          const next = new URLSearchParams(old);
          next.set('project', opened);
          return next;
        });
      }),
    [setParameters],
  );

  useEffect(() => shell()?.onOpenFile((opened) => void openFile(opened)), []);

  useEffect(() => {
    const name = file
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.gradloom\.json$|\.json$/, '');
    document.title = name === undefined ? 'Gradloom' : `${name} – Gradloom`;
  }, [file]);
}
