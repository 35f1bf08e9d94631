/** What a person can do to a run, by the state that the engine tells: an action that is under way disables its button. */
import {
  IconChevronDown,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconPlayerStop,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunState } from '../../engine/contract/events.ts';
import { act, forceEnd, isLive, type Pending, resumeRun, useRuns } from '../state/runs.ts';
import { Button, Dialog, Menu } from '../ui/index.ts';
import { AdjustMenu, ChangeDialog } from './adjust.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ExtendDialog } from './extend-dialog.tsx';
import styles from './run-parts.module.css';

/** `status`: as the run's own page knows it, which is ahead of the list. */
export function RunActions({ run, status = run.status }: { run: RunRow; status?: RunState }) {
  const pending = useRuns((state) => state.pending[run.name]);
  const [exporting, setExporting] = useState(false);
  const [changing, setChanging] = useState(false);
  const live = isLive(status);
  const adjustable = status === 'running' || status === 'paused';
  const resume = !live && status !== 'completed' && <ResumeButton run={run} busy={pending === 'resume'} />;
  // With the same settings it would become non-finite again: what is advised comes first.
  const resumeLast = status === 'failed' && run.summary?.error?.code === 'NON_FINITE';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div className={styles.actions} role="group" aria-label={`Actions on ${run.name}`}>
      {status === 'running' && <PauseMenu run={run} busy={pending === 'pause' || pending === 'park'} />}
      {status === 'paused' && (
        <Button icon={IconPlayerPlay} loading={pending === 'continue'} onClick={() => void act(run, 'continue')}>
          Continue
        </Button>
      )}
      {adjustable && <AdjustMenu run={run} onChange={() => setChanging(true)} />}
      {/* Stays when the run ends meanwhile, so that what was typed does not vanish without a word. */}
      {changing && <ChangeDialog run={run} ended={!adjustable} onClose={() => setChanging(false)} />}
      {live && <StopMenu run={run} paused={status === 'paused'} pending={pending} />}
      {live && <ForceButton run={run} pending={pending} />}
      {!resumeLast && resume}
      {status === 'completed' && <ExtendButton run={run} busy={pending === 'resume'} />}
      <Button
        icon={IconDownload}
        disabled={status === 'queued' || status === 'preparing'}
        title="Take the weights out as a file"
        onClick={() => setExporting(true)}
      >
        Export
      </Button>
      {resumeLast && resume}
      {exporting && <ExportDialog run={run} onClose={() => setExporting(false)} />}
    </div>
  );
}

function PauseMenu({ run, busy }: { run: RunRow; busy: boolean }) {
  return (
    <Menu
      label="Pause"
      width={300}
      align="end"
      trigger={
        <Button icon={IconPlayerPause} rightIcon={IconChevronDown} loading={busy}>
          Pause
        </Button>
      }
      items={[
        { label: 'Pause', hint: 'keeps its memory', onClick: () => void act(run, 'pause') },
        { label: 'Park', hint: 'saves and frees the device', onClick: () => void act(run, 'park') },
      ]}
    />
  );
}

const stopping: readonly (Pending | undefined)[] = ['stop', 'discard', 'force'];

/** A paused run has no other place for Park. */
function StopMenu({ run, paused, pending }: { run: RunRow; paused: boolean; pending: Pending | undefined }) {
  const busy = stopping.includes(pending) || (paused && pending === 'park');
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const [forcing, setForcing] = useState(false);
  const discard = async () => {
    setAsking(false);
    if (await act(run, 'discard')) navigate('/runs');
  };
  return (
    <>
      <Menu
        label="Stop"
        width={300}
        align="end"
        trigger={
          <Button icon={IconPlayerStop} rightIcon={IconChevronDown} loading={busy}>
            Stop
          </Button>
        }
        items={[
          { label: 'Stop', hint: 'keeps the result', onClick: () => void act(run, 'stop') },
          ...(paused
            ? [{ label: 'Park', hint: 'saves and frees the device', onClick: () => void act(run, 'park') }]
            : []),
          { label: 'Discard…', hint: 'deletes the run', danger: true, onClick: () => setAsking(true) },
          { label: 'Force end…', hint: 'if it does not answer', danger: true, onClick: () => setForcing(true) },
        ]}
      />
      {forcing && <ForceDialog run={run} onClose={() => setForcing(false)} />}
      <Dialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Discard ${run.name}?`}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Keep it</Button>
            <Button danger onClick={() => void discard()}>
              Discard
            </Button>
          </>
        }
      >
        It stops now, and its curves, checkpoints and notes are deleted. This cannot be undone.
      </Dialog>
    </>
  );
}

function ForceDialog({ run, onClose }: { run: RunRow; onClose: () => void }) {
  const force = () => {
    onClose();
    void forceEnd(run);
  };
  return (
    <Dialog
      onClose={onClose}
      title={`Force ${run.name} to end?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button danger onClick={force}>
            Force end
          </Button>
        </>
      }
    >
      It is asked to stop. Where it does not answer within five seconds its process is ended: what came after the last
      checkpoint is lost then, and the run can be resumed from there.
    </Dialog>
  );
}

/** A wish that has not been answered for so long may never be. */
const patienceMs = 5000;
const unanswerable: readonly (Pending | undefined)[] = ['pause', 'park', 'continue', 'stop', 'discard'];

/** Only for a run that does not answer what it was asked. */
function ForceButton({ run, pending }: { run: RunRow; pending: Pending | undefined }) {
  const waiting = unanswerable.includes(pending);
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  const [asking, setAsking] = useState(false);
  if (!late && !asking) return null;
  return (
    <>
      <Button danger title="It has not answered for a while" onClick={() => setAsking(true)}>
        Force end
      </Button>
      {asking && <ForceDialog run={run} onClose={() => setAsking(false)} />}
    </>
  );
}

export function ResumeButton({ run, busy, primary = false }: { run: RunRow; busy: boolean; primary?: boolean }) {
  return (
    <Button
      primary={primary}
      icon={IconPlayerPlay}
      loading={busy}
      title={`Go on from the last checkpoint of ${run.name}`}
      onClick={() => void resumeRun(run)}
    >
      Resume
    </Button>
  );
}

/** A run that has ended goes on when it is given more epochs. */
function ExtendButton({ run, busy }: { run: RunRow; busy: boolean }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        icon={IconPlayerSkipForward}
        loading={busy}
        title="Go on from where this run ended, to a larger number of epochs"
        onClick={() => setAsking(true)}
      >
        Train longer
      </Button>
      {asking && <ExtendDialog run={run} onClose={() => setAsking(false)} />}
    </>
  );
}
