/** The last steps of a live run: what an autopsy tells of the way to it. */
import type { Autopsy } from '../contract/autopsy.ts';
import type { Num, RunEvent } from '../contract/events.ts';

const kept = 20;

export class RecentSteps {
  #rows: { step: number; lr: number; loss: Num; gradNorm: Num | undefined }[] = [];

  add(event: Extract<RunEvent, { type: 'steps' }>): void {
    const norms = event.grad_norm as Num[] | undefined;
    const from = Math.max(0, event.step.length - kept);
    for (let i = from; i < event.step.length; i += 1) {
      this.#rows.push({
        step: event.step[i] as number,
        lr: event.lr[i] as number,
        loss: event.train_loss[i] as Num,
        gradNorm: norms?.[i],
      });
    }
    this.#rows = this.#rows.slice(-kept);
  }

  columns(): Autopsy['recent'] {
    const rows = this.#rows;
    const norms = rows.flatMap(({ gradNorm }) => (gradNorm === undefined ? [] : [gradNorm]));
    return {
      step: rows.map(({ step }) => step),
      lr: rows.map(({ lr }) => lr),
      loss: rows.map(({ loss }) => loss),
      ...(norms.length === rows.length && rows.length > 0 ? { grad_norm: norms } : {}),
    };
  }
}
