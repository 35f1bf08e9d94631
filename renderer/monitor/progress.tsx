/** How far a run is, and its figures: epoch and step, what is left, speed, device, the best value so far. */
import type { RunRow } from '../../engine/contract/api.ts';
import { shareWaited } from '../../engine/contract/data-wait.ts';
import type { RunState } from '../../engine/contract/events.ts';
import type { ResolvedEarlyStopping } from '../../engine/contract/project-types.ts';
import { nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import type { RunHead } from '../state/live.ts';
import { isLive } from '../state/runs.ts';
import { capital, count, duration, integer, Num, ProgressBar, plural, rate } from '../ui/index.ts';
import styles from './monitor.module.css';
import { bestSoFar, epochsWithoutGain, shareDone, stepWithinEpoch } from './progress-figures.ts';

export interface ProgressProps {
  run: RunRow;
  head: RunHead;
  status: RunState;
  /** null while it is not told. */
  stopping: ResolvedEarlyStopping | null;
  /** Validation is of the averaged weights. */
  averaged: boolean;
}

export function Progress(props: ProgressProps) {
  const { head, status } = props;
  const preparing = status === 'queued' || status === 'preparing';
  return (
    <section className={styles.head} aria-label="Progress">
      {preparing ? <Preparing progress={head.progress} /> : <Epochs head={head} status={status} />}
      <Figures {...props} />
    </section>
  );
}

function Preparing({ progress }: { progress: RunHead['progress'] }) {
  const known = progress !== null && progress.total > 0;
  const stage = progress?.stage ?? 'preparing';
  return (
    <ProgressBar
      label={capital(stage)}
      value={known ? progress.done / progress.total : null}
      {...(known ? { detail: `${integer(progress.done)} of ${integer(progress.total)}` } : {})}
    />
  );
}

const tones: Partial<Record<RunState, 'ok' | 'warn' | 'bad'>> = {
  completed: 'ok',
  paused: 'warn',
  parked: 'warn',
  interrupted: 'warn',
  failed: 'bad',
};

function Epochs({ head, status }: { head: RunHead; status: RunState }) {
  const { epoch, total_epochs: total, steps_per_epoch: steps } = head;
  const within = stepWithinEpoch(head);
  const done = status === 'completed' || status === 'stopped';
  return (
    <ProgressBar
      label={`Epoch ${integer(isLive(status) ? Math.max(1, epoch) : epoch)}${total === null ? '' : ` of ${integer(total)}`}`}
      value={shareDone(head)}
      tone={tones[status] ?? 'accent'}
      detail={
        <>
          {within === null || done || steps === null
            ? plural(head.step, 'step')
            : `step ${integer(within)} of ${integer(steps)}`}
          {status === 'running' && (head.eta === null ? ' · time left not known yet' : ` · ${duration(head.eta)} left`)}
        </>
      }
    />
  );
}

function Figures({ run, head, status, stopping, averaged }: ProgressProps) {
  const best = bestSoFar(run, head.epochs);
  const { summary } = run;
  const waited = shareWaited(head.breakdown);
  return (
    <dl className={styles.figures}>
      {best && (
        <Figure
          label={`Best ${nameLabel(best.monitor).toLowerCase()}`}
          note={`epoch ${integer(best.epoch)}${averaged && partOf(best.monitor).part === 'val' ? ', averaged weights' : ''}`}
        >
          {quantity(partOf(best.monitor).key).format(best.value)}
        </Figure>
      )}
      {stopping && head.epochs.length > 0 && (
        <Figure label="Early stopping" note={`of ${plural(stopping.patience, 'epoch')} without improvement`}>
          {integer(epochsWithoutGain(head.epochs, stopping))}
        </Figure>
      )}
      <Figure label={isLive(status) ? 'Speed' : 'Speed at the end'}>
        {head.samples_per_second === null ? '—' : rate(head.samples_per_second, 'samples')}
      </Figure>
      {waited !== null && (
        <Figure label="Waited for data" note="of the last epoch’s training">
          {waited > 0 && waited < 0.005 ? 'less than 1 %' : `${Math.round(waited * 100)} %`}
        </Figure>
      )}
      <Figure label="Time trained">{duration(head.seconds)}</Figure>
      <Figure label="Device" note={summary?.precision}>
        {head.device ?? summary?.device ?? '—'}
      </Figure>
      {summary && <Figure label="Parameters">{count(summary.parameters)}</Figure>}
    </dl>
  );
}

function Figure({ label, note, children }: { label: string; note?: string | undefined; children: string }) {
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd>
        <Num>{children}</Num>
        {note !== undefined && <span className={styles.note}>{note}</span>}
      </dd>
    </div>
  );
}
