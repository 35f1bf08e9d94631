/** How far a finder or a check is: one live line on a terminal. */
import type { TaskProgress } from '../contract/finders.ts';
import { capital } from '../format.ts';
import type { Output } from './output.ts';

const redrawMs = 80;
const barWidth = 24;

export class TaskView {
  readonly #out: Output;
  #drawn = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  show({ stage, done, total }: TaskProgress): void {
    const now = performance.now();
    if (now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    const filled = Math.round(Math.min(1, total > 0 ? done / total : 0) * barWidth);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
    this.#out.live(`${bar}  ${capital(stage)}`.slice(0, this.#out.columns - 1));
  }
}
