/** What a run's journal amounts to, grown event by event: effective series, ghosts, epochs, notes, and where the run stands. */
import type { RunNote } from '../contract/api.ts';
import type { ErrorInfo } from '../contract/errors.ts';
import type { Num, RunEvent, RunState } from '../contract/events.ts';
import { Columns, type Values } from './columns.ts';
import { changeSentence, endSentence, resumeSentence, startSentences } from './sentences.ts';
import type { EpochEvent } from './types.ts';

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type Memory = EpochEvent['memory'];

/** The present rate is that of so many seconds of training. */
const rateSeconds = 3;

const notColumns = new Set(['type', 'epoch', 'step', 'time', 'seconds', 'memory']);

export class LiveSeries {
  /** Of the first event: tells this journal from another that has taken its place. */
  born = '';
  /** Grows when something that was told no longer holds. */
  cuts = 0;
  readonly columns = new Columns();
  epochs: EpochEvent[] = [];
  readonly ghosts: { from_step: number; columns: Columns; epochs: EpochEvent[] }[] = [];
  readonly notes: RunNote[] = [];
  /** As the journal tells it; a killed run's still says `running`. */
  status: RunState = 'preparing';
  start: Event<'start'> | null = null;
  epoch = 0;
  step = 0;
  /** Of training so far, pauses excluded. */
  seconds = 0;
  memory: Memory | null = null;
  breakdown: Record<string, number> | null = null;
  error: ErrorInfo | null = null;
  /** The time of the last event; null after a pause or an end. */
  #clock: number | null = null;
  #recent: { steps: number; seconds: number }[] = [];
  #secondsOfEpochs = 0;

  /** Training samples a second at present, or of the last epoch; null while unknown. */
  get samplesPerSecond(): number | null {
    const rate = this.#stepsPerSecond();
    if (this.start === null || rate === null) return this.epochs.at(-1)?.samples_per_second ?? null;
    return (rate * this.start.train_samples) / this.start.steps_per_epoch;
  }

  /** Seconds until the end at the present rate; null while unknown. */
  get eta(): number | null {
    if (this.start === null) return null;
    const { epochs, steps_per_epoch } = this.start;
    const begun = this.epochs.findLast(({ epoch }) => epoch < this.epoch)?.step ?? 0;
    const done = this.epoch === 0 ? 0 : this.epoch - 1 + Math.min(1, (this.step - begun) / steps_per_epoch);
    const left = Math.max(0, epochs - done);
    const last = this.epochs.at(-1);
    if (last) return left * last.seconds;
    const rate = this.#stepsPerSecond();
    return rate === null ? null : (left * steps_per_epoch) / rate;
  }

  take(event: RunEvent): void {
    if (this.born === '') this.born = event.time;
    switch (event.type) {
      case 'start':
        this.start = event;
        this.status = 'running';
        this.error = null;
        this.#recent = [];
        this.#note(event, 'start', `Training ${event.name} on ${startSentences(event).setting}, seed ${event.seed}`);
        break;
      case 'steps':
        this.#takeSteps(event);
        break;
      case 'epoch':
        this.#takeEpoch(event);
        break;
      case 'resume':
        this.#goBack(event.from_step);
        this.#note(event, 'resume', resumeSentence(event), { step: event.from_step });
        break;
      case 'change':
        if (this.start && event.epochs !== undefined) this.start = { ...this.start, epochs: event.epochs };
        this.#note(event, 'change', changeSentence(event), changedOf(event));
        break;
      case 'state':
        this.status = event.status;
        this.#recent = [];
        this.#note(event, 'state', `Now ${event.status}`);
        break;
      case 'checkpoint': {
        const name = event.folder.split(/[\\/]/).at(-1) ?? event.folder;
        const kind = event.roles.includes('snapshot') ? 'snapshot' : 'checkpoint';
        this.#note(event, kind, `Saved ${name} (${event.roles.join(', ')})`, { step: event.step });
        break;
      }
      case 'advice':
        this.#note(event, 'advice', event.message, hintOf(event));
        break;
      case 'error': {
        const { type: _type, time: _time, ...error } = event;
        this.error = error;
        this.#note(event, 'error', event.message, hintOf(event));
        break;
      }
      case 'end':
        this.status = event.status;
        this.#recent = [];
        this.#note(event, 'end', endSentence(event));
        break;
      case 'progress':
        return; // never in a journal
    }
    const paused = event.type === 'end' || (event.type === 'state' && event.status !== 'running');
    this.#clock = paused ? null : Date.parse(event.time);
  }

