/** How the pack stands to the data: packed, changed since, not yet; and the import that makes it, with what it left out. */
import { IconAlertTriangle, IconCircleCheck, IconPackage } from '@tabler/icons-react';
import { useState } from 'react';
import type { ImportState, LeftOut } from '../../engine/contract/data/import.ts';
import { isObject } from '../../engine/contract/report.ts';
import { sources } from '../../engine/contract/sources.ts';
import { cancelImport, importData, useImporting } from '../state/data-import.ts';
import { importKeyNow, useImportKey } from '../state/data-place.ts';
import { change, useValueAt } from '../state/form.ts';
import { useProjectState } from '../state/project.ts';
import { Button, bytes, Dialog, integer, Notice, ProgressBar, plural, TextButton } from '../ui/index.ts';
import classes from './source.module.css';
import { progressWords, shareOf, stageWords } from './work-words.ts';

/** `state`: null while it is asked for. */
export function ImportBar({ state }: { state: ImportState | null }) {
  const facts = useProjectState((state) => state.facts);
  const key = useImportKey();
  const work = useImporting();
  const chosen = useValueAt(['data', 'source']);
  // What such sources do where nothing is said.
  const stopsAtBad =
    isObject(chosen) && chosen.on_bad !== 'skip' && sources.get(String(chosen.kind))?.params.on_bad !== undefined;
  const [listed, setListed] = useState(false);
  const mine = work.key === key;
  // One of what the source was before stays in sight too: it goes on until it is done or cancelled.
  if (work.running) {
    return (
      <div className={classes.importing}>
        <div className={classes.grow}>
          <ProgressBar
            label={mine ? (stageWords(work.progress) ?? 'Getting ready to import') : 'Importing the data chosen before'}
            value={shareOf(work.progress)}
            detail={progressWords(work.progress)}
          />
        </div>
        <Button size="xs" onClick={cancelImport}>
          Cancel
        </Button>
      </div>
    );
  }
  const start = () => void importData(key);
  const leaveOut = () => {
    change(['data', 'source', 'on_bad'], 'skip');
    void importData(importKeyNow());
  };
  if (mine && work.error) {
    const { message, hint } = work.error;
    const [title, ...lines] = message.split('\n');
    const offersSkip = work.error.code === 'DATA_FORMAT' && stopsAtBad;
    return (
      <div className={classes.failed}>
        <Notice
          tone="bad"
          alert
          title={title}
          actions={
            <>
              {offersSkip && (
                <Button size="xs" onClick={leaveOut}>
                  Leave them out and go on
                </Button>
              )}
              <Button size="xs" onClick={start}>
                Import again
              </Button>
            </>
          }
        >
          {lines.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
            <ul className={classes.badLines} aria-label="What cannot be read" tabIndex={0}>
              {lines.map((line) => (
                <li key={line}>{line.trim()}</li>
              ))}
            </ul>
          )}
          {offersSkip ? 'Mend or remove these files and import again, or go on without them.' : hint}
        </Notice>
      </div>
    );
  }
  const left = state?.left_out ?? (mine ? work.result?.left_out : undefined);
  const count = facts ? facts.parts.train + (facts.parts.val ?? 0) + (facts.parts.test ?? 0) : 0;
  return (
    <div className={classes.importBar}>
      {state === null ? (
        <span className={classes.quiet}>Looking at the data…</span>
      ) : state.packed ? (
        <>
          <IconCircleCheck size={16} className={classes.ok} aria-hidden />
          <span>{`Imported${facts ? `: ${plural(count, 'sample')}` : ''}`}</span>
          {state.bytes !== undefined && <span className={classes.quiet}>{`${bytes(state.bytes)} in the cache`}</span>}
          {left && left.count > 0 && (
            <TextButton onClick={() => setListed(true)}>{`${integer(left.count)} left out: show`}</TextButton>
          )}
        </>
      ) : (
        <>
          {state.changed ? (
            <IconAlertTriangle size={16} className={classes.warn} aria-hidden />
          ) : (
            <IconPackage size={16} className={classes.calm} aria-hidden />
          )}
          <span className={classes.short}>{state.changed ? 'Changed since it was imported' : 'Not imported yet'}</span>
          <span className={classes.importWords}>
            {state.changed
              ? 'A run would import it again first.'
              : 'Everything is read and packed once: faults show now, and runs start at once.'}
          </span>
        </>
      )}
      {(state === null || state.packed) && <span className={classes.grow} />}
      {state && !state.packed && (
        <Button size="xs" icon={IconPackage} onClick={start}>
          {state.changed ? 'Import again' : 'Import'}
        </Button>
      )}
      {listed && left && <LeftOutDialog left={left} onClose={() => setListed(false)} />}
    </div>
  );
}

function LeftOutDialog({ left, onClose }: { left: { count: number; samples: LeftOut[] }; onClose: () => void }) {
  return (
    <Dialog title={`${plural(left.count, 'sample was', 'samples were')} left out`} size={640} onClose={onClose}>
      <p className={classes.quiet}>They could not be read, and take part in nothing.</p>
      <ul className={classes.leftOut}>
        {left.samples.map(({ part, name, reason }) => (
          <li key={`${part} ${name}`}>
            <span className={classes.name}>{name}</span>
            <span className={classes.quiet}>{reason}</span>
          </li>
        ))}
      </ul>
      {left.count > left.samples.length && (
        <p className={classes.quiet}>{`The first ${integer(left.samples.length)} are named.`}</p>
      )}
    </Dialog>
  );
}
