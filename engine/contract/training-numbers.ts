/** How training calculates: loss scaling and the averaged weights, each an object of its own in the project; and what fits a device. */
import { fieldInfo, integer, number } from './fields.ts';
import { type JsonObject, type Place, type Report, removeEdit, setEdit } from './report.ts';

export const precisions = ['fp32', 'bf16', 'fp16'] as const;
export type Precision = (typeof precisions)[number];

/** As torch.amp.GradScaler has them. */
export const lossScaleFields = {
  init_scale: number({
    label: 'Initial scale',
    help: 'What the loss is multiplied by at first, so that small gradients do not vanish in fp16.',
    above: 0,
    default: 65536,
  }),
  growth_factor: number({
    label: 'Growth factor',
    help: 'The scale is multiplied by this after growth_interval steps without an overflow.',
    above: 1,
    default: 2,
  }),
  backoff_factor: number({
    label: 'Backoff factor',
    help: 'The scale is multiplied by this after an overflow, whose step is skipped.',
    above: 0,
    below: 1,
    default: 0.5,
  }),
  growth_interval: integer({
    label: 'Growth interval',
    help: 'Steps without an overflow after which the scale grows.',
    unit: 'steps',
    default: 2000,
  }),
};

/** As torch.optim.swa_utils.get_ema_multi_avg_fn has it. */
export const emaFields = {
  decay: number({
    label: 'Decay',
    help: 'Share of the average that a step keeps; the rest comes from the new weights.',
    min: 0,
    max: 1,
    default: 0.999,
  }),
};

export interface ResolvedLossScale {
  init_scale: number;
  growth_factor: number;
  backoff_factor: number;
  growth_interval: number;
}

export interface ResolvedEma {
  decay: number;
}

/** Absent and null are torch's defaults; an own start is single precision, as the scale is. */
export function examineLossScale(training: JsonObject, place: Place, report: Report): ResolvedLossScale {
  const at = [...place, 'loss_scale'];
  const given = report.object(training.loss_scale ?? undefined, at, 'loss_scale');
  report.unknownKeys(given, Object.keys(lossScaleFields), at);
  const { values } = report.fields(given, lossScaleFields, at);
  if (Number.isFinite(Math.fround(values.init_scale)) && Math.fround(values.init_scale) > 0) return values;
  const standard = fieldInfo(lossScaleFields.init_scale).default as number;
  report.error(
    'BAD_VALUE',
    [...at, 'init_scale'],
    `init_scale is ${values.init_scale}, which single precision cannot hold`,
    'Use a smaller scale, such as 65536.',
    [{ label: `Use the default, ${standard}`, edits: [removeEdit([...at, 'init_scale'])] }],
  );
  return { ...values, init_scale: standard };
}

/** Absent and null: no averaging. */
export function examineEma(training: JsonObject, place: Place, report: Report): ResolvedEma | null {
  const { ema } = training;
  if (ema === undefined || ema === null) return null;
  const at = [...place, 'ema'];
  const given = report.object(ema, at, 'ema');
  report.unknownKeys(given, Object.keys(emaFields), at);
  return report.fields(given, emaFields, at).values;
}

/** What the project alone tells: the device may be `auto`, and is looked at again when a run begins. */
export function examinePrecision(precision: Precision | 'auto', device: string, place: Place, report: Report): void {
  if (precision !== 'fp16' || device.split(':')[0] !== 'cpu') return;
  const at = [...place, 'precision'];
  report.warn('SLOW_PRECISION', at, slowOnCpu.message, slowOnCpu.hint, [
    { label: 'Set it to fp32', edits: [setEdit(at, 'fp32')] },
    { label: 'Set it to bf16', edits: [setEdit(at, 'bf16')] },
  ]);
}

export const slowOnCpu = {
  message: 'A CPU calculates with fp16 far more slowly than with fp32',
  hint: 'Use fp32, or bf16 where the CPU has instructions for it.',
};