  #takeSteps(event: Event<'steps'>): void {
    const { step: steps, epoch } = event;
    const count = steps.length;
    if (count === 0) return;
    const seconds = typeof event.seconds === 'number' ? event.seconds : this.#sinceLast(event.time);
    const begun = this.epochs.findLast((row) => row.epoch < epoch)?.step ?? 0;
    const perEpoch = this.start?.steps_per_epoch || Number.NaN;
    const before = this.seconds;
    const columns: [string, Values][] = [];
    for (const [name, values] of Object.entries(event)) {
      if (!notColumns.has(name) && Array.isArray(values)) columns.push([name, values as Num[]]);
    }
    if (event.memory) {
      const { allocated, reserved, rss } = event.memory;
      columns.push(['memory_allocated', allocated], ['memory_reserved', reserved], ['memory_rss', rss]);
      this.memory = event.memory;
    }
    const epochs = steps.map((step) => epoch - 1 + (step - begun) / perEpoch);
    const times = steps.map((_, i) => before + (seconds * (i + 1)) / count);
    this.columns.append({ step: steps, epoch: epochs, time: times }, columns);
    this.epoch = epoch;
    this.step = steps[count - 1] as number;
    this.seconds = before + seconds;
    this.#recent.push({ steps: count, seconds });
    let sum = 0;
    const kept = this.#recent.findLastIndex((chunk) => {
      sum += chunk.seconds;
      return sum > rateSeconds;
    });
    if (kept > 0) this.#recent.splice(0, kept);
  }

  #takeEpoch(event: EpochEvent): void {
    const last = this.epochs.at(-1);
    // An epoch's end may be told twice when a run was killed between its line and its checkpoint: the later one holds.
    if (last && last.epoch >= event.epoch) {
      this.#keepEpochs(({ epoch }) => epoch < event.epoch);
      this.cuts += 1;
    }
    this.epochs.push(event);
    this.#secondsOfEpochs += event.seconds;
    this.epoch = event.epoch;
    this.step = event.step;
    this.memory = event.memory;
    this.breakdown = event.breakdown;
    this.seconds = Math.max(this.seconds, this.#secondsOfEpochs);
  }

  /** What lies beyond `step` was computed, then given up. */
  #goBack(step: number): void {
    const kept = this.columns.countUpTo(step);
    const beyond = this.epochs.filter((epoch) => epoch.step > step);
    if (kept < this.columns.length || beyond.length > 0) {
      this.ghosts.push({ from_step: step, columns: this.columns.cut(kept), epochs: beyond });
      this.#keepEpochs((epoch) => epoch.step <= step);
      this.cuts += 1;
    }
    const reached = kept > 0 ? this.columns.axis('time', kept - 1) : 0;
    this.seconds = Math.max(reached, this.#secondsOfEpochs);
    this.step = step;
    this.epoch = kept > 0 ? Math.ceil(this.columns.axis('epoch', kept - 1) - 1e-9) : 0;
    if (Number.isNaN(this.epoch)) this.epoch = this.epochs.at(-1)?.epoch ?? 0;
  }

  #keepEpochs(kept: (epoch: EpochEvent) => boolean): void {
    this.epochs = this.epochs.filter(kept);
    this.#secondsOfEpochs = this.epochs.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** For journals whose lines do not tell how long a chunk took. */
  #sinceLast(time: string): number {
    return this.#clock === null ? 0 : Math.max(0, Date.parse(time) - this.#clock) / 1000;
  }

  #stepsPerSecond(): number | null {
    let [steps, seconds] = [0, 0];
    for (const chunk of this.#recent) {
      steps += chunk.steps;
      seconds += chunk.seconds;
    }
    return seconds > 0 ? steps / seconds : null;
  }

  #note(
    { time }: RunEvent,
    kind: RunNote['kind'],
    message: string,
    more: Omit<RunNote, 'time' | 'kind' | 'message'> = {},
  ): void {
    this.notes.push({ time, kind, message, ...more });
  }
}

function changedOf({ step, lr, epochs }: Event<'change'>): Pick<RunNote, 'step' | 'lr' | 'epochs'> {
  return { step, ...(lr === undefined ? {} : { lr }), ...(epochs === undefined ? {} : { epochs }) };
}

function hintOf({ hint }: { hint?: string }): Pick<RunNote, 'hint'> {
  return hint === undefined ? {} : { hint };
}

/**
 * One line of a journal as an event. Lines of steps, nearly all there are, are looked at no closer than what follows needs: with a whole
 * check of each number a long journal would take seconds to open.
 */
export function readLine(line: string, parse: (line: string) => RunEvent | null): RunEvent | null {
  if (!line.startsWith('{"type":"steps"')) return parse(line);
  try {
    const event = JSON.parse(line) as Event<'steps'>;
    return Array.isArray(event.step) && typeof event.epoch === 'number' && typeof event.time === 'string'
      ? event
      : null;
  } catch {
    return null; // cut by a crash
  }
}
