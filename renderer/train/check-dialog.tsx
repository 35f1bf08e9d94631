/** Proves on the open project that a run which was stopped and killed, or made twice, is the same to the last bit; or names what differs. */
import { useState } from 'react';
import type { CheckKind, CheckReport } from '../../engine/contract/finders.ts';
import { NumberOption } from '../project-parts/task-options.tsx';
import { TaskState } from '../project-parts/task-state.tsx';
import { check, useTask } from '../state/tasks.ts';
import { Button, Dialog, duration, Facts, integer, Notice, plural, Segmented } from '../ui/index.ts';
import classes from './train.module.css';

const explained: Record<CheckKind, string> = {
  resume:
    'Trains a copy of this project twice: once through, once stopped, killed and resumed on the way. Both must have the same weights, optimizer state and journal.',
  twin: 'Trains a copy of this project twice in the same way. Both must have the same weights, optimizer state and journal.',
};

const standardSteps = 40;

export function CheckDialog({ onClose }: { onClose: () => void }) {
  const task = useTask(check);
  const [kind, setKind] = useState<CheckKind>('resume');
  const [steps, setSteps] = useState<number | null>(standardSteps);
  const { result, running } = task;
  return (
    <Dialog
      onClose={onClose}
      title="Check that runs repeat"
      size={600}
      actions={
        <>
          <Button onClick={running ? task.cancel : onClose}>{running ? 'Cancel' : 'Close'}</Button>
          <Button
            primary
            loading={running}
            disabled={steps === null}
            onClick={() => steps !== null && task.start({ kind, steps })}
          >
            {kind === 'resume' ? 'Check resume' : 'Check twin'}
          </Button>
        </>
      }
    >
      <div className={classes.stack}>
        <div className={classes.options}>
          <Segmented
            label="What is checked"
            value={kind}
            disabled={running}
            options={[
              { value: 'resume', label: 'Resume' },
              { value: 'twin', label: 'Twin run' },
            ]}
            onChange={setKind}
          />
        </div>
        <p className={classes.lead}>{explained[kind]} Neither the project nor any run is changed.</p>
        <div className={classes.options}>
          <NumberOption
            label="Steps"
            value={steps}
            onChange={setSteps}
            disabled={running}
            from={2}
            to={100_000}
            whole
          />
        </div>
        <TaskState task={task} />
        {result && <Outcome report={result} />}
      </div>
    </Dialog>
  );
}

function Outcome({ report }: { report: CheckReport }) {
  const { equal, message, hint, difference, stopped_at, killed_at, resumed_from } = report;
  const facts: [string, string][] = [
    [
      'Compared',
      `${plural(report.steps, 'step')}, ${plural(report.tensors, 'tensor')} each, ${plural(report.epoch_ends, 'end')} of epochs`,
    ],
    ...(stopped_at === null ? [] : [['Stopped after', `step ${integer(stopped_at)}`] as [string, string]]),
    ...(killed_at === null ? [] : [['Killed after', `step ${integer(killed_at)}`] as [string, string]]),
    ...(resumed_from.length === 0
      ? []
      : [['Resumed from', `step ${resumed_from.map(integer).join(' and ')}`] as [string, string]]),
    ...(difference === null
      ? []
      : [
          [
            'First difference',
            difference.step === null ? 'in what the checkpoint says besides' : `step ${integer(difference.step)}`,
          ] as [string, string],
          ['In', [difference.where, difference.tensor].filter((part) => part !== null).join(', ')] as [string, string],
        ]),
    ['Device', report.device],
    ['Took', duration(report.seconds)],
  ];
  return (
    <>
      <Notice tone={equal ? 'ok' : 'bad'} title={message}>
        {hint}
      </Notice>
      <Facts rows={facts} />
    </>
  );
}
