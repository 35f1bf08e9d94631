/** The projects that were open lately; those whose file is gone say so and can be taken off the list. */
import { IconFileOff, IconFileText, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { RecentProject } from '../../engine/contract/api.ts';
import { forgetProject, useProjects } from '../state/projects.ts';
import { ago, Button, EmptyState, IconButton, moment, Skeleton } from '../ui/index.ts';
import classes from './home.module.css';

/** So many stand above the templates. */
const firstFew = 5;

export function RecentList({ busy, onOpen }: { busy: string | null; onOpen: (file: string) => void }) {
  const recent = useProjects((state) => state.recent);
  const [all, setAll] = useState(false);
  const failed = useProjects((state) => state.error !== null);
  if (recent === null) return failed ? null : <Skeleton kind="rows" lines={4} />;
  if (recent.length === 0) {
    return (
      <div className={classes.list}>
        <EmptyState compact title="No projects yet">
          Choose a template above: what you make is listed here from then on.
        </EmptyState>
      </div>
    );
  }
  const shown = all ? recent : recent.slice(0, firstFew);
  return (
    <>
      <ul className={classes.list}>
        {shown.map((project) => (
          <Row key={project.file} project={project} busy={busy === project.file} onOpen={onOpen} />
        ))}
      </ul>
      {recent.length > firstFew && (
        <Button size="xs" subtle onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${recent.length}`}
        </Button>
      )}
    </>
  );
}

function Row({ project, busy, onOpen }: { project: RecentProject; busy: boolean; onOpen: (file: string) => void }) {
  const { file, name, opened, exists } = project;
  const Icon = exists ? IconFileText : IconFileOff;
  return (
    <li className={classes.row} data-gone={!exists || undefined} data-busy={busy || undefined}>
      <div className={classes.project} title={file}>
        <Icon size={16} stroke={1.6} aria-hidden />
        <button
          type="button"
          className={classes.name}
          disabled={!exists}
          aria-busy={busy || undefined}
          aria-label={exists ? `Open ${name}` : `${name}: the file is gone`}
          onClick={() => onOpen(file)}
        >
          {name}
        </button>
        <span className={classes.path}>
          <bdi>{file}</bdi>
        </span>
        <span className={classes.when} title={moment(opened)}>
          {exists ? ago(opened) : 'File is gone'}
        </span>
      </div>
      <IconButton label={`Remove ${name} from the list`} icon={IconX} onClick={() => void forgetProject(file)} />
    </li>
  );
}
