/** The learning rate range test: one short training while the rate climbs, its loss drawn over the rate, and the rate that it suggests. */
import { useState } from 'react';
import type { LrFinding, LrOptions } from '../../engine/contract/finders.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { NumberOption } from '../project-parts/task-options.tsx';
import { TaskState } from '../project-parts/task-state.tsx';
import { useValueAt } from '../state/form.ts';
import { edit } from '../state/project.ts';
import { findLr, useTask } from '../state/tasks.ts';
import { Button, Dialog, LineChart, Notice, number } from '../ui/index.ts';
import { lossRange, lrCurve, lrMarkers } from './lr-curve.ts';
import { learningRateEdits, roundRate } from './optimizer-edits.ts';
import classes from './train.module.css';

const standard = { min: 1e-7, max: 10, steps: 100 };
const height = 240;

export function FindLrDialog({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const task = useTask(findLr);
  const [options, setOptions] = useState<Required<LrOptions>>(standard);
  const [valid, setValid] = useState(true);
  const written = useValueAt(['training', 'optimizer']);
  const { training } = plan.project;
  const ownPeak = typeof training.schedule?.args.max_lr === 'number';
  const { progress, result, running } = task;
  const suggested = result && result.suggestion !== null ? roundRate(result.suggestion) : null;
  const apply = () => {
    if (suggested !== null) edit(learningRateEdits(written, training, suggested));
    onClose();
  };
  const set = (key: keyof LrOptions) => (value: number | null) => {
    setValid(value !== null);
    if (value !== null) setOptions((before) => ({ ...before, [key]: value }));
  };
  const ready = valid && options.min < options.max;
  return (
    <Dialog
      onClose={onClose}
      title="Find learning rate"
      size={640}
      actions={
        <>
          <Button onClick={running ? task.cancel : onClose}>{running ? 'Cancel' : 'Close'}</Button>
          {(!result || suggested === null) && (
            <Button primary disabled={!ready} loading={running} onClick={() => task.start(options)}>
              {result ? 'Search again' : 'Search'}
            </Button>
          )}
          {suggested !== null && (
            <>
              <Button disabled={!ready} onClick={() => task.start(options)}>
                Search again
              </Button>
              <Button primary onClick={apply}>
                {`Use ${number(suggested)}${ownPeak ? ' as peak rate' : ''}`}
              </Button>
            </>
          )}
        </>
      }
    >
      <div className={classes.stack}>
        <p className={classes.lead}>
          Trains a copy of this network from the start, the learning rate climbing from step to step, and looks where
          the loss falls fastest. Neither the project nor any run is changed.
        </p>
        <div className={classes.options}>
          <NumberOption label="From" value={options.min} onChange={set('min')} disabled={running} above={0} />
          <NumberOption label="To" value={options.max} onChange={set('max')} disabled={running} above={0} />
          <NumberOption
            label="Steps"
            value={options.steps}
            onChange={set('steps')}
            disabled={running}
            from={10}
            to={10_000}
            whole
          />
        </div>
        <TaskState task={task} />
        {(result ?? progress?.lr) && <Curve curve={(result ?? progress?.lr) as Curved} finding={result} />}
        {result && <Outcome finding={result} suggested={suggested} />}
      </div>
    </Dialog>
  );
}

type Curved = Pick<LrFinding, 'lr' | 'loss' | 'smoothed'>;

function Curve({ curve, finding }: { curve: Curved; finding: LrFinding | null }) {
  return (
    <LineChart
      title="Loss over learning rate"
      series={lrCurve(curve)}
      markers={finding ? lrMarkers(finding) : []}
      xLabel="learning rate"
      // The axis is that of the exponent, so that ticks stand at whole powers of ten.
      xFormat={(exponent) => number(10 ** exponent, 2)}
      yFormat={number}
      yDomain={lossRange(curve)}
      height={height}
      wholeX
    />
  );
}

function Outcome({ finding, suggested }: { finding: LrFinding; suggested: number | null }) {
  const ended =
    finding.stopped === 'diverged'
      ? ' The loss diverged before the last rate was reached.'
      : finding.stopped === 'non_finite'
        ? ' The loss was no number any more before the last rate was reached.'
        : '';
  if (suggested === null) {
    return (
      <Notice tone="warn" title="No learning rate stands out">
        {finding.reason}
        {ended}
      </Notice>
    );
  }
  return (
    <Notice tone="ok" title={`${number(suggested)} is suggested; the project has ${number(finding.current)}`}>
      {finding.reason}
      {ended}
    </Notice>
  );
}
