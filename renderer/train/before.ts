/** What is known before a run starts: its steps, and which group of the page a problem belongs to. Pure. */
import type { Plan } from '../../engine/contract/plan.ts';

export interface Steps {
  /** Of training, an epoch. */
  samples: number;
  batches: number;
  /** Optimizer steps. */
  steps: number;
  /** Samples whose gradients make one step. */
  effectiveBatch: number;
}

/** null while the data is unknown. */
export function stepsOf({ splits, project }: Plan): Steps | null {
  if (!splits) return null;
  const { batch_size, drop_last } = project.data.loader;
  const { accumulate } = project.training;
  const batches = drop_last ? Math.floor(splits.train / batch_size) : Math.ceil(splits.train / batch_size);
  return {
    samples: drop_last ? batches * batch_size : splits.train,
    batches,
    steps: Math.ceil(batches / accumulate),
    effectiveBatch: Math.min(batch_size * accumulate, Math.max(1, splits.train)),
  };
}

/** A group of the page that a place of the project belongs to. */
const groupKeys = [
  'run',
  'device',
  'loader',
  'optimizer',
  'schedule',
  'loss',
  'regularisation',
  'checkpoint',
  'weights',
  'advanced',
] as const;
export type GroupKey = (typeof groupKeys)[number];

const places: [string, GroupKey][] = [
  ['name', 'run'],
  ['training.epochs', 'run'],
  ['training.device', 'device'],
  ['training.precision', 'device'],
  ['training.tf32', 'device'],
  ['training.loss_scale', 'device'],
  ['data.loader', 'loader'],
  ['training.accumulate', 'loader'],
  ['training.activation_checkpointing', 'loader'],
  ['training.optimizer', 'optimizer'],
  ['training.decay_norms_and_biases', 'optimizer'],
  ['training.schedule', 'schedule'],
  ['training.loss', 'loss'],
  ['training.metrics', 'loss'],
  ['training.clip_grad_norm', 'regularisation'],
  ['training.clip_grad_value', 'regularisation'],
  ['training.ema', 'regularisation'],
  ['training.mixup', 'regularisation'],
  ['training.cutmix', 'regularisation'],
  ['training.checkpoint', 'checkpoint'],
  ['training.early_stopping', 'checkpoint'],
  ['training.seed', 'advanced'],
  ['training.deterministic', 'advanced'],
  ['model.weights', 'weights'],
];

/** null: no group of this page has it. */
export function groupOf(path: string): GroupKey | null {
  return places.find(([place]) => path === place || path.startsWith(`${place}.`))?.[1] ?? null;
}
