/** The forms of the groups that no table has: run, device, batches, optimizer, regularisation, advanced. */
import { IconGitCompare, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { Choice as Taken } from '../../engine/contract/device-choice.ts';
import { mixingFields } from '../../engine/contract/mixing.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';
import { optimizers } from '../../engine/contract/optimizers.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { loaderFields, nameField, trainingFields } from '../../engine/contract/settings.ts';
import { emaFields } from '../../engine/contract/training-numbers.ts';
import { FindBatchDialog } from '../project-parts/find-batch-dialog.tsx';
import { OptionalForm } from '../project-parts/optional-form.tsx';
import { RowForm } from '../project-parts/row-form.tsx';
import type { Room } from '../state/memory-fit.ts';
import { Button, type ChoiceOption, integer, number } from '../ui/index.ts';
import { CheckDialog } from './check-dialog.tsx';
import { UseAuto, useMissingDevice } from './device.tsx';
import { ChosenField, Fields } from './fields.tsx';
import { FindLrDialog } from './find-lr-dialog.tsx';
import { PrecisionFields } from './precision-fields.tsx';
import classes from './train.module.css';

export function RunGroup() {
  return (
    <>
      <Fields place={[]} shape={{ name: nameField }} />
      <Fields place={['training']} shape={trainingFields} only={['epochs']} />
    </>
  );
}

export interface DeviceGroupProps {
  plan: Plan;
  devices: readonly NativeDevice[] | null;
  taken: Taken | null;
}

export function DeviceGroup({ plan, devices, taken }: DeviceGroupProps) {
  const { device } = plan.project.training;
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
      <PrecisionFields plan={plan} device={known.find(({ name }) => name === taken?.value) ?? null} />
    </>
  );
}

export function LoaderGroup({ plan, room, onHost }: { plan: Plan; room: Room | null; onHost: boolean }) {
  const [finding, setFinding] = useState(false);
  const { batch_size } = plan.project.data.loader;
  const { accumulate } = plan.project.training;
  return (
    <>
      <Fields place={['data', 'loader']} shape={loaderFields} only={['batch_size']} />
      <Fields place={['training']} shape={trainingFields} only={['accumulate', 'activation_checkpointing']} />
      {accumulate > 1 && (
        <p className={classes.note}>
          Effective batch <strong>{integer(batch_size * accumulate)}</strong>: {integer(accumulate)} batches of{' '}
          {integer(batch_size)} make one step.
        </p>
      )}
      <div className={classes.finders}>
        <Button size="xs" icon={IconSearch} disabled={plan.model === null} onClick={() => setFinding(true)}>
          Find batch size
        </Button>
      </div>
      <Fields
        place={['data', 'loader']}
        shape={loaderFields}
        only={Object.keys(loaderFields).filter((key) => key !== 'batch_size')}
      />
      {finding && <FindBatchDialog plan={plan} room={room} onHost={onHost} onClose={() => setFinding(false)} />}
    </>
  );
}

export function OptimizerGroup({ plan }: { plan: Plan }) {
  const [finding, setFinding] = useState(false);
  return (
    <>
      <RowForm place={['training', 'optimizer']} table={optimizers} label="Optimizer" standard="Adam" />
      {plan.groups[0]?.weight_decay !== null && (
        <Fields place={['training']} shape={trainingFields} only={['decay_norms_and_biases']} />
      )}
      <div className={classes.finders}>
        <Button size="xs" icon={IconSearch} disabled={plan.model === null} onClick={() => setFinding(true)}>
          Find learning rate
        </Button>
      </div>
      {finding && <FindLrDialog plan={plan} onClose={() => setFinding(false)} />}
    </>
  );
}

export function RegularisationGroup({ plan, dropout }: { plan: Plan; dropout: readonly string[] }) {
  const { optimizer, loss } = plan.project.training;
  const smoothing = loss.args.label_smoothing;
  return (
    <>
      <Fields
        place={['training']}
        shape={trainingFields}
        only={['clip_grad_norm', 'clip_grad_value']}
        placeholders={{ clip_grad_norm: 'no limit', clip_grad_value: 'no limit' }}
      />
      <OptionalForm
        place={['training']}
        name="ema"
        label="Averaged weights"
        help="A running mean of the weights (EMA). Validation, the best checkpoint and exports take it; training goes on with the weights themselves."
        shape={emaFields}
      />
      <OptionalForm
        place={['training']}
        name="mixup"
        label="MixUp"
        help="Blends pairs of samples and their classes. With CutMix on too, each batch takes one of both at random."
        shape={mixingFields.mixup}
      />
      <OptionalForm
        place={['training']}
        name="cutmix"
        label="CutMix"
        help="Pastes a box of one image into another, and blends their classes by its area."
        shape={mixingFields.cutmix}
      />
      <p className={classes.note}>
        Weight decay is set with the optimizer ({number(Number(optimizer.args.weight_decay ?? 0))} now)
        {typeof smoothing === 'number' && `, label smoothing with the loss (${number(smoothing)} now)`}; dropout is a
        layer of the network ({dropout.length === 0 ? 'none now' : `p ${[...new Set(dropout)].join(' and ')} now`}).
      </p>
    </>
  );
}

export function AdvancedGroup({ plan }: { plan: Plan }) {
  const [checking, setChecking] = useState(false);
  return (
    <>
      <Fields place={['training']} shape={trainingFields} only={['seed', 'deterministic']} />
      <div className={classes.finders}>
        <Button size="xs" icon={IconGitCompare} disabled={plan.model === null} onClick={() => setChecking(true)}>
          Check that runs repeat
        </Button>
      </div>
      {checking && <CheckDialog onClose={() => setChecking(false)} />}
    </>
  );
}
