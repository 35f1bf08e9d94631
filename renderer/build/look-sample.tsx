/** Which sample is looked at, and with which weights. */
import { IconChevronLeft, IconChevronRight, IconDice5 } from '@tabler/icons-react';
import { useMemo } from 'react';
import { type Look, type LookedLayer, partWords } from '../../engine/contract/look.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { floatsOf, type LookAt } from '../state/look.ts';
import { isOf, useRuns } from '../state/runs.ts';
import {
  Choice,
  type ChoiceOption,
  fitted,
  IconButton,
  integer,
  number,
  Segmented,
  TensorPicture,
} from '../ui/index.ts';
import styles from './look.module.css';

const pictureSize = 72;
const mostTokens = 24;

export interface SampleBarProps {
  at: LookAt & { weights: string };
  plan: Plan;
  look: Look | null;
  onLook: (change: Partial<LookAt>) => void;
}

export function SampleBar({ at, plan, look, onLook }: SampleBarProps) {
  const { splits } = plan;
  const samples = look?.sample.part === at.part ? look.sample.samples : (splits?.[at.part] ?? null);
  const input = look?.layers.find(({ path }) => path === 'input');
  const go = (index: number) => samples !== null && onLook({ index: Math.max(0, Math.min(samples - 1, index)) });
  const label = look?.sample.label ?? null;
  return (
    <div className={styles.sample}>
      <div className={styles.sampleRow}>
        <SamplePicture input={input} label={label} />
        <div className={styles.sampleWords}>
          <div className={styles.sampleTitle}>
            Sample {integer(at.index)}
            {label !== null && <span className={styles.label}>{label}</span>}
          </div>
          <div className={styles.quiet}>
            {samples === null ? '\u00a0' : `of ${integer(samples)} in the ${partWords[at.part]} part`}
          </div>
          <div className={styles.sampleButtons}>
            <IconButton
              label="Previous sample"
              icon={IconChevronLeft}
              disabled={at.index === 0}
              onClick={() => go(at.index - 1)}
            />
            <IconButton
              label="Next sample"
              icon={IconChevronRight}
              disabled={samples !== null && at.index >= samples - 1}
              onClick={() => go(at.index + 1)}
            />
            <IconButton
              label="Random sample"
              icon={IconDice5}
              disabled={samples === null}
              onClick={() => go(Math.floor(Math.random() * (samples ?? 1)))}
            />
          </div>
        </div>
      </div>
      <Segmented
        label="Part of the data"
        value={at.part}
        full
        options={[
          { value: 'train', label: 'Training' },
          { value: 'val', label: 'Validation', disabled: splits !== null && splits.val === 0 },
          { value: 'test', label: 'Test', disabled: splits !== null && splits.test === null },
        ]}
        onChange={(part) => onLook({ part, index: 0 })}
      />
      <WeightsChoice at={at} plan={plan} onLook={onLook} />
    </div>
  );
}

/** What enters the network. */
function SamplePicture({ input, label }: { input: LookedLayer | undefined; label: string | null }) {
  const data = input?.values?.data;
  const values = useMemo(() => (data === undefined ? null : floatsOf(data)), [data]);
  if (!input?.values || !values) return <div className={styles.picture} aria-hidden />;

  const [height = 1, width = 1] = input.values.shape.slice(-2);
  const named = label === null ? 'The sample' : `The sample, ${label}`;
  if (input.values.shape.length < 2 || height < 2 || width < 2) {
    const told = Array.from(values.subarray(0, mostTokens), (value) => number(value, 3)).join(' ');
    return (
      <div className={styles.picture} data-numbers role="img" aria-label={named}>
        {told}
        {values.length > mostTokens && ' …'}
      </div>
    );
  }
  return (
    <div className={styles.picture}>
      <TensorPicture
        values={values}
        channels={values.length / (width * height)}
        width={width}
        height={height}
        shown={fitted(width, height, { width: pictureSize, height: pictureSize })}
        label={named}
      />
    </div>
  );
}

function WeightsChoice({ at, plan, onLook }: Pick<SampleBarProps, 'at' | 'plan' | 'onLook'>) {
  const runs = useRuns(({ list }) => list) ?? [];
  const options: ChoiceOption[] = [
    { value: 'init', label: 'Random weights', hint: `seed ${plan.project.training.seed}`, group: 'Before training' },
    ...(plan.project.model.weights === null
      ? []
      : [{ value: 'project', label: 'The weights it starts from', group: 'Before training' }]),
  ];
  const { name } = plan.project;
  // Runs of this very project first; of each the best epoch, and the last.
  const own = (run: (typeof runs)[number]) => Number(isOf(run, name));
  for (const run of [...runs].sort((a, b) => own(b) - own(a))) {
    const { summary } = run;
    if (!summary || summary.step === 0) continue;
    const other = summary.parameters !== plan.parameters;
    const more = {
      group: own(run) ? 'Runs of this project' : 'Other runs',
      ...(other ? { help: `Of another network: ${integer(summary.parameters)} parameters` } : {}),
    };
    if (summary.best)
      options.push({
        value: `${run.name}:best`,
        label: `${run.name}, best`,
        hint: `epoch ${summary.best.epoch}`,
        ...more,
      });
    options.push({ value: `${run.name}:last`, label: `${run.name}, last`, hint: `epoch ${summary.epoch}`, ...more });
  }
  if (!options.some(({ value }) => value === at.weights))
    options.push({ value: at.weights, label: at.weights, group: 'Other runs' });
  const trained = options.some(({ value }) => value !== 'init');
  return (
    <>
      <Choice label="Weights" value={at.weights} options={options} onChange={(weights) => onLook({ weights })} />
      {!trained && <p className={styles.quiet}>Once a run has been trained, its weights can be looked at here.</p>}
    </>
  );
}
