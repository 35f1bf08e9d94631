/** How the network is trained: groups of settings, each one sentence while folded, and what is known before the start. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { losses } from '../../engine/contract/losses.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { NoProject, useIsOpen } from '../project-parts/no-project.tsx';
import { RowForm } from '../project-parts/row-form.tsx';
import { takenDevice } from '../state/device.ts';
import { startDevices, useDevices } from '../state/devices.ts';
import { roomOn } from '../state/memory-fit.ts';
import { useProblems } from '../state/problems.ts';
import { usePlan, useProjectState } from '../state/project.ts';
import { useSession } from '../state/session.ts';
import { factsKnown } from '../state/stack-store.ts';
import { useWeightsReport } from '../state/weights.ts';
import { EmptyState, Page, Panel, Section } from '../ui/index.ts';
import { type GroupKey, groupOf, stepsOf } from './before.ts';
import { BeforeStart } from './before-start.tsx';
import { unfit } from './fits.ts';
import { AdvancedGroup, DeviceGroup, LoaderGroup, OptimizerGroup, RegularisationGroup, RunGroup } from './groups.tsx';
import { MetricsField } from './metrics-field.tsx';
import { usedPrecision } from './precision-options.ts';
import { ScheduleGroup } from './schedule-group.tsx';
import { scheduleSentence } from './schedule-lines.ts';
import {
  advancedSentence,
  deviceSentence,
  dropoutOf,
  loaderSentence,
  lossSentence,
  optimizerSentence,
  regularisationSentence,
  runSentence,
  stoppingSentence,
} from './sentences.ts';
import { StoppingGroup } from './stopping-group.tsx';
import classes from './train.module.css';
import { WeightsGroup } from './weights-group.tsx';
import { weightsSentence } from './weights-words.ts';

export default function TrainPage() {
  const plan = usePlan();
  const open = useIsOpen();
  if (!open) return <NoProject title="Train" belongs="say how the network is trained and check what a run will take" />;
  if (!plan) {
    return (
      <Page title="Train">
        <EmptyState title="The file cannot be read as a project">
          What is wrong with it is told above. Once it is put right, its settings are here.
        </EmptyState>
      </Page>
    );
  }
  return <Settings plan={plan} />;
}

/** Which groups are unfolded, for as long as the window lives. */
const unfolded = new Map<GroupKey, boolean>();

function Settings({ plan }: { plan: Plan }) {
  const problems = useProblems();
  const report = useDevices((state) => state.report);
  const preferred = useSession((state) => state.settings?.device ?? null);
  const [open, setOpen] = useState(() => new Map(unfolded));
  const list = useRef<HTMLDivElement>(null);
  useEffect(startDevices, []);

  const { project } = plan;
  const { training } = project;
  const taken = report === null ? null : takenDevice(training.device, preferred, report.devices);
  const dropout = dropoutOf(plan.layers);
  const facts = useProjectState((state) => state.facts);
  const target = factsKnown(plan, facts)?.target.kind ?? null;
  const weights = useWeightsReport(plan);
  const device = report?.devices.find(({ name }) => name === taken?.value) ?? null;
  const room = report && roomOn(device ?? undefined, report.host);

  const fold = (key: GroupKey, shown: boolean) => {
    unfolded.set(key, shown);
    setOpen(new Map(unfolded));
  };
  const show = (key: GroupKey) => {
    fold(key, true);
    requestAnimationFrame(() => {
      const group = list.current?.querySelector<HTMLElement>(`[data-group="${key}"]`);
      group?.scrollIntoView({ block: 'nearest' });
      group?.querySelector<HTMLElement>('button')?.focus();
    });
  };

  const groups: { key: GroupKey; title: string; summary: string; form: ReactNode; wide?: boolean }[] = [
    { key: 'run', title: 'Run', summary: runSentence(project, stepsOf(plan)), form: <RunGroup /> },
    {
      key: 'device',
      title: 'Device and precision',
      summary: deviceSentence(training, taken, usedPrecision(training.precision, device)?.value),
      form: <DeviceGroup plan={plan} devices={report?.devices ?? null} taken={taken} />,
    },
    {
      key: 'loader',
      title: 'Batch and loader',
      summary: loaderSentence(project.data.loader, training),
      form: <LoaderGroup plan={plan} room={room} onHost={taken?.value === 'cpu'} />,
    },
    {
      key: 'optimizer',
      title: 'Optimizer',
      summary: optimizerSentence(training.optimizer),
      form: <OptimizerGroup plan={plan} />,
    },
    {
      key: 'schedule',
      title: 'Schedule',
      summary: scheduleSentence(training.schedule, plan),
      form: <ScheduleGroup plan={plan} />,
      wide: true,
    },
    {
      key: 'loss',
      title: 'Loss and metrics',
      summary: lossSentence(training),
      form: (
        <>
          <RowForm
            place={['training', 'loss']}
            table={losses}
            label="Loss"
            standard="CrossEntropyLoss"
            // The mean is all that there is.
            without={['reduction']}
            unfit={(row) => unfit(row, target)}
            placeholders={{ weight: 'all equal' }}
          />
          <MetricsField plan={plan} />
        </>
      ),
    },
    {
      key: 'regularisation',
      title: 'Regularisation',
      summary: regularisationSentence(training, dropout),
      form: <RegularisationGroup plan={plan} dropout={dropout} />,
    },
    {
      key: 'checkpoint',
      title: 'Checkpoints and stopping',
      summary: stoppingSentence(training),
      form: <StoppingGroup plan={plan} />,
    },
    {
      key: 'weights',
      title: 'Starting weights',
      summary: weightsSentence(project.model.weights, weights.report),
      form: <WeightsGroup plan={plan} />,
    },
    { key: 'advanced', title: 'Advanced', summary: advancedSentence(project), form: <AdvancedGroup plan={plan} /> },
  ];

  return (
    <Page
      title="Train"
      subtitle={project.name}
      asideLabel="Before you start"
      asideWidth={360}
      aside={<BeforeStart plan={plan} problems={problems} taken={taken} onShow={show} />}
    >
      <Panel padding="none">
        <h2 className="visually-hidden">Settings</h2>
        <div className={classes.groups} ref={list}>
          {groups.map(({ key, title, summary, form, wide = false }) => {
            const own = problems.filter(({ path }) => groupOf(path) === key);
            const bad = own.some(({ severity }) => severity === 'error');
            return (
              <div key={key} data-group={key} className={classes.group}>
                <Section
                  title={title}
                  summary={summary}
                  foldable
                  // What is wrong is in sight until a person folds it.
                  open={open.get(key) ?? bad}
                  onToggle={(shown) => fold(key, shown)}
                  tone={bad ? 'bad' : own.length > 0 ? 'warn' : undefined}
                >
                  <div className={wide ? undefined : classes.form}>{form}</div>
                </Section>
              </div>
            );
          })}
        </div>
      </Panel>
    </Page>
  );
}
