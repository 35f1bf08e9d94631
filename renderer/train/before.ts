/** What is known before a run starts: steps, memory against the device's, checks. Pure. */
import type { NativeDevice } from '../../engine/contract/native.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import type { DeviceReport } from '../../engine/contract/wire.ts';

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

export interface Room {
  /** Bytes that a run can have; where the device does not tell what is free, all that it has. */
  free: number;
  total: number;
  /** Where: `cuda:0`, or this computer's memory. */
  name: string;
}

/** null where the device does not tell. */
export function roomOn(device: NativeDevice | undefined, host: DeviceReport['host']): Room | null {
  if (!device) return null;
  const onHost = device.name === 'cpu';
  const total = onHost ? host.memory_total : device.memory_total;
  if (total === null || total <= 0) return null;
  const free = onHost ? host.memory_free : (device.memory_free ?? total);
  return { free: Math.min(free, total), total, name: onHost ? 'this computer' : device.name };
}

/**
 * The estimate counts tensors; the kernels' workspace and the allocator's spare blocks come on top of it, the more so the smaller the
 * tensors are.
 */
const overhead = { share: 0.3, bytes: 64 * 2 ** 20 };

export type Fit = 'fits' | 'tight' | 'too large';

export function memoryRange(total: number): [number, number] {
  return [total, total * (1 + overhead.share) + overhead.bytes];
}

export function fitOf(total: number, { free }: Room): Fit {
  const [least, most] = memoryRange(total);
  if (least > free) return 'too large';
  return most > free * 0.9 ? 'tight' : 'fits';
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
