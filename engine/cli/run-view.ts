/** A run as people follow it: a live line on a terminal, one line an epoch, and a closing line that says what was learned. */

import { performance } from 'node:perf_hooks';
import { commandLine } from '../command-line.ts';
import type { Num, RunEvent } from '../contract/events.ts';
import { capital, integer, loss, metric, percent, plural, seconds } from '../format.ts';
import { changeSentence, endSentence, epochLine, resumeSentence, startSentences, words } from '../runs/sentences.ts';
import { readSummary } from '../runs/summary.ts';
import type { EndEvent, EpochEvent } from '../runs/types.ts';
import { commandsFor } from './commands.ts';
import type { Output } from './output.ts';

type Start = Extract<RunEvent, { type: 'start' }>;
type Steps = Extract<RunEvent, { type: 'steps' }>;

/** The live line changes at most this often. */
const redrawMs = 80;
const barWidth = 24;

export class RunView {
  readonly #out: Output;
  #start: Start | null = null;
  #lastEpoch: EpochEvent | null = null;
  #best: EpochEvent | null = null;
  #firstEpoch: number | null = null;
  #speeds: number[] = [];
  #trained = 0;
  /** Steps and time since which the pace is measured. */
  #pace: { step: number; time: number } | null = null;
  #drawn = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.#start = event;
        this.#out.say(this.#heading(event));
        break;
      case 'progress':
        this.#progress(event.stage, event.done, event.total);
        break;
      case 'resume':
        this.#pace = null;
        this.#out.say(resumeSentence(event));
        break;
      case 'change':
        if (this.#start && event.epochs !== undefined) this.#start = { ...this.#start, epochs: event.epochs };
        this.#out.say(changeSentence(event));
        break;
      case 'steps':
        this.#step(event);
        break;
      case 'epoch':
        this.#epoch(event);
        break;
      case 'state':
        this.#pace = null; // a pause is no slowness
        if (event.status === 'paused') this.#out.say('Paused.');
        break;
      case 'advice':
        this.#out.say(
          [
            `${this.#out.style('yellow', 'Note:')} ${event.message}`,
            event.hint,
            commandsFor(event.code, this.#start?.run),
          ]
            .filter(Boolean)
            .join('\n      '),
        );
        break;
      case 'error':
        this.#out.complain(event, this.#start?.run);
        break;
      case 'end':
        this.#out.say(this.#closing(event));
        break;
      case 'checkpoint':
        if (event.roles.includes('best')) this.#best = this.#lastEpoch; // it follows the epoch that it is of
        if (event.roles.includes('snapshot')) this.#out.say(`Saved a snapshot: ${event.folder}`);
        break;
    }
  }

  #heading(event: Start): string {
    const { setting, size } = startSentences(event);
    return `${this.#out.style('bold', event.name)} on ${setting}\n${size}`;
  }

  #progress(stage: string, done: number, total: number): void {
    if (done === 0 || this.#due()) this.#out.live(`${capital(stage)} ${this.#bar(total > 0 ? done / total : 0)}`);
  }

  #step({ epoch, step, train_loss, ...columns }: Steps): void {
    const now = performance.now();
    const last = step.at(-1);
    if (!this.#start || last === undefined) return;
    this.#pace ??= { step: last, time: now };
    if (!this.#due()) return;
    const { steps_per_epoch, epochs, train_samples } = this.#start;
    const samplesPerStep = train_samples / steps_per_epoch;
    const measured = (last - this.#pace.step) / Math.max(1e-3, (now - this.#pace.time) / 1000);
    const stepsPerSecond = measured || (this.#lastEpoch?.samples_per_second ?? 0) / samplesPerStep;
    const within = (last - 1) % steps_per_epoch;
    const parts = [`epoch ${epoch}/${epochs}`, this.#bar((within + 1) / steps_per_epoch)];
    parts.push(`loss ${loss(train_loss.at(-1) ?? 'NaN')}`);
    for (const [name, values] of Object.entries(columns)) {
      const value = name.startsWith('train_') && Array.isArray(values) ? (values.at(-1) as Num) : undefined;
      if (value !== undefined) parts.push(`${words(name.slice(6))} ${metric(name, value)}`);
    }
    if (stepsPerSecond > 0) {
      parts.push(`${integer(stepsPerSecond * samplesPerStep)} samples/s`);
      parts.push(`${seconds((epochs * steps_per_epoch - last) / stepsPerSecond)} left`);
    }
    // Never wider than the terminal: a wrapped line could not be taken back.
    let line = parts[0] as string;
    for (const part of parts.slice(1)) if (line.length + part.length + 3 < this.#out.columns) line += `  ${part}`;
    this.#out.live(line);
  }

  #epoch(event: EpochEvent): void {
    this.#lastEpoch = event;
    this.#firstEpoch ??= event.epoch;
    this.#speeds.push(event.samples_per_second);
    this.#trained += event.seconds;
    this.#pace = null;
    this.#out.say(epochLine(event, this.#start?.epochs));
  }

  #closing(end: EndEvent): string {
    const epoch = this.#best ?? this.#lastEpoch;
    const lines = [this.#ending(end)];
    if (epoch) {
      const after = epoch === this.#lastEpoch ? '' : `, best at epoch ${epoch.epoch}`;
      lines.push(`Learned: ${this.#learned(epoch)}${after}.`);
      const kept = readSummary(end.run)?.best;
      // Of an earlier life, which this view has not seen.
      if (kept && this.#firstEpoch !== null && kept.epoch < this.#firstEpoch)
        lines.push(`Best:    still epoch ${kept.epoch}, ${words(kept.monitor)} ${metric(kept.monitor, kept.value)}.`);
      const average = this.#speeds.reduce((sum, speed) => sum + speed, 0) / this.#speeds.length;
      lines.push(
        `Speed:   ${integer(average)} samples/s on ${this.#start?.device ?? 'the device'}, ${seconds(this.#trained)}.`,
      );
    }
    lines.push(`Run:     ${end.run}`);
    return lines.map((line) => this.#out.style('bold', line)).join('\n');
  }

  #ending(end: EndEvent): string {
    if (end.status !== 'completed' || this.#start) return endSentence(end, commandLine('resume', end.run));
    return `Nothing was left to do after ${plural(end.epoch, 'epoch')}, step ${integer(end.step)}; --epochs extends the run.`;
  }

  #learned(epoch: EpochEvent): string {
    const validated = epoch.val_loss !== undefined;
    const right = (validated ? epoch.val_accuracy : epoch.train_accuracy) as Num | undefined;
    const samples = validated ? this.#start?.val_samples : this.#start?.train_samples;
    const on = `${samples ? `${integer(samples)} ` : ''}${validated ? 'validation' : 'training'} samples`;
    const value = loss(validated ? (epoch.val_loss as Num) : epoch.train_loss);
    return right === undefined ? `loss ${value} on ${on}` : `${percent(right)} of ${on} right, loss ${value}`;
  }

  #bar(share: number): string {
    const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
    return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
  }

  #due(): boolean {
    const now = performance.now();
    if (now - this.#drawn < redrawMs) return false;
    this.#drawn = now;
    return true;
  }
}
