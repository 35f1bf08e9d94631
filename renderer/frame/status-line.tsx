/** The status line: the run in progress, the problems, the engine; each leads to its page. */
import { Link } from 'wouter';
import { useFollowed, useHead } from '../state/live.ts';
import { useProblems } from '../state/problems.ts';
import { useProjectState } from '../state/project.ts';
import { useSession } from '../state/session.ts';
import { count, duration, number, plural } from '../ui/index.ts';
import styles from './frame.module.css';
import { useFrameRun, useOtherRuns } from './live-run.ts';
import { useShowProblem } from './show-problem.ts';

export function StatusLine() {
  return (
    <footer className={styles.status}>
      <RunStatus />
      <span className={styles.spring} />
      <ProblemStatus />
      <EngineStatus />
    </footer>
  );
}

function RunStatus() {
  const run = useFrameRun();
  const others = useOtherRuns();
  const live = useFollowed(run?.folder ?? null);
  const head = useHead(live);
  if (!run) return <span className={styles.statusText}>No run in progress</span>;
  const last = head?.epochs.at(-1);
  const series = live?.series();
  const loss = series?.columns.get('train_loss')?.mean.at(-1) ?? last?.train_loss;
  return (
    <Link href={`/runs/${encodeURIComponent(run.name)}/monitor`} className={styles.statusItem}>
      <span className={`${styles.dot} ${run.status === 'paused' ? styles.dotWarn : styles.dotOk}`} />
      <span>
        {run.name} · {head?.progress ? head.progress.stage : run.status}
      </span>
      {head && head.step > 0 && (
        <>
          <span>
            epoch {head.epoch}
            {head.total_epochs === null ? '' : ` of ${head.total_epochs}`}
          </span>
          <span>step {count(head.step)}</span>
          {typeof loss === 'number' && <span>loss {number(loss)}</span>}
          {head.eta !== null && <span>{duration(head.eta)} left</span>}
        </>
      )}
      {others > 0 && <span>and {plural(others, 'other run')}</span>}
    </Link>
  );
}

function ProblemStatus() {
  const show = useShowProblem();
  const open = useProjectState((state) => state.file !== null);
  const problems = useProblems();
  if (!open) return null;
  const [first] = problems;
  if (!first) return <span className={styles.statusText}>No problems</span>;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return (
    <button type="button" className={styles.statusItem} title={first.message} onClick={() => show(first)}>
      <span className={`${styles.dot} ${errors > 0 ? styles.dotBad : styles.dotWarn}`} />
      {[errors > 0 && plural(errors, 'problem'), warnings > 0 && plural(warnings, 'warning')]
        .filter(Boolean)
        .join(', ')}
    </button>
  );
}

function EngineStatus() {
  const status = useSession((state) => state.status);
  const about = useSession((state) => state.about);
  const words = {
    ready: 'Engine ready',
    connecting: 'Connecting…',
    lost: 'Engine lost',
    unauthorised: 'Not signed in',
  };
  const dot = status === 'ready' ? styles.dotOk : status === 'connecting' ? '' : styles.dotBad;
  return (
    <span
      className={`${styles.statusItem} ${styles.statusText}`}
      title={about ? `Gradloom ${about.version}, libtorch ${about.libtorch ?? 'not found'}` : undefined}
    >
      <span className={`${styles.dot} ${dot}`} />
      {words[status]}
    </span>
  );
}
