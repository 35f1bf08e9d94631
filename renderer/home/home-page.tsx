/** Where a project is begun or found again: templates as pictures of their networks, recent projects, files. */
import { IconFilePlus, IconFolderOpen } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useKept } from '../run-parts/kept.ts';
import { pickProject } from '../state/files.ts';
import { useProjectState } from '../state/project.ts';
import { askForName, createProject, loadProjects, openFile, useProjects } from '../state/projects.ts';
import { tellError, useSession } from '../state/session.ts';
import { Button, ErrorNotice, Page } from '../ui/index.ts';
import classes from './home.module.css';
import { RecentList } from './recent-list.tsx';
import { TemplateGrid } from './template-grid.tsx';

export default function HomePage() {
  const [, navigate] = useLocation();
  const status = useSession((state) => state.status);
  const error = useProjects((state) => state.error);
  // Who has projects goes on with them; who has none begins with a template. What was so the last time counts until it is known.
  const count = useProjects((state) => state.recent?.length ?? null);
  const [returned, setReturned] = useKept<boolean>('home.returning', false);
  const returning = count === null ? returned : count > 0;
  useEffect(() => {
    if (count !== null) setReturned(count > 0);
  }, [count, setReturned]);
  const openError = useProjectState((state) => state.openError);
  const missing = useProjects((state) => state.templates === null);
  const [busy, setBusy] = useState<string | null>(null);

  useEffect(() => {
    if (status === 'ready') void loadProjects();
  }, [status]);

  /** Makes or opens a project and goes to build it; one at a time. */
  const begin = async (key: string, work: () => Promise<boolean>) => {
    if (busy !== null) return;
    ignoreSecondClick();
    setBusy(key);
    try {
      if (await work()) navigate('/build');
    } catch (thrown) {
      tellError(thrown);
    }
    setBusy(null);
  };
  const openDialog = () =>
    begin('open', async () => {
      const file = await pickProject();
      return file !== null && openFile(file);
    });

  useOpenInAddress(() => void openDialog());

  const recent = (
    <section aria-labelledby="home-recent">
      <h2 className={classes.heading} id="home-recent">
        Recent projects
      </h2>
      <RecentList busy={busy} onOpen={(file) => void begin(file, () => openFile(file))} />
    </section>
  );

  return (
    <Page
      title="Home"
      actions={
        <>
          <Button icon={IconFolderOpen} onClick={() => void openDialog()}>
            Open…
          </Button>
          <Button icon={IconFilePlus} onClick={askForName}>
            New empty project
          </Button>
        </>
      }
    >
      <div className={classes.home}>
        {openError && <ErrorNotice error={openError} />}
        {error && (
          <ErrorNotice
            error={error}
            actions={
              <Button size="xs" onClick={() => void loadProjects()}>
                Try again
              </Button>
            }
          />
        )}
        {returning && recent}
        {!(missing && error) && (
          <section aria-labelledby="home-templates">
            <h2 className={classes.heading} id="home-templates">
              Start from a template
            </h2>
            <TemplateGrid
              busy={busy}
              onChoose={(name, from) =>
                void begin(`template ${name}`, () => createProject(name, from === null ? {} : { from }))
              }
            />
          </section>
        )}
        {!returning && recent}
        <p className={classes.foot}>
          A project file that is dropped on the window is copied into the workspace and opened.
        </p>
      </div>
    </Page>
  );
}

/** As long as a system lets two clicks be a double one. */
const doubleClickMs = 700;

/** The second of a double click would fall on the page that the first one leads to, or select this one's text. */
function ignoreSecondClick(): void {
  const types = ['mousedown', 'mouseup', 'click', 'dblclick'] as const;
  const ignore = (event: MouseEvent) => {
    if (event.detail < 2) return;
    event.preventDefault();
    event.stopPropagation();
  };
  for (const type of types) window.addEventListener(type, ignore, true);
  setTimeout(() => {
    for (const type of types) window.removeEventListener(type, ignore, true);
  }, doubleClickMs);
}

/** `/?open` asks for a file, once. */
function useOpenInAddress(open: () => void): void {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.has('open');
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for by the address alone
  useEffect(() => {
    if (!asked) return;
    setParameters(
      (old) => {
        const next = new URLSearchParams(old);
        next.delete('open');
        return next;
      },
      { replace: true },
    );
    open();
  }, [asked]);
}
