/** The number format of the calculations, by what the device has, and what belongs to it: TF32, scaling of the loss. */
import type { NativeDevice } from '../../engine/contract/native.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { trainingFields } from '../../engine/contract/settings.ts';
import { lossScaleFields } from '../../engine/contract/training-numbers.ts';
import { useFormAt } from '../state/form.ts';
import { number, Section } from '../ui/index.ts';
import { ChosenField, Fields } from './fields.tsx';
import { precisionOptions, usedPrecision } from './precision-options.ts';
import classes from './train.module.css';

/** `device`: that a run would take; null while it is not known. */
export function PrecisionFields({ plan, device }: { plan: Plan; device: NativeDevice | null }) {
  const { value } = useFormAt(['training']);
  const { precision, loss_scale } = plan.project.training;
  const used = usedPrecision(precision, device);
  const tf32 = device?.name.startsWith('cuda') === true;
  return (
    <>
      <ChosenField
        place={['training']}
        name="precision"
        label="Precision"
        help="Number format of the calculations; the weights themselves stay 32-bit."
        value={precision}
        options={precisionOptions(device)}
        standard="fp32"
      />
      {precision === 'auto' && used?.reason !== undefined && (
        <p className={classes.note}>
          Here a run takes <strong>{used.value}</strong>: {used.reason}.
        </p>
      )}
      {(tf32 || value.tf32 !== undefined) && (
        <>
          <Fields place={['training']} shape={trainingFields} only={['tf32']} />
          {!tf32 && <p className={classes.note}>Only NVIDIA GPUs have it: without effect here.</p>}
        </>
      )}
      {(used?.value === 'fp16' || value.loss_scale !== undefined) && (
        <Section
          title="More: loss scaling"
          summary={`begins at ${number(loss_scale.init_scale, 6)}, times ${number(loss_scale.growth_factor)} after ${number(loss_scale.growth_interval, 6)} steps`}
          foldable
          defaultOpen={value.loss_scale !== undefined}
        >
          <p className={classes.note}>
            The loss is multiplied so that small gradients do not vanish in 16 bits. A step whose gradients overflow is
            skipped and the scale lowered; Monitor draws both.
          </p>
          <Fields place={['training', 'loss_scale']} shape={lossScaleFields} />
        </Section>
      )}
    </>
  );
}
