/** How the learning rate moves: which schedule, by which clock, after which warm-up; drawn over the run as it would be made. */
import { useId, useMemo } from 'react';
import type { Plan } from '../../engine/contract/plan.ts';
import { type ScheduleKind, schedules, warmupFields } from '../../engine/contract/schedules.ts';
import { OptionalForm } from '../project-parts/optional-form.tsx';
import { RowForm } from '../project-parts/row-form.tsx';
import { change, useFormAt } from '../state/form.ts';
import { problemsAt } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { LineChart, number, Segmented, SettingRow } from '../ui/index.ts';
import { stepsOf } from './before.ts';
import { MonitorField } from './fields.tsx';
import { derivedValues, type PlannedRate, plannedRate } from './schedule-lines.ts';
import classes from './train.module.css';

const place = ['training', 'schedule'];

export function ScheduleGroup({ plan }: { plan: Plan }) {
  const { value } = useFormAt(place);
  const { epochs, checkpoint } = plan.project.training;
  const row = typeof value.kind === 'string' ? schedules.get(value.kind) : undefined;
  const unit = value.unit === 'step' || value.unit === 'epoch' ? value.unit : (row?.unit ?? 'epoch');
  const steps = (stepsOf(plan)?.steps ?? 0) * epochs;
  const planned = useMemo(() => plannedRate(plan), [plan]);
  const placeholders = row ? derivedValues(row, planned, plan) : {};
  const begin = (chosen: ScheduleKind) => ({ ...chosen.suggest(chosen.unit === 'step' && steps > 0 ? steps : epochs) });
  return (
    <>
      <div className={classes.form}>
        <RowForm
          place={place}
          table={schedules}
          label="Schedule"
          none={{ label: 'None', help: 'The learning rate stays as it is.' }}
          begin={begin}
          placeholders={placeholders}
          unitOf={(_key, info) => (info.unit === 'epochs or steps' ? `${unit}s` : info.unit)}
          custom={(key) =>
            key === 'monitor' ? (
              <MonitorField
                plan={plan}
                place={place}
                label="Watches"
                help="The value of an epoch that decides when the learning rate is reduced."
                standard={checkpoint.monitor}
              />
            ) : undefined
          }
        />
        {row && !row.adaptive && <Unit unit={unit} row={row} />}
        {row && (
          <OptionalForm
            place={place}
            name="warmup"
            label="Warm-up"
            help="The learning rate climbs in a straight line before the schedule begins, step by step."
            shape={warmupFields}
            begin={{ steps: Math.max(1, Math.round(steps / 20)) }}
          />
        )}
      </div>
      <Planned planned={planned} />
    </>
  );
}

function Unit({ unit, row }: { unit: 'epoch' | 'step'; row: ScheduleKind }) {
  const id = useId();
  const { value, problems } = useFormAt(place);
  return (
    <SettingRow
      id={id}
      label="Moves each"
      help="What the schedule's clock counts: finished epochs, or optimizer steps that were really done."
      problems={problemsAt(problems, 'training.schedule.unit')}
      onFix={(fix) => edit(fix.edits)}
      onReset={value.unit === undefined ? undefined : () => change([...place, 'unit'], undefined)}
      standard={row.unit}
    >
      <Segmented
        label="Moves each"
        value={unit}
        options={[
          { value: 'epoch', label: 'Epoch' },
          { value: 'step', label: 'Step' },
        ]}
        onChange={(next) => change([...place, 'unit'], next)}
      />
    </SettingRow>
  );
}

const height = 160;
const momentumHeight = 96;

/** The curve that a run would follow; the same rule computes each step of it. */
function Planned({ planned }: { planned: PlannedRate | null }) {
  if (!planned) return <p className={classes.note}>The curve is drawn once the data is known.</p>;
  const { points, lines, momentum } = planned;
  const chart = { xLabel: 'epoch', wholeX: false, yFormat: number } as const;
  return (
    <div className={classes.planned}>
      <LineChart {...chart} title="Planned learning rate" series={lines} height={height} yDomain={fromZero} />
      {momentum && (
        <LineChart
          {...chart}
          title={`Planned ${momentum.label.toLowerCase()}`}
          series={[momentum]}
          height={momentumHeight}
          compact
        />
      )}
      {points.note !== null && <p className={classes.note}>{points.note}</p>}
    </div>
  );
}

const fromZero = [0, null] as const;
