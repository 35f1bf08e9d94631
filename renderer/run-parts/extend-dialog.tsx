/** Asks how much longer a run that has ended shall train, and shows the learning rate as it is planned anew for that. */
import { useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import { schedules } from '../../engine/contract/schedules.ts';
import { useRunDetails } from '../state/run-details.ts';
import { resumeRun } from '../state/runs.ts';
import { Button, Dialog, LineChart, number, plural, TextField } from '../ui/index.ts';
import { replannedLines } from './planned-rate.ts';
import styles from './run-parts.module.css';
import { useRunProject } from './run-project.ts';

const mostEpochs = 1_000_000;
const height = 150;

export function ExtendDialog({ run, onClose }: { run: RunRow; onClose: () => void }) {
  const done = run.summary?.epoch ?? 0;
  const [text, setText] = useState(() => String(done + Math.max(1, Math.round(done / 2))));
  const epochs = Number(text);
  const fits = Number.isInteger(epochs) && epochs > done && epochs <= mostEpochs;
  const extend = () => {
    if (!fits) return;
    onClose();
    void resumeRun(run, { epochs });
  };
  return (
    <Dialog
      onClose={onClose}
      title={`Train ${run.name} longer`}
      size={560}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button primary disabled={!fits} onClick={extend}>
            {fits ? `Train ${epochs - done} more` : 'Train'}
          </Button>
        </>
      }
    >
      <p>{plural(done, 'epoch')} are done. The run goes on from its last checkpoint, with the same settings.</p>
      <TextField
        label="Epochs in all"
        value={text}
        onChange={setText}
        error={fits ? null : `A whole number above ${done}, the epochs that are done`}
        autoFocus
        onKeyDown={(event) => event.key === 'Enter' && extend()}
      />
      {fits && <Replanned run={run} done={done} epochs={epochs} />}
    </Dialog>
  );
}

function Replanned({ run, done, epochs }: { run: RunRow; done: number; epochs: number }) {
  const { details } = useRunDetails(run);
  const project = useRunProject(details)?.training;
  const { epochs: before, steps_per_epoch = 0 } = run.summary ?? {};
  if (!project?.schedule || before === undefined || steps_per_epoch === 0) return null;
  const { kind, unit } = project.schedule;
  return (
    <div className={styles.gap}>
      <LineChart
        title="Learning rate"
        series={replannedLines(project, { before, epochs, done, steps_per_epoch })}
        xLabel="epoch"
        wholeX={false}
        yFormat={number}
        yDomain={fromZero}
        height={height}
      />
      <p className={styles.quiet}>
        {schedules.get(kind)?.label ?? kind} is planned anew over {plural(epochs, 'epoch')}
        {unit === 'step' ? ', step by step' : ''}: what is done stays, the rest follows the new curve.
      </p>
    </div>
  );
}

const fromZero = [0, null] as const;
