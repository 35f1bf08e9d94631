/** A run as it goes on, or as it went: its state and what can be done to it, its curves, memory, and what happened. */
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { useChartView, ViewControls } from '../run-parts/chart-view.tsx';
import { RunActions } from '../run-parts/run-actions.tsx';
import { firstName } from '../run-parts/run-color.ts';
import { useFollowed, useHead } from '../state/live.ts';
import { useRunDetails } from '../state/run-details.ts';
import { useRun, useRuns } from '../state/runs.ts';
import { EmptyState, ErrorNotice, Page, Skeleton, StatusBadge } from '../ui/index.ts';
import { Breakdown } from './breakdown.tsx';
import { Charts } from './charts.tsx';
import { History } from './history.tsx';
import styles from './monitor.module.css';
import { Progress } from './progress.tsx';
import { StateNotice } from './state-notice.tsx';

/** A run that has just begun may be a moment ahead of the list. */
const listMs = 1500;

export default function MonitorPage({ name }: { name: string }) {
  const run = useRun(name);
  const error = useRuns((state) => state.error);
  if (run) return <Monitor key={run.folder} run={run} />;
  return (
    <Page title={name}>
      {error && <ErrorNotice error={error} />}
      <Missing key={name} name={name} waiting={run === null} />
    </Page>
  );
}

function Missing({ name, waiting }: { name: string; waiting: boolean }) {
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    if (waiting) return;
    const timer = setTimeout(() => setPatient(false), listMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  if (waiting || patient) return <Loading />;
  return (
    <EmptyState title={`There is no run ${name}`} action={<Link href="/runs">Show all runs</Link>}>
      It was deleted, renamed or moved, or the address is mistyped.
    </EmptyState>
  );
}

function Loading() {
  return (
    <>
      <Skeleton height={64} />
      <div className={styles.charts}>
        <Skeleton height={300} />
        <Skeleton height={300} />
      </div>
    </>
  );
}

function Monitor({ run }: { run: RunRow }) {
  const live = useFollowed(run.folder);
  const head = useHead(live);
  const { details } = useRunDetails(run);
  const [view, changeView] = useChartView();
  const status = head && head.failure === null ? head.status : run.status;
  return (
    <Page
      title={run.name}
      subtitle={
        <span className={styles.subtitle}>
          <StatusBadge status={status} />
          <Link href={`/runs/${encodeURIComponent(run.name)}`}>Details</Link>
        </span>
      }
      actions={<RunActions run={run} status={status} />}
    >
      {head?.failure && head.failure.code !== 'CLOSED' && <ErrorNotice error={head.failure} />}
      <StateNotice run={run} status={status} error={head?.error ?? run.summary?.error ?? null} />
      {live && head ? (
        <>
          <Progress run={run} head={head} status={status} />
          <ViewControls view={view} onChange={changeView} />
          <Charts
            name={firstName(run)}
            folder={run.folder}
            live={live}
            running={status === 'running'}
            device={head.device}
            ghosts={head.ghosts}
            notes={head.notes}
            epochs={head.epochs.length}
            details={details}
            view={view}
          />
          <Breakdown breakdown={head.breakdown} epoch={head.epochs.at(-1)?.epoch} />
          <History notes={head.notes} />
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}
