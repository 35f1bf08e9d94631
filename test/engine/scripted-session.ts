/** A training whose numbers a test writes down: real loop, journal and checkpoints, and a session that computes nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../../engine/contract/events.ts';
import type { NativePlan, NativeSession, StepsRequest } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { Checkpoints } from '../../engine/runs/checkpoints.ts';
import { ChunkSize } from '../../engine/runs/chunks.ts';
import { RunControl } from '../../engine/runs/control.ts';
import { newSummary } from '../../engine/runs/hold.ts';
import { RunRecord } from '../../engine/runs/record.ts';
import { newTraining, type Training, train } from '../../engine/runs/trainer.ts';
import { initialState, type TrainingState } from '../../engine/runs/training-state.ts';
import { temporaryFolder } from './runs-helpers.ts';

export interface Scripted {
  training: Record<string, unknown>;
  /** One an epoch: what validation answers. */
  val: { loss: number; metrics?: Record<string, number> }[];
  /** Attempts (from 1) that loss scaling skips. */
  skipped?: number[];
  /** After each chunk. */
  afterChunk?: (training: Training) => Promise<void>;
  folder?: string;
  state?: TrainingState;
}

/** Four steps an epoch. */
export const stepsPerEpoch = 4;

export async function trainScripted({
  training: settings,
  val,
  skipped = [],
  afterChunk,
  folder = temporaryFolder(),
  state,
}: Scripted) {
  const planned = planProject(
    {
      gradloom: 1,
      data: {
        source: { kind: 'random', shape: [2], classes: 2, samples: 40 },
        split: { val: 8 / 40, stratify: false },
        loader: { batch_size: 8 },
      },
      model: { layers: [{ kind: 'Linear', out_features: 2 }] },
      training: { epochs: val.length, ...settings },
    },
    null,
  );
  const { project } = planned;
  const plan = {
    loader: project.data.loader,
    accumulate: 1,
    optimizer: planned.optimizer,
    groups: planned.groups,
    data: { splits: { train: { part: 'train', count: 32 }, val: { part: 'train', count: 8 } } },
    loss_scale: skipped.length > 0 ? {} : null,
  } as unknown as NativePlan;
  const requests: StepsRequest[] = [];
  let attempts = state?.step ?? 0;
  let evaluations = (state?.epoch ?? 1) - 1;
  const session = {
    trainSteps: async (request: StepsRequest) => {
      requests.push(request);
      const column = (value: number) => new Float64Array(request.steps).fill(value);
      const flags = column(0).map((_, i) => (skipped.includes(attempts + i + 1) ? 1 : 0));
      attempts += request.steps;
      return {
        steps: request.steps,
        cancelled: false,
        non_finite: false,
        columns: {
          loss: column(1),
          samples: column(8),
          ...(skipped.length > 0 ? { scale: column(65536), skipped: flags } : {}),
        },
        counts: {},
        seconds: { data: 0, copy: 0, forward: 0, backward: 0, optimizer: 0, other: 0, total: 0 },
      };
    },
    evaluate: async () => ({ samples: 8, cancelled: false, metrics: {}, ...val[evaluations++] }),
    saveState: async (into: string) => writeTensor(into, attempts),
    memory: async () => ({ allocated: 0, reserved: 0, peak: 0, device_free: null, device_total: null }),
    cancel: () => {},
    close: async () => {},
  } as unknown as NativeSession;
  const events: RunEvent[] = [];
  const hardware = { device: { value: 'cpu' }, precision: { value: 'fp32' }, threads: 1 } as Parameters<
    typeof newSummary
  >[1];
  mkdirSync(path.join(folder, 'checkpoints'), { recursive: true });
  const { checkpoint } = project.training;
  const checkpoints = new Checkpoints(folder, checkpoint.keep, checkpoint.top_k);
  const control = new RunControl();
  const training: Training = {
    ...newTraining({
      session,
      plan,
      planned,
      checkpoints,
      record: new RunRecord(folder, newSummary(planned, hardware), (event) => events.push(event)),
      control,
      state: state ?? initialState(plan, { data_hash: 'd', split_hash: 's' }),
      pending: [],
    }),
    chunks: new (class extends ChunkSize {
      override next(left: number) {
        return Math.min(left, 3);
      }
    })(),
    ...(afterChunk ? { afterChunk } : {}),
  };
  control.reached('running');
  const status = await train(training);
  training.record.journal.close();
  const of = <T extends RunEvent['type']>(type: T) =>
    events.filter((event) => event.type === type) as Extract<RunEvent, { type: T }>[];
  return {
    status,
    training,
    folder,
    requests,
    events,
    of,
    checkpoints: new Checkpoints(folder, checkpoint.keep, checkpoint.top_k),
  };
}

/** A safetensors file with a single number. */
function writeTensor(folder: string, value: number): void {
  const header = Buffer.from(JSON.stringify({ w: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  writeFileSync(path.join(folder, 'model.safetensors'), Buffer.concat([length, header, data]));
}
