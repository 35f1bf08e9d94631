/** How far a finder or a check is, or what went wrong with it. */
import type { Task } from '../state/tasks.ts';
import { capital, ErrorNotice, ProgressBar } from '../ui/index.ts';

/** Nothing while the work has not begun, and once it is done. */
export function TaskState({
  task: { running, progress, error },
}: {
  task: Pick<Task<never, unknown>, 'running' | 'progress' | 'error'>;
}) {
  return (
    <>
      {running && (
        <ProgressBar
          label={progress ? capital(progress.stage) : 'Getting ready'}
          value={progress && progress.total > 0 ? progress.done / progress.total : null}
        />
      )}
      {error && <ErrorNotice error={error} />}
    </>
  );
}
