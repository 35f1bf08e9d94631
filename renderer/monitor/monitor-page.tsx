/** A run as it goes on, or as it went: its state and what can be done to it, its curves, memory, and what happened. */
import { memo, useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ResolvedProject } from '../../engine/contract/project.ts';
import { useChartView, ViewControls } from '../run-parts/chart-view.tsx';
import { RunActions } from '../run-parts/run-actions.tsx';
import { firstName } from '../run-parts/run-color.ts';
import { averagedSentence, useRunProject } from '../run-parts/run-project.ts';
import { useSame } from '../run-parts/use-same.ts';
import { openDrawer } from '../state/drawers.ts';
import { type LiveRun, useCalmHead, useFollowed, useHead, useHeadPart } from '../state/live.ts';
import { firstLook, lookText, weightsOfRun } from '../state/look.ts';
import { usePlan } from '../state/project.ts';
import { useRunDetails } from '../state/run-details.ts';
import { isOf, useRun, useRuns } from '../state/runs.ts';
import { EmptyState, ErrorNotice, Page, Skeleton, StatusBadge } from '../ui/index.ts';
import { Autopsy } from './autopsy.tsx';
import { Breakdown } from './breakdown.tsx';
import { Charts } from './charts.tsx';
import { History } from './history.tsx';
import styles from './monitor.module.css';
import { Progress } from './progress.tsx';
import { changesOf, plannedOf } from './rate-lines.ts';
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
  const begun = useHeadPart(live, (head) => head !== null);
  const failure = useHeadPart(live, (head) => head?.failure ?? null);
  const told = useHeadPart(live, (head) => head?.status ?? null);
  const error = useHeadPart(live, (head) => head?.error ?? null);
  const { details } = useRunDetails(run);
  const project = useRunProject(details);
  const ema = project?.training.ema ?? null;
  const [view, changeView] = useChartView();
  const status = failure === null ? (told ?? run.status) : run.status;
  return (
    <Page
      title={run.name}
      subtitle={
        <span className={styles.subtitle}>
          <StatusBadge status={status} />
          <Link href={`/runs/${encodeURIComponent(run.name)}`}>Details</Link>
          <LookInside run={run} />
        </span>
      }
      actions={<RunActions run={run} status={status} />}
    >
      {failure && failure.code !== 'CLOSED' && <ErrorNotice error={failure} />}
      <StateNotice run={run} status={status} error={error ?? run.summary?.error ?? null} />
      {status === 'failed' && details?.autopsy && <Autopsy run={run} found={details.autopsy} />}
      {live && begun ? (
        <>
          <LiveProgress
            run={run}
            live={live}
            status={status}
            stopping={project?.training.early_stopping ?? null}
            averaged={ema !== null}
          />
          <ViewControls view={view} onChange={changeView} />
          {ema && <p className={styles.note}>{averagedSentence(ema)}</p>}
          <LiveCharts
            name={firstName(run)}
            folder={run.folder}
            live={live}
            running={status === 'running'}
            details={details}
            project={project}
            view={view}
          />
          <LiveBreakdown live={live} />
          <LiveHistory live={live} />
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

/** Into the open project's network with what its run has learned. */
function LookInside({ run }: { run: RunRow }) {
  const project = usePlan()?.project.name;
  const weights = weightsOfRun(run);
  if (weights === null || project === undefined || !isOf(run, project)) return null;
  return (
    <Link
      href={`/build?look=${encodeURIComponent(lookText({ ...firstLook, weights }))}`}
      onClick={() => openDrawer('inspector')}
    >
      Look inside
    </Link>
  );
}

interface OfLive {
  live: LiveRun;
}

// Each part hears of the run by itself: the page around them is drawn again only when the run's state is another.

function LiveProgress({ live, ...shown }: OfLive & Omit<Parameters<typeof Progress>[0], 'head'>) {
  const head = useHead(live);
  return head && <Progress {...shown} head={head} />;
}

const LiveCharts = memo(function LiveCharts({
  project,
  ...props
}: Omit<Parameters<typeof Charts>[0], 'device' | 'ghosts' | 'notes' | 'epochs' | 'planned'> & {
  project: ResolvedProject | null;
}) {
  const head = useCalmHead(props.live);
  const { device = null, ghosts = none, notes = none } = head ?? {};
  const [total, perEpoch] = [head?.total_epochs ?? 0, head?.steps_per_epoch ?? 0];
  const changes = useSame(changesOf(notes));
  const planned = useMemo(
    () => plannedOf(project, { epochs: total, steps_per_epoch: perEpoch }, changes),
    [project, total, perEpoch, changes],
  );
  return (
    <Charts
      {...props}
      device={device}
      ghosts={ghosts}
      notes={notes}
      epochs={head?.epochs.length ?? 0}
      planned={planned}
    />
  );
});

const none: never[] = [];

function LiveBreakdown({ live }: OfLive) {
  const head = useCalmHead(live);
  return <Breakdown breakdown={head?.breakdown ?? null} epoch={head?.epochs.at(-1)?.epoch} />;
}

function LiveHistory({ live }: OfLive) {
  return <History notes={useCalmHead(live)?.notes ?? none} />;
}
