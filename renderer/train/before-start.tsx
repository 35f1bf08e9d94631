/** Before you start: whether it fits in memory, what an epoch is, how long it may take, and what stands in the way. */
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Choice } from '../../engine/contract/device-choice.ts';
import { epochEstimate } from '../../engine/contract/epoch-times.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { MemoryFit } from '../project-parts/memory-fit.tsx';
import { ProblemList } from '../project-parts/problem-list.tsx';
import { useDevices } from '../state/devices.ts';
import { useMemoryOutlook } from '../state/memory-outlook.ts';
import { edit, readDataAgain, useProjectState } from '../state/project.ts';
import { useLiveRunsBy, useRuns } from '../state/runs.ts';
import { readWeightsAgain, useWeightsReport } from '../state/weights.ts';
import { Button, count, dims, duration, FixButtons, integer, KeyHint, Notice, plural, Section } from '../ui/index.ts';
import { type GroupKey, groupOf, stepsOf } from './before.ts';
import { DataNotes } from './data-notes.tsx';
import { UseAuto, useMissingDevice } from './device.tsx';
import classes from './train.module.css';
import { fitSentence, reportParts } from './weights-words.ts';

export interface BeforeStartProps {
  plan: Plan;
  problems: readonly Problem[];
  taken: Choice | null;
  onShow: (group: GroupKey) => void;
}

export function BeforeStart({ plan, problems, taken, onShow }: BeforeStartProps) {
  return (
    <div className={classes.before}>
      <h2 className={classes.beforeTitle}>Before you start</h2>
      <Ready plan={plan} problems={problems} />
      <Checks plan={plan} problems={problems} taken={taken} />
      {problems.length > 0 && (
        <Section title="Problems">
          <div className={classes.stack}>
            <ProblemList
              problems={problems}
              here="train"
              action={({ path }) => {
                const group = groupOf(path);
                return (
                  group && (
                    <Button size="xs" subtle onClick={() => onShow(group)}>
                      Show the setting
                    </Button>
                  )
                );
              }}
            />
          </div>
        </Section>
      )}
      <MemoryFit />
      <Epoch plan={plan} taken={taken} />
    </div>
  );
}

/** The one primary button is in the title bar: this says where it is and what it will do. */
function Ready({ plan, problems }: Pick<BeforeStartProps, 'plan' | 'problems'>) {
  const fit = useMemoryOutlook()?.fit;
  const missing = useMissingDevice(plan);
  const { own: live, other } = useLiveRunsBy(plan.project.name);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (live) {
    return (
      <p className={classes.ready}>
        {live.name} is in progress. What you change here counts for the next run, not for this one.
      </p>
    );
  }
  if (errors === 0 && missing !== null) {
    return (
      <Notice tone="bad" title={`There is no ${missing} here, so a run would not start`} actions={<UseAuto />}>
        The device that the project names is not on this computer.
      </Notice>
    );
  }
  if (errors === 0 && fit === 'too large') {
    return (
      <Notice tone="warn" title="A run may run out of memory">
        It is expected to need more than is free, as told under Memory. <strong>Train</strong> starts it all the same.
      </Notice>
    );
  }
  return (
    <p className={classes.ready}>
      {errors > 0 ? (
        `${plural(errors, 'problem stands', 'problems stand')} in the way of a run.`
      ) : (
        <>
          Ready. <strong>Train</strong>, at the top right, starts a run <KeyHint keys="mod+enter" />
          {other && ` ${other.name}, of another project, is in progress: the two would slow each other down.`}
        </>
      )}
    </p>
  );
}

type State = 'ok' | 'warn' | 'bad' | 'open';
const icons = { ok: IconCircleCheck, warn: IconAlertTriangle, bad: IconAlertCircle, open: IconCircleDashed } as const;

function Check({ state, children, action }: { state: State; children: ReactNode; action?: ReactNode }) {
  const Icon = icons[state];
  const said = { ok: 'Fine', warn: 'Worth a look', bad: 'Wrong', open: 'Not known yet' }[state];
  return (
    <li className={classes.check} data-state={state}>
      <Icon size={16} stroke={1.8} aria-label={said} />
      <span>{children}</span>
      {action}
    </li>
  );
}

