/** What a page of a project shows while there is none: how to get one, or why the one that the address names cannot be opened. */
import { IconFolderOpen, IconHome } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { pickProject } from '../state/files.ts';
import { useProjectState } from '../state/project.ts';
import { openFile } from '../state/projects.ts';
import { tellError } from '../state/session.ts';
import { Button, EmptyState, ErrorNotice, Page, Skeleton } from '../ui/index.ts';

export interface NoProjectProps {
  title: string;
  /** What this page shows of a project, as the end of "Here you …". */
  belongs: string;
  /** Ways to one that begin on this page. */
  children?: ReactNode;
}

export function NoProject({ title, belongs, children }: NoProjectProps) {
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const address = parameters.get('project');
  const opening = useProjectState((state) => state.opening);
  const openError = useProjectState((state) => state.openError);
  if (opening) {
    return (
      <Page title={title}>
        <Skeleton height={180} />
        <Skeleton kind="rows" lines={6} />
      </Page>
    );
  }
  const open = async () => {
    const file = await pickProject();
    if (file !== null) await openFile(file);
  };
  return (
    <Page title={title}>
      {openError && (
        <ErrorNotice
          error={openError}
          actions={
            address === null ? undefined : (
              <Button size="xs" onClick={() => void openFile(address)}>
                Try again
              </Button>
            )
          }
        />
      )}
      <EmptyState
        compact={children !== undefined}
        title="No project is open"
        action={
          <>
            <Button primary icon={IconHome} onClick={() => navigate('/')}>
              Choose a project
            </Button>
            <Button icon={IconFolderOpen} onClick={() => void open().catch(tellError)}>
              Open file…
            </Button>
          </>
        }
      >
        Here you {belongs}. Start from a template, or open a project of yours.
      </EmptyState>
      {children}
    </Page>
  );
}

/** Whether a project is open that can be read; a text that is no project is told by the bar above the page. */
export function useIsOpen(): boolean {
  return useProjectState((state) => state.file !== null);
}
