/** The effective series of a journal and the ghosts beyond its resumes, computed plainly: what the engine's own ways of reading are compared with. */
import { fromNum, type Num, type RunEvent } from '../../engine/contract/events.ts';
import type { EpochEvent } from '../../engine/runs/types.ts';

/** Columns of equal length; `step` and `epoch` among them. A value that a step did not have is NaN. */
export type Columns = Record<string, number[]>;

export interface EffectiveSeries {
  steps: Columns;
  epochs: EpochEvent[];
  /** What was computed and then given up by a resume, oldest first. */
  ghosts: { from_step: number; steps: Columns; epochs: EpochEvent[] }[];
}

const notColumns = new Set(['type', 'epoch', 'time']);

export function effectiveSeries(events: RunEvent[]): EffectiveSeries {
  let steps: Columns = { step: [], epoch: [] };
  let epochs: EpochEvent[] = [];
  const ghosts: EffectiveSeries['ghosts'] = [];
  for (const event of events) {
    if (event.type === 'steps') append(steps, event);
    // An epoch's end may be told twice when a run was killed between its line and its checkpoint: the later one holds.
    if (event.type === 'epoch') epochs = [...epochs.filter(({ epoch }) => epoch < event.epoch), event];
    if (event.type !== 'resume') continue;
    const kept = (steps.step as number[]).findIndex((step) => step > event.from_step);
    const beyond = epochs.filter(({ step }) => step > event.from_step);
    if (kept < 0 && beyond.length === 0) continue;
    const at = kept < 0 ? (steps.step as number[]).length : kept;
    const cut = (start: number, end?: number) =>
      Object.fromEntries(Object.entries(steps).map(([name, values]) => [name, values.slice(start, end)]));
    ghosts.push({ from_step: event.from_step, steps: cut(at), epochs: beyond });
    steps = cut(0, at);
    epochs = epochs.filter(({ step }) => step <= event.from_step);
  }
  return { steps, epochs, ghosts };
}

function append(steps: Columns, event: Extract<RunEvent, { type: 'steps' }>): void {
  const before = (steps.step as number[]).length;
  const count = event.step.length;
  for (const [name, values] of Object.entries(event)) {
    if (notColumns.has(name) || !Array.isArray(values)) continue;
    steps[name] ??= new Array<number>(before).fill(Number.NaN);
    for (const value of values as Num[]) steps[name].push(fromNum(value));
  }
  for (let i = 0; i < count; i += 1) steps.epoch?.push(event.epoch);
  for (const values of Object.values(steps)) while (values.length < before + count) values.push(Number.NaN);
}
