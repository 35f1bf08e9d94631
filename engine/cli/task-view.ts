/** Long works of a command: done in workers, and how far they are as one live line on a terminal. */
import path from 'node:path';
import { rootDir } from '../../native/setup/paths.mjs';
import type { TaskProgress } from '../contract/finders.ts';
import type { TaskOptions } from '../finders/tasks.ts';
import { capital, seconds } from '../format.ts';
import { nodeProcesses } from '../processes.ts';
import { Service } from '../service.ts';
import { abortable, type Context } from './context.ts';
import type { Output } from './output.ts';

const redrawMs = 80;
const barWidth = 24;

export class TaskView {
  readonly #out: Output;
  #drawn = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  show({ stage, done, total, seconds_left: left }: TaskProgress): void {
    const now = performance.now();
    if (now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    const filled = Math.round(Math.min(1, total > 0 ? done / total : 0) * barWidth);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    const rest = left === undefined ? '' : `${seconds(left)} left  `;
    this.#out.live(`${bar}  ${rest}${capital(stage)}`.slice(0, this.#out.columns - 1));
  }
}

/** Works with workers of its own; Ctrl+C ends them, and what they left goes. */
export async function asTask(
  context: Context,
  work: (workers: Service, task: TaskOptions) => Promise<void>,
): Promise<void> {
  const workers = new Service({
    processes: nodeProcesses,
    workerEntry: path.join(rootDir(), 'dist', 'worker.js'),
  });
  const view = new TaskView(context.out);
  try {
    await abortable(context, (signal) => work(workers, { signal, onProgress: (progress) => view.show(progress) }));
  } finally {
    await workers.close();
  }
}
