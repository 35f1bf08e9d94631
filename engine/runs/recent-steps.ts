/** The last steps that hold before a run's end, from its journal: what an autopsy tells of the way to it. */
import type { Autopsy } from '../contract/autopsy.ts';
import type { Num } from '../contract/events.ts';
import { eachEvent } from './journal-reader.ts';

const kept = 20;

interface Row {
  lr: number;
  loss: Num;
  gradNorm: Num | undefined;
}

/** Up to `step`; `run` is its folder. What was done twice counts as it was done last. */
export async function recentSteps(run: string, step: number): Promise<Autopsy['recent']> {
  const rows = new Map<number, Row>();
  await eachEvent(run, ['steps'], (event) => {
    const norms = event.grad_norm as Num[] | undefined;
    for (const [i, at] of event.step.entries()) {
      if (at <= step - kept || at > step) continue;
      rows.set(at, { lr: event.lr[i] as number, loss: event.train_loss[i] as Num, gradNorm: norms?.[i] });
    }
  });
  const ordered = [...rows].sort(([a], [b]) => a - b);
  const norms = ordered.flatMap(([, { gradNorm }]) => (gradNorm === undefined ? [] : [gradNorm]));
  return {
    step: ordered.map(([at]) => at),
    lr: ordered.map(([, { lr }]) => lr),
    loss: ordered.map(([, { loss }]) => loss),
    ...(norms.length > 0 && norms.length === ordered.length ? { grad_norm: norms } : {}),
  };
}
