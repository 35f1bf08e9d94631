/** Each group of settings as one sentence, readable while it is folded. Pure. */
import type { Choice } from '../../engine/contract/device-choice.ts';
import { fieldInfo } from '../../engine/contract/fields.ts';
import { losses } from '../../engine/contract/losses.ts';
import { metricLabel } from '../../engine/contract/metrics.ts';
import { optimizers } from '../../engine/contract/optimizers.ts';
import type { PlannedLayer } from '../../engine/contract/plan-types.ts';
import type { Chosen, ResolvedProject } from '../../engine/contract/project-types.ts';
import type { Shape } from '../../engine/contract/report.ts';
import { capital, integer, number, plural } from '../ui/format.ts';
import type { Steps } from './before.ts';

type Training = ResolvedProject['training'];

function join(parts: readonly (string | false | null)[]): string {
  return parts.filter((part) => part !== false && part !== null && part !== '').join(', ');
}

function figure(value: unknown): string {
  return typeof value === 'number' ? number(value) : String(value);
}

/** `0.9 and 0.999`. */
function figures(value: unknown): string {
  return Array.isArray(value) ? value.map(figure).join(' and ') : figure(value);
}

export function runSentence({ name, training }: ResolvedProject, steps: Steps | null): string {
  const of = steps && steps.steps > 0 ? ` of ${plural(steps.steps, 'step')}` : '';
  return `${name}, ${plural(training.epochs, 'epoch')}${of}`;
}

/** `taken`, `format`: the device and the number format that a run would get; null while the devices are not known. */
export function deviceSentence(
  { device, precision, tf32 }: Training,
  taken: Choice | null,
  format: string | null = null,
): string {
  const where = device !== 'auto' ? device : taken ? `auto, which takes ${taken.value} here` : 'auto';
  const automatic = `automatic precision${format === null ? '' : `, which is ${format} here`}`;
  return join([capital(where), precision === 'auto' ? automatic : precision, tf32 && 'TF32']);
}

export function loaderSentence(
  loader: ResolvedProject['data']['loader'],
  { accumulate, activation_checkpointing }: Pick<Training, 'accumulate' | 'activation_checkpointing'>,
): string {
  const { batch_size, shuffle, sampler, drop_last, num_workers } = loader;
  return join([
    `Batches of ${integer(batch_size)}`,
    accumulate > 1 && `${integer(accumulate)} a step`,
    orderWords(sampler, shuffle),
    loader.bucket_by_length && 'of like length',
    drop_last && 'a short last one left out',
    num_workers === 0 ? 'no workers' : plural(num_workers, 'worker'),
    activation_checkpointing && 'activations computed twice',
  ]);
}

function orderWords(sampler: ResolvedProject['data']['loader']['sampler'], shuffle: boolean): string {
  if (sampler === 'balanced') return 'classes balanced';
  if (sampler === 'weighted') return 'classes weighted';
  return shuffle ? 'shuffled' : 'in order';
}

/** These are told whether or not they are the default. */
const always = new Set(['lr', 'betas']);

/** Arguments that are not the default, in words: `weight decay 0.01`. */
function argumentsOf({ args }: Chosen, params: Shape, told: ReadonlySet<string>): string[] {
  return Object.entries(params).flatMap(([key, schema]) => {
    const info = fieldInfo(schema);
    const value = args[key];
    if (value === undefined) return [];
    const standard = JSON.stringify(value) === JSON.stringify(info.default);
    if (standard && !told.has(key)) return [];
    const label = key === 'lr' ? 'lr' : info.label.toLowerCase();
    return [value === true ? label : `${label} ${figures(value)}`];
  });
}

export function optimizerSentence(optimizer: Chosen): string {
  const params = optimizers.get(optimizer.kind)?.params ?? {};
  return join([optimizer.kind, ...argumentsOf(optimizer, params, always)]);
}

export function lossSentence({ loss, metrics: chosen }: Training): string {
  const row = losses.get(loss.kind);
  const told = row ? argumentsOf(loss, row.params, new Set()) : [];
  const measured = chosen.map(({ key }) => (metricLabel(key) ?? key).toLowerCase());
  return join([
    row?.label ?? loss.kind,
    ...told,
    measured.length > 0 ? `measured by ${measured.join(' and ')}` : 'no metrics',
  ]);
}

/** Dropout layers with their shares, blocks included. */
export function dropoutOf(layers: readonly PlannedLayer[]): string[] {
  return layers.flatMap((layer) => [
    ...(layer.kind.includes('Dropout') ? [String(layer.args.p)] : []),
    ...(layer.children ?? []).flatMap((child) => dropoutOf(child.layers)),
  ]);
}

export function regularisationSentence(
  { clip_grad_norm, clip_grad_value, ema, mixup, cutmix, optimizer, loss }: Training,
  dropout: readonly string[],
): string {
  const decay = Number(optimizer.args.weight_decay ?? 0);
  const smoothing = Number(loss.args.label_smoothing ?? 0);
  return join([
    capital(clippingWords(clip_grad_norm, clip_grad_value)),
    mixup && 'MixUp',
    cutmix && 'CutMix',
    ema && `weights averaged by ${number(ema.decay, 6)}`,
    decay > 0 && `weight decay ${number(decay)}`,
    smoothing > 0 && `label smoothing ${number(smoothing)}`,
    dropout.length > 0 && `dropout ${[...new Set(dropout)].join(' and ')}`,
  ]);
}

function clippingWords(norm: number | null, value: number | null): string {
  if (norm === null && value === null) return 'no clipping';
  const limits = [
    ...(norm === null ? [] : [`at ${number(norm)}`]),
    ...(value === null ? [] : [`each number at ${number(value)}`]),
  ];
  return `gradients clipped ${limits.join(', ')}`;
}

export function stoppingSentence({ checkpoint, early_stopping }: Training): string {
  const { every_epochs, every_steps, every_minutes, keep, top_k, monitor } = checkpoint;
  const every = every_epochs === 1 ? 'every epoch' : `every ${integer(every_epochs)} epochs`;
  const also = [
    every_steps === null ? '' : `every ${plural(every_steps, 'step')}`,
    every_minutes === null ? '' : `every ${number(every_minutes)} min`,
  ].filter((part) => part !== '');
  const kept = `the last ${keep === 1 ? 'one' : integer(keep)} kept and the best ${top_k === 1 ? '' : `${integer(top_k)} `}by ${monitor}`;
  return join([
    `${capital([every, ...also].join(' and '))}`,
    kept,
    early_stopping &&
      `stops after ${plural(early_stopping.patience, 'epoch')} without a better ${early_stopping.monitor}`,
  ]);
}

export function advancedSentence({ training }: ResolvedProject): string {
  const { seed, deterministic } = training;
  return join([`Seed ${seed}`, deterministic && 'deterministic']);
}
