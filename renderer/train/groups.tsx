/** The forms of the groups that no table has: run, device, batches, regularisation, checkpoints, advanced. */
import { useId } from 'react';
import type { Choice as Taken } from '../../engine/contract/device-choice.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import type { Shape } from '../../engine/contract/report.ts';
import {
  checkpointFields,
  loaderFields,
  modelFields,
  nameField,
  trainingFields,
} from '../../engine/contract/settings.ts';
import { folderOf, pickPath, relativeTo } from '../state/files.ts';
import { change, type FormPlace, useFormAt } from '../state/form.ts';
import { problemsAt } from '../state/problems.ts';
import { edit, useProjectState } from '../state/project.ts';
import { Choice, type ChoiceOption, number, SchemaForm, SettingRow } from '../ui/index.ts';
import { UseAuto, useMissingDevice } from './device.tsx';
import classes from './train.module.css';

/** A form of some keys of an object of the project. */
function Fields({
  place,
  shape,
  only,
  onBrowse,
}: {
  place: FormPlace;
  shape: Shape;
  only?: readonly string[];
  onBrowse?: (key: string) => Promise<string | null>;
}) {
  const { value, problems, onChange } = useFormAt(place);
  return (
    <SchemaForm
      shape={shape}
      only={only}
      value={value}
      onChange={onChange}
      problems={problems}
      place={place.join('.')}
      onFix={(fix) => edit(fix.edits)}
      onBrowse={onBrowse}
    />
  );
}

/** A key whose choices are known only here. */
function ChosenField({
  place,
  name,
  label,
  help,
  value,
  options,
  standard,
}: {
  place: FormPlace;
  name: string;
  label: string;
  help: string;
  /** What holds, written or not. */
  value: string;
  options: readonly ChoiceOption[];
  standard: string;
}) {
  const id = useId();
  const { value: written, problems } = useFormAt(place);
  const at = [...place, name];
  const own = problemsAt(problems, at.join('.'));
  return (
    <SettingRow
      id={id}
      label={label}
      help={help}
      problems={own}
      onFix={(fix) => edit(fix.edits)}
      onReset={written[name] === undefined ? undefined : () => change(at, undefined)}
      standard={standard}
    >
      <Choice
        id={id}
        label={label}
        value={value}
        options={options}
        invalid={own.some(({ severity }) => severity === 'error')}
        onChange={(next) => change(at, next)}
      />
    </SettingRow>
  );
}

export function RunGroup() {
  return (
    <>
      <Fields place={[]} shape={{ name: nameField }} />
      <Fields place={['training']} shape={trainingFields} only={['epochs']} />
    </>
  );
}

const precisions: readonly ChoiceOption[] = [
  { value: 'fp32', label: 'fp32', hint: '32-bit floats' },
  { value: 'auto', label: 'auto', hint: 'what the device runs best; fp32 in this version' },
];

export interface DeviceGroupProps {
  plan: Plan;
  devices: readonly { name: string; label: string }[] | null;
  taken: Taken | null;
}

export function DeviceGroup({ plan, devices, taken }: DeviceGroupProps) {
  const { value } = useFormAt(['training']);
  const { device } = plan.project.training;
  const written = typeof value.precision === 'string' ? value.precision : plan.project.training.precision;
  const known = devices ?? [];
  const options: ChoiceOption[] = [
    {
      value: 'auto',
      label: 'auto',
      hint:
        taken && device === 'auto' ? `${taken.value}: ${taken.reason ?? 'chosen in Settings'}` : 'the best there is',
    },
    ...known.map(({ name, label }) => ({ value: name, label: name, hint: label })),
  ];
  const there = options.some((option) => option.value === device);
  // The file may name what this computer, or this version, does not have.
  if (!there) {
    const first = known.find(({ name }) => name.split(':')[0] === device);
    const hint = devices === null ? undefined : first ? `the first: ${first.name}` : 'not on this computer';
    options.push({ value: device, label: device, hint });
  }
  const missing = useMissingDevice(plan);
  const offered = precisions.some((option) => option.value === written)
    ? precisions
    : [...precisions, { value: written, label: written, hint: 'not run by this version' }];
  return (
    <>
      <ChosenField
        place={['training']}
        name="device"
        label="Device"
        help="Where the run computes. auto takes the best device there is, wherever the project is opened."
        value={device}
        options={options}
        standard="auto"
      />
      {device === 'auto' && taken && (
        <p className={classes.note}>
          Here a run takes <strong>{taken.value}</strong>
          {taken.reason === undefined ? ', as chosen in Settings.' : `: ${taken.reason}.`}
        </p>
      )}
      {missing !== null && (
        <p className={classes.noteBad}>
          {missing} is not on this computer, so a run would not start. <UseAuto />
        </p>
      )}
      <ChosenField
        place={['training']}
        name="precision"
        label="Precision"
        help="Number format of the calculations."
        value={written}
        options={offered}
        standard="fp32"
      />
    </>
  );
}

export function LoaderGroup() {
  return <Fields place={['data', 'loader']} shape={loaderFields} />;
}

export function RegularisationGroup({ plan, dropout }: { plan: Plan; dropout: readonly string[] }) {
  const { optimizer, loss } = plan.project.training;
  const smoothing = loss.args.label_smoothing;
  return (
    <>
      <Fields place={['training']} shape={trainingFields} only={['clip_grad_norm']} />
      <p className={classes.note}>
        Weight decay is set with the optimizer ({number(Number(optimizer.args.weight_decay ?? 0))} now)
        {typeof smoothing === 'number' && `, label smoothing with the loss (${number(smoothing)} now)`}; dropout is a
        layer of the network ({dropout.length === 0 ? 'none now' : `p ${[...new Set(dropout)].join(' and ')} now`}).
      </p>
    </>
  );
}

export function CheckpointGroup({ plan }: { plan: Plan }) {
  const { metrics, checkpoint } = plan.project.training;
  const parts = plan.project.data.split.val === 0 ? ['train'] : ['val', 'train'];
  const names = parts.flatMap((part) => ['loss', ...metrics].map((name) => `${part}_${name}`));
  const { value } = useFormAt(['training', 'checkpoint']);
  const written = typeof value.monitor === 'string' ? value.monitor : checkpoint.monitor;
  const options = (names.includes(written) ? names : [...names, written]).map((name) => ({
    value: name,
    label: name,
    hint: name.endsWith('loss') ? 'less is better' : undefined,
  }));
  return (
    <>
      <Fields place={['training', 'checkpoint']} shape={checkpointFields} only={['every_epochs', 'keep']} />
      <ChosenField
        place={['training', 'checkpoint']}
        name="monitor"
        label="Best by"
        help="The value of an epoch that decides which checkpoint is the best one."
        value={written}
        options={options}
        standard={names[0] as string}
      />
    </>
  );
}

export function AdvancedGroup() {
  const file = useProjectState((state) => state.file);
  const browse = async () => {
    if (file === null) return null;
    const chosen = await pickPath({
      kind: 'file',
      title: 'Weights to start from',
      confirm: 'Choose file',
      filters: [{ name: 'Weights', extensions: ['safetensors', 'pt'] }],
      start: folderOf(file),
    });
    return chosen === null ? null : relativeTo(file, chosen);
  };
  return (
    <>
      <Fields place={['training']} shape={trainingFields} only={['accumulate', 'seed', 'deterministic']} />
      <Fields place={['model']} shape={modelFields} onBrowse={browse} />
    </>
  );
}
