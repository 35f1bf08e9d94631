/** The memory that training takes against what the device has: whether it fits, and what would make it fit. Pure. */
import { precisionsOn } from '../../engine/contract/device-choice.ts';
import { applied } from '../../engine/contract/edits.ts';
import type { MemoryCorrection } from '../../engine/contract/estimate-correction.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import type { Project } from '../../engine/contract/project.ts';
import { setEdit } from '../../engine/contract/report.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import type { DeviceReport } from '../../engine/contract/wire.ts';

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

/** What to expect of a training's memory, and where that is known from: this network's measurement, that of others, or the estimate alone. */
export function expectedMemory(estimated: number, correction: MemoryCorrection | null) {
  if (correction === null) return { value: estimated, from: 'estimated' } as const;
  return {
    value: Math.round(estimated * correction.factor),
    from: correction.same ? 'measured' : 'corrected',
  } as const;
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

/** From this share of what is free on, it is tight. */
export const tightFrom = 0.9;

export function fitOf(total: number, { free }: Room): Fit {
  const [least, most] = memoryRange(total);
  if (least > free) return 'too large';
  return most > free * tightFrom ? 'tight' : 'fits';
}

/** A change after which training takes less memory. */
export interface Way {
  /** A button's words. */
  label: string;
  /** What it costs otherwise. */
  price: string;
  edits: Edit[];
  /** Bytes, expected as those of the project are. */
  memory: number;
  fit: Fit;
}

export interface Situation {
  /** As the file has it. */
  project: Project;
  plan: Plan;
  facts: DataFacts | null;
  device: NativeDevice;
  room: Room;
  correction: MemoryCorrection | null;
}

/** What brings a network into its device that is tight there or does not fit: what helps enough first, then what helps most. */
export function waysToFit(situation: Situation): Way[] {
  const { plan, device } = situation;
  const { training } = plan.project;
  const checkpoint: Change = {
    label: 'Checkpoint activations',
    price: 'each step calculates the forward pass twice',
    edits: [setEdit(['training', 'activation_checkpointing'], true)],
  };
  const half: Change = {
    label: 'Calculate in bf16',
    price: 'activations and products in 16 bits',
    edits: [setEdit(['training', 'precision'], 'bf16')],
  };
  const canHalve =
    training.precision === 'fp32' && precisionsOn(device).some(({ value, note }) => value === 'bf16' && !note);
  const changes = [...(training.activation_checkpointing ? [] : [checkpoint]), ...(canHalve ? [half] : [])];
  const single = changes.map((change) => tried(situation, change));
  const smaller = smallerBatch(situation, null);
  const ways = [...(smaller ? [smaller] : []), ...single];
  // Where none alone is enough, the batch is made smaller on top of the rest.
  const most = single.filter((way) => way.memory < situationMemory(situation)).sort((a, b) => a.memory - b.memory)[0];
  if (most && !ways.some(({ fit }) => fit === 'fits')) {
    const both = smallerBatch(situation, most);
    if (both) ways.push(both);
  }
  const now = situationMemory(situation);
  const rank: Record<Fit, number> = { fits: 0, tight: 1, 'too large': 2 };
  return ways.filter(({ memory }) => memory < now).sort((a, b) => rank[a.fit] - rank[b.fit] || a.memory - b.memory);
}

type Change = Pick<Way, 'label' | 'price' | 'edits'>;

const situationMemory = ({ plan, correction }: Situation) => expectedMemory(plan.memory.total, correction).value;

function tried(situation: Situation, change: Change): Way {
  const { project, facts, correction, room } = situation;
  const { total } = planProject(change.edits.reduce<unknown>(applied, project) as Project, facts).memory;
  const memory = expectedMemory(total, correction).value;
  return { ...change, memory, fit: fitOf(memory, room) };
}

/** The largest half, quarter, … of the batch that fits; as many are accumulated as make up for it. The smallest one where none does. */
function smallerBatch(situation: Situation, also: Change | null): Way | null {
  const { splits, project } = situation.plan;
  // A batch is no larger than what there is.
  const all = splits?.train ?? Number.POSITIVE_INFINITY;
  const size = Math.min(all, project.data.loader.batch_size);
  const effective = Math.min(all, project.data.loader.batch_size * project.training.accumulate);
  let best: Way | null = null;
  for (let by = 2; size / by >= 1; by *= 2) {
    const batch = Math.floor(size / by);
    const steps = Math.max(1, Math.round(effective / batch));
    const own = `Take batches of ${batch}, accumulate ${steps}`;
    const way = tried(situation, {
      label: also === null ? own : `${also.label}, and take batches of ${batch}`,
      price: also === null ? 'the effective batch stays as it is' : also.price,
      edits: [
        ...(also?.edits ?? []),
        setEdit(['data', 'loader', 'batch_size'], batch),
        setEdit(['training', 'accumulate'], steps),
      ],
    });
    if (best === null || way.memory < best.memory) best = way;
    if (way.fit === 'fits') return way;
  }
  return best;
}
