/** Runs that were deleted: a quiet button where there are any, and the list to bring them back from. */
import { IconRestore } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { TrashedRun } from '../../engine/contract/api.ts';
import { readTrash, restoreTrashed, useTrash } from '../state/trash.ts';
import { ago, Button, Dialog, ErrorNotice, moment, plural } from '../ui/index.ts';
import styles from './runs.module.css';

/** As many are listed: a thousand would keep the window busy; the next ones follow as these are brought back. */
const mostListed = 100;

/** Open by the address, `?deleted`, so that it can be asked for from anywhere. */
export function DeletedRuns() {
  const [parameters, setParameters] = useSearchParams();
  const some = useTrash(({ list }) => list !== null && list.length > 0);
  const show = (shown: boolean) =>
    setParameters(
      (old) => {
        const next = new URLSearchParams(old);
        if (shown) next.set('deleted', '');
        else next.delete('deleted');
        return next;
      },
      { replace: true },
    );
  return (
    <>
      {some && (
        <Button subtle onClick={() => show(true)}>
          Recently deleted
        </Button>
      )}
      {parameters.has('deleted') && <DeletedDialog onClose={() => show(false)} />}
    </>
  );
}

function DeletedDialog({ onClose }: { onClose: () => void }) {
  const { list, error } = useTrash();
  useEffect(() => void readTrash(), []);
  return (
    <Dialog title="Recently deleted runs" onClose={onClose}>
      {error && <ErrorNotice error={error} />}
      {list?.length === 0 && <p className={styles.quiet}>No deleted run is left.</p>}
      <ul className={styles.list} aria-label="Deleted runs">
        {list?.slice(0, mostListed).map((run) => (
          <Deleted key={run.trashed} run={run} />
        ))}
      </ul>
      {list && list.length > mostListed && (
        <p className={styles.quiet}>and {plural(list.length - mostListed, 'run')} deleted before</p>
      )}
    </Dialog>
  );
}

function Deleted({ run }: { run: TrashedRun }) {
  const [restoring, setRestoring] = useState(false);
  const restore = async () => {
    setRestoring(true);
    await restoreTrashed(run);
    setRestoring(false);
  };
  return (
    <li className={styles.item}>
      <span className={styles.file} title={run.name}>
        {run.name}
      </span>
      <span className={styles.quiet} title={moment(run.deleted)}>
        {ago(run.deleted)}
      </span>
      <Button
        size="xs"
        icon={IconRestore}
        loading={restoring}
        title={`Bring ${run.name} back`}
        onClick={() => void restore()}
      >
        Restore
      </Button>
    </li>
  );
}
