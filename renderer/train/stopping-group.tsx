/** What is saved while a run goes on, which of it is the best, and when a run ends by itself. */
import type { Plan } from '../../engine/contract/plan.ts';
import { checkpointFields, earlyStoppingFields } from '../../engine/contract/settings.ts';
import { OptionalForm } from '../project-parts/optional-form.tsx';
import { Fields, MonitorField } from './fields.tsx';
import { monitorNames } from './monitor-options.ts';

const checkpoint = ['training', 'checkpoint'];
const early = ['training', 'early_stopping'];

const never = { every_steps: 'never', every_minutes: 'never' };

export function StoppingGroup({ plan }: { plan: Plan }) {
  const { checkpoint: resolved } = plan.project.training;
  const names = monitorNames(plan);
  const shown = Object.keys(checkpointFields).filter((key) => key !== 'monitor');
  return (
    <>
      <Fields place={checkpoint} shape={checkpointFields} only={shown} placeholders={never} />
      <MonitorField
        plan={plan}
        place={checkpoint}
        label="Best by"
        help="The value of an epoch that decides which checkpoint is the best one."
        standard={names[0] ?? resolved.monitor}
      />
      <OptionalForm
        place={['training']}
        name="early_stopping"
        label="Early stopping"
        help="Ends the run when a value has stopped getting better. The best weights are kept, as at every end."
        shape={earlyStoppingFields}
        custom={(key) =>
          key === 'monitor' ? (
            <MonitorField
              plan={plan}
              place={early}
              label="Watches"
              help="The value of an epoch that has to get better."
              standard={resolved.monitor}
            />
          ) : undefined
        }
      />
    </>
  );
}
