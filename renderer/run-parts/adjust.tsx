/** What can be done to a run while it goes on as it is: a snapshot, another learning rate, another last epoch. */
import { IconAdjustments, IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { useFollowed, useHeadPart } from '../state/live.ts';
import { changeRun, takeSnapshot, useRuns } from '../state/runs.ts';
import { Button, Dialog, ErrorNotice, integer, Menu, Notice, number, TextField } from '../ui/index.ts';
import { readChange } from './change-words.ts';
import styles from './run-parts.module.css';

export function AdjustMenu({ run, onChange }: { run: RunRow; onChange: () => void }) {
  const pending = useRuns((state) => state.pending[run.name]);
  return (
    <Menu
      label="Adjust"
      width={300}
      align="end"
      trigger={
        <Button
          icon={IconAdjustments}
          rightIcon={IconChevronDown}
          loading={pending === 'snapshot' || pending === 'set'}
        >
          Adjust
        </Button>
      }
      items={[
        { label: 'Snapshot now', hint: 'a checkpoint that stays', onClick: () => void takeSnapshot(run) },
        { label: 'Learning rate, last epoch…', onClick: onChange },
      ]}
    />
  );
}

/** `ended`: it can be changed no more. */
export function ChangeDialog({ run, ended, onClose }: { run: RunRow; ended: boolean; onClose: () => void }) {
  const live = useFollowed(run.folder);
  const total = useHeadPart(live, (head) => head?.total_epochs ?? null) ?? run.summary?.epochs ?? null;
  const present = useHeadPart(live, (head) => head?.epoch ?? null) ?? 1;
  const rate = live?.series().columns.get('lr')?.mean.at(-1) ?? null;
  const [texts, setTexts] = useState({ lr: '', epochs: '' });
  const [error, setError] = useState<ErrorInfo | null>(null);
  const [busy, setBusy] = useState(false);
  const { change, problems } = readChange(texts, Math.max(1, present));
  const ready = change !== null && !busy && !ended;
  const apply = async () => {
    if (change === null || !ready) return;
    setBusy(true);
    const refused = await changeRun(run, change);
    setBusy(false);
    if (refused) setError(refused);
    else onClose();
  };
  const field = (key: 'lr' | 'epochs') => ({
    value: texts[key],
    disabled: ended,
    error: ended ? null : problems[key],
    onChange: (text: string) => {
      setError(null);
      setTexts((before) => ({ ...before, [key]: text }));
    },
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === 'Enter') void apply();
    },
  });
  return (
    <Dialog
      onClose={onClose}
      title={`Adjust ${run.name}`}
      size={440}
      actions={
        <>
          <Button onClick={onClose}>{ended ? 'Close' : 'Cancel'}</Button>
          <Button primary loading={busy} disabled={!ready} onClick={() => void apply()}>
            Change
          </Button>
        </>
      }
    >
      {ended && (
        <Notice tone="warn" title="The run does not go on any more, so nothing was changed">
          It has ended or was parked while this was open. A resumed run can be changed again.
        </Notice>
      )}
      <p>Holds from the next step on. It is written to the run’s journal, and made again where the run is resumed.</p>
      <div className={styles.fields}>
        <TextField
          label="Learning rate"
          placeholder={rate === null ? 'unchanged' : `${number(rate)} now`}
          hint="A schedule goes on from there in proportion; layers with their own rate too."
          autoFocus
          {...field('lr')}
        />
        <TextField
          label="Last epoch"
          placeholder={total === null ? 'unchanged' : `${integer(total)} now`}
          hint="A schedule is planned anew for it."
          {...field('epochs')}
        />
      </div>
      {error && <ErrorNotice error={error} />}
    </Dialog>
  );
}
