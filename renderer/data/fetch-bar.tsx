/** A data set that is being fetched while its dialog is closed: how far it is, and why it failed. */
import type { TaskProgress } from '../../engine/contract/finders.ts';
import { fetching } from '../state/data-bringing.ts';
import { useProjectState } from '../state/project.ts';
import { Button, bytes, Notice, Panel, ProgressBar } from '../ui/index.ts';
import classes from './source.module.css';
import { progressWords, shareOf } from './work-words.ts';

export function FetchBar() {
  const { running, key, what, progress, error } = fetching.use();
  const file = useProjectState((state) => state.file);
  // It comes into the workspace, whichever project asked for it.
  if (running) {
    return (
      <Panel
        title={`Fetching ${what}`}
        actions={
          <Button size="xs" onClick={fetching.cancel}>
            Cancel
          </Button>
        }
      >
        <FetchProgress progress={progress} />
      </Panel>
    );
  }
  if (error === null || key !== file) return null;
  return (
    <div className={classes.failed}>
      <Notice
        tone="bad"
        alert
        title={error.message}
        actions={
          <Button size="xs" onClick={fetching.clear}>
            Dismiss
          </Button>
        }
      >
        {error.hint}
      </Notice>
    </div>
  );
}

export function FetchProgress({ progress }: { progress: TaskProgress | null }) {
  return (
    <ProgressBar
      label={progress?.stage ?? 'Asking the mirror'}
      value={shareOf(progress)}
      detail={progressWords(progress, bytes)}
    />
  );
}