function Checks({ plan, problems, taken }: Omit<BeforeStartProps, 'onShow'>) {
  const facts = useProjectState((state) => state.facts);
  const factsError = useProjectState((state) => state.factsError);
  const report = useDevices((state) => state.report);
  const devicesError = useDevices((state) => state.error);
  const { device } = plan.project.training;
  const layersBad = problems.some(({ severity, path }) => severity === 'error' && path.startsWith('model.layers'));
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const samples = facts ? facts.parts.train + (facts.parts.test ?? 0) : 0;
  return (
    <Section title="Checks">
      <ul className={classes.checks}>
        {factsError ? (
          <Check
            state="bad"
            action={
              <>
                <FixButtons fixes={factsError.fixes ?? []} onFix={({ edits }) => edit(edits)} />
                <Button size="xs" onClick={readDataAgain}>
                  Read again
                </Button>
              </>
            }
          >
            The data cannot be read: {factsError.message}
          </Check>
        ) : facts ? (
          <Check state="ok">Data is read: {plural(samples, 'sample')}</Check>
        ) : (
          <Check state={plan.project.data.source === null ? 'bad' : 'open'}>
            {plan.project.data.source === null ? 'No data is chosen' : 'Reading the data'}
          </Check>
        )}
        {plan.project.model.layers.length === 0 ? (
          <Check state="bad">There are no layers yet</Check>
        ) : layersBad ? (
          <Check state="bad">The layers do not fit together</Check>
        ) : plan.output.length > 0 ? (
          <Check state="ok">
            Shapes fit: {dims(plan.input)} to {dims(plan.output)}, {count(plan.parameters)} parameters
          </Check>
        ) : (
          <Check state="open">Shapes are known once data and layers are</Check>
        )}
        {devicesError ? (
          <Check state="bad">{devicesError.message}</Check>
        ) : report === null ? (
          <Check state="open">Asking for devices</Check>
        ) : taken ? (
          <Check state="ok">Computes on {taken.value}</Check>
        ) : (
          <Check state="bad">{device === 'auto' ? 'No device was found' : `There is no ${device} here`}</Check>
        )}
        <StartingWeights plan={plan} />
        {warnings > 0 && <Check state="warn">{plural(warnings, 'warning')}, told below</Check>}
      </ul>
      <DataNotes project={plan.project} />
    </Section>
  );
}

function StartingWeights({ plan }: { plan: Plan }) {
  const { report, error } = useWeightsReport(plan);
  if (error) {
    return (
      <Check
        state="bad"
        action={
          <Button size="xs" onClick={readWeightsAgain}>
            Read again
          </Button>
        }
      >
        {error.message}
      </Check>
    );
  }
  if (!report) return null;
  const whole = reportParts(report).length === 0;
  const state = whole ? 'ok' : report.matched.length === 0 ? 'bad' : 'warn';
  return <Check state={state}>Starting weights: {fitSentence(report).toLowerCase()}</Check>;
}

function Epoch({ plan, taken }: { plan: Plan; taken: Choice | null }) {
  const runs = useRuns((state) => state.list);
  const steps = stepsOf(plan);
  if (!steps || !plan.splits) return null;
  const { loader } = plan.project.data;
  const { epochs, accumulate } = plan.project.training;
  const estimate = epochEstimate(runs ?? [], {
    project: plan.project.name,
    parameters: plan.parameters,
    samples: steps.samples,
    device: taken?.value ?? null,
  });
  const rows: [string, ReactNode][] = [
    ['Training samples', integer(steps.samples)],
    ['Validation samples', plan.splits.val === 0 ? 'none' : integer(plan.splits.val)],
    ['Steps an epoch', integer(steps.steps)],
    ['Steps in all', integer(steps.steps * epochs)],
    [
      'Effective batch',
      accumulate > 1
        ? `${integer(loader.batch_size)} × ${integer(accumulate)} = ${integer(loader.batch_size * accumulate)}`
        : integer(loader.batch_size),
    ],
  ];
  return (
    <Section title="An epoch">
      <dl className={classes.rows}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Time</dt>
          <dd>{estimate ? `about ${duration(estimate.seconds)}` : 'not known yet'}</dd>
        </div>
      </dl>
      <p className={classes.note}>
        {estimate
          ? `From ${estimate.run}, which had the same network here; ${plural(epochs, 'epoch')} would take about ${duration(estimate.seconds * epochs)}, validation not counted.`
          : 'Told once a run of this network has been made on this device.'}
      </p>
    </Section>
  );
}
