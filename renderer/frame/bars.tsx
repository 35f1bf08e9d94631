/** Bars above the page: a connection that is lost, a project that another window changed, a save that failed. */
import { useState } from 'react';
import { connection } from '../client/client.ts';
import { shell } from '../client/shell.ts';
import { saveNow, settleConflict, settleDraft, useProject, useProjectState } from '../state/project.ts';
import { tellError, useSession } from '../state/session.ts';
import { Button, clock, inSentences } from '../ui/index.ts';
import styles from './frame.module.css';

export function ConnectionBar() {
  const status = useSession((state) => state.status);
  const [restarting, setRestarting] = useState(false);
  if (status !== 'lost') return null;
  const host = shell();
  const restart = async () => {
    setRestarting(true);
    try {
      await host?.restartService();
      connection.reconnect();
    } catch (thrown) {
      tellError(thrown);
    }
    setRestarting(false);
  };
  return (
    <div className={`${styles.bar} ${styles.barBad}`} role="alert">
      {host
        ? 'The engine has stopped. Runs that it held were saved and can be resumed.'
        : 'The connection to the engine is lost. Runs go on; this window connects again by itself.'}
      {host && (
        <Button size="xs" loading={restarting} onClick={() => void restart()}>
          Start the engine again
        </Button>
      )}
    </div>
  );
}

export function ProjectBar() {
  const save = useProjectState((state) => state.save);
  const { syntax } = useProject();
  const open = useProjectState((state) => state.file !== null);
  if (!open) return null;
  if (save.kind === 'conflict') {
    const gone = save.revision === null;
    return (
      <div className={styles.bar} role="alert">
        {save.error
          ? `The file was changed and cannot be read as a project any more: ${inSentences({ message: save.error.message })} You see what it was before.`
          : gone
            ? 'The project file is gone. What you see is only in this window.'
            : 'Another window or program changed this project. Your changes are not saved.'}
        {!gone && !save.error && (
          <Button size="xs" onClick={() => void settleConflict('theirs')}>
            Load theirs
          </Button>
        )}
        <Button size="xs" onClick={() => void settleConflict('mine')}>
          {gone || save.error ? 'Write it again' : 'Keep mine'}
        </Button>
        <Button size="xs" onClick={() => void settleConflict('copy')}>
          Save mine as a copy
        </Button>
      </div>
    );
  }
  if (save.kind === 'failed' && save.error.code !== 'CLOSED') {
    return (
      <div className={`${styles.bar} ${styles.barBad}`} role="alert">
        Not saved: {inSentences(save.error)}
        <Button size="xs" onClick={() => void saveNow()}>
          Save again
        </Button>
        <Button size="xs" onClick={() => void settleConflict('copy')}>
          Save as a copy
        </Button>
      </div>
    );
  }
  if (syntax) {
    return (
      <div className={`${styles.bar} ${styles.barBad}`} role="alert">
        This file cannot be read as a project: {inSentences(syntax)}
      </div>
    );
  }
  return null;
}

/** Texts that a window which crashed, or could not write, has left: offered, never taken by themselves. */
export function DraftBar() {
  const [draft, ...others] = useProjectState((state) => state.drafts);
  const revision = useProjectState((state) => state.revision);
  if (!draft) return null;
  return (
    <div className={styles.bar} role="alert">
      <span>
        Changes of {clock(draft.time)} were not saved
        {draft.revision === revision ? '' : ', and the file was changed since'}
        {others.length > 0 ? ` (and ${others.length} more)` : ''}.
      </span>
      <Button size="xs" title="One step: undo brings back what you see now" onClick={() => settleDraft('restore')}>
        Restore
      </Button>
      <Button size="xs" onClick={() => settleDraft('discard')}>
        Discard
      </Button>
    </div>
  );
}
