/** A training whose every tensor is hashed step by step, cut into chunks at will, and ended where a check wants it. In a worker. */
import { createHash, type Hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ChunkSize } from '../runs/chunks.ts';
import type { RunControl } from '../runs/control.ts';
import { resumeRun, trainRun } from '../runs/index.ts';
import { readTensors } from '../runs/tensor-bytes.ts';
import type { Training, TrainingHooks } from '../runs/trainer.ts';
import type { EndEvent, EventSink, TrainRequest } from '../runs/types.ts';
import type { Life } from './life.ts';

const lineSchema = z.object({
  step: z.number(),
  /** SHA-256 (its first half) by `<file>/<tensor>`. */
  tensors: z.record(z.string(), z.string()),
});
export type TraceLine = z.infer<typeof lineSchema>;

/** Chunks of 1 to `most` steps in turn that end at each of the given steps. */
export class CutChunks extends ChunkSize {
  readonly #most: number;
  readonly #ends: readonly number[];
  readonly #position: () => number;
  #turn = 0;

  constructor(most: number, ends: readonly number[], position: () => number) {
    super();
    this.#most = most;
    this.#ends = ends;
    this.#position = position;
  }

  override next(left: number): number {
    this.#turn += 1;
    const at = this.#position();
    const toEnds = this.#ends.filter((end) => end > at).map((end) => end - at);
    return Math.max(1, Math.min(left, 1 + (this.#turn % this.#most), ...toEnds));
  }
}

export async function traceLife(
  request: TrainRequest,
  life: Life,
  sink: EventSink,
  control: RunControl,
): Promise<EndEvent> {
  const scratch = `${life.trace}.state`;
  let step = 0;
  const afterChunk = async ({ session, state }: Training) => {
    step = state.step;
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    await session.saveState(scratch);
    const line: TraceLine = { step, tensors: hashTensors(scratch) };
    appendFileSync(life.trace, `${JSON.stringify(line)}\n`);
    if (life.kill !== null && step >= life.kill) process.kill(process.pid, 'SIGKILL');
    if (step >= life.stop) void control.stop();
  };
  const ends = [life.stop, ...(life.kill === null ? [] : [life.kill])];
  const hooks: TrainingHooks = { chunks: new CutChunks(life.chunk, ends, () => step), afterChunk };
  const listen: EventSink = (event) => {
    if (event.type === 'resume') step = event.from_step;
    sink(event);
  };
  try {
    return life.resume
      ? await resumeRun({ run: life.run }, listen, control, hooks)
      : await trainRun({ ...request, run: life.run }, listen, control, hooks);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Each tensor of each safetensors file of a folder, hashed. */
function hashTensors(folder: string): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.safetensors')) continue;
    const open = new Map<string, Hash>();
    readTensors(path.join(folder, file), ({ name, dtype, shape }, piece) => {
      const hash = open.get(name) ?? createHash('sha256').update(`${dtype}[${shape}]`);
      open.set(name, hash.update(piece));
    });
    for (const [name, hash] of open) hashes[`${file}/${name}`] = hash.digest('hex').slice(0, 32);
  }
  return hashes;
}

/** The lines of a trace; of a step that was done more than once all of them. */
export function readTrace(file: string): TraceLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineSchema.parse(JSON.parse(line)));
}
