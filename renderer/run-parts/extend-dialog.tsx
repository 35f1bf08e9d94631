/** Asks how much longer a run that has ended shall train, and shows the learning rate as it is planned anew for that. */
import { useEffect, useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ExtensionPlan } from '../../engine/contract/wire.ts';
import { planExtension } from '../state/run-details.ts';
import { resumeRun } from '../state/runs.ts';
import { Button, Dialog, LineChart, number, plural, TextField } from '../ui/index.ts';
import { extensionLines } from './planned-rate.ts';
import styles from './run-parts.module.css';

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
      <p>
        {plural(done, 'epoch is', 'epochs are')} done. The run goes on from its last checkpoint, with the same settings.
      </p>
      <TextField
        label="Epochs in all"
        value={text}
        onChange={setText}
        error={fits ? null : `A whole number above ${done}, the epochs that are done`}
        autoFocus
        onKeyDown={(event) => event.key === 'Enter' && extend()}
      />
      {fits && <Replanned run={run} epochs={epochs} />}
    </Dialog>
  );
}

/** Typing asks once it pauses; what is drawn stays until the new answer is there. */
const pauseMs = 150;

function Replanned({ run, epochs }: { run: RunRow; epochs: number }) {
  const [plan, setPlan] = useState<ExtensionPlan | null>(null);
  useEffect(() => {
    const wanted = new AbortController();
    const timer = setTimeout(() => {
      void planExtension(run, epochs, wanted.signal).then((told) => !wanted.signal.aborted && setPlan(told));
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      wanted.abort();
    };
  }, [run, epochs]);
  if (plan === null || plan.unit === null) return null;
  return (
    <div className={styles.gap}>
      <LineChart
        title="Learning rate"
        series={extensionLines(plan)}
        xLabel="epoch"
        wholeX={false}
        yFormat={number}
        yDomain={fromZero}
        height={height}
      />
      <p className={styles.quiet}>
        The schedule is planned anew over {plural(plan.epochs, 'epoch')}
        {plan.unit === 'step' ? ', step by step' : ''}: what is done stays, the rest follows the new curve.
        {plan.note !== null && ` ${plan.note}`}
      </p>
    </div>
  );
}

const fromZero = [0, null] as const;
