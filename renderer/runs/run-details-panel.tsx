/** One run in full: its name and notes, results, what it was trained with and on, its checkpoints and exports. */
import { IconArrowRight, IconFolderOpen, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { RunActions } from '../run-parts/run-actions.tsx';
import { averagedSentence, useRunProject } from '../run-parts/run-project.ts';
import { desktop, projectOfRun, renameRun, useRunDetails } from '../state/run-details.ts';
import { isLive } from '../state/runs.ts';
import { tellError } from '../state/session.ts';
import { Button, ErrorNotice, IconButton, moment, Section, Skeleton, StatusBadge, TextField } from '../ui/index.ts';
import { CutName } from './cut-name.tsx';
import { Checkpoints, EnvironmentFacts, Exports, Results } from './facts.tsx';
import { Notes } from './notes.tsx';
import styles from './runs.module.css';
import { SettingsTree } from './settings-tree.tsx';

export function RunDetailsPanel({ run, onRenamed }: { run: RunRow; onRenamed: (name: string) => void }) {
  const { details, error } = useRunDetails(run);
  const ema = useRunProject(details)?.training.ema;
  const [, navigate] = useLocation();
  const host = desktop();
  const reuse = async () => {
    if (details && (await projectOfRun(details.project))) navigate('/build');
  };
  return (
    <div className={styles.details}>
      <Name run={run} onRenamed={onRenamed} />
      <div className={styles.detailsLine}>
        <StatusBadge status={run.status} />
        {run.summary && (
          <span className={styles.quiet} title={`Changed ${moment(run.summary.updated)}`}>
            {moment(run.summary.started)}
          </span>
        )}
      </div>
      <div className={styles.detailsLine}>
        <RunActions run={run} />
        <Button
          disabled={!details}
          title="A new project with the settings of this run"
          onClick={() => void reuse().catch(tellError)}
        >
          Use these settings
        </Button>
        {host && (
          <Button icon={IconFolderOpen} onClick={() => void host.showInFolder(run.folder).catch(tellError)}>
            Open folder
          </Button>
        )}
      </div>
      {run.status === 'failed' && run.summary?.error && <ErrorNotice error={run.summary.error} />}
      {error && <ErrorNotice error={error} />}
      <Notes run={run} />
      <Section title="Results" foldable>
        <Results run={run} />
        {ema && <p className={styles.quiet}>{averagedSentence(ema)}</p>}
      </Section>
      {details ? (
        <>
          <Section title="Settings" foldable>
            <SettingsTree text={details.project} />
          </Section>
          <Section title="Checkpoints" foldable>
            <Checkpoints details={details} />
          </Section>
          <Section title="Exports" foldable>
            <Exports run={run} details={details} />
          </Section>
          <Section title="Environment" foldable defaultOpen={false} summary={run.summary?.device}>
            <EnvironmentFacts details={details} />
          </Section>
        </>
      ) : (
        !error && <Skeleton kind="text" lines={8} />
      )}
    </div>
  );
}

function Name({ run, onRenamed }: { run: RunRow; onRenamed: (name: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const leave = () => {
    setText(null);
    setFault(null);
  };
  const store = async () => {
    const name = text?.trim() ?? '';
    if (name === '' || name === run.name) return leave();
    const answer = await renameRun(run, name);
    if ('error' in answer) return setFault(answer.error.message);
    leave();
    onRenamed(answer.folder.split(/[\\/]/).at(-1) ?? name);
  };
  if (text === null) {
    return (
      <div className={styles.nameLine}>
        <h2 className={styles.detailsName} title={run.name}>
          <CutName name={run.name} />
        </h2>
        <IconButton
          label={isLive(run.status) ? 'A run that lives keeps its name' : 'Rename'}
          icon={IconPencil}
          disabled={isLive(run.status)}
          onClick={() => setText(run.name)}
        />
        <Link className={styles.right} href={`/runs/${encodeURIComponent(run.name)}/monitor`}>
          Monitor <IconArrowRight size={14} aria-hidden />
        </Link>
      </div>
    );
  }
  return (
    <TextField
      label="Name of the run"
      hiddenLabel
      value={text}
      error={fault}
      autoFocus
      onChange={(next) => {
        setText(next);
        setFault(null);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void store();
        if (event.key === 'Escape') leave();
      }}
      onBlur={() => void store()}
    />
  );
}
