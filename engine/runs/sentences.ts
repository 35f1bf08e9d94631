/** What a run tells, in words for people: the terminal and `log.txt` say the same. */
import { muchWaiting, shareWaited } from '../contract/data-wait.ts';
import type { Num, RunEvent } from '../contract/events.ts';
import { capital, integer, loss, metric, plural, seconds, short } from '../format.ts';
import type { EndEvent, EpochEvent } from './types.ts';

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** `cpu, fp32 (why)`, and what is trained on it. */
export function startSentences(event: Event<'start'>): { setting: string; size: string } {
  const reason = event.precision_reason ? ` (${event.precision_reason})` : '';
  const validation = event.val_samples > 0 ? `, validation on ${integer(event.val_samples)}` : '';
  return {
    setting: `${event.device}, ${event.precision}${reason}`,
    size:
      `${plural(event.parameters, 'parameter')}, ${plural(event.train_samples, 'training sample')}${validation}, ` +
      `${plural(event.epochs, 'epoch')} of ${plural(event.steps_per_epoch, 'step')}`,
  };
}

export function resumeSentence({ from_step, note }: Event<'resume'>): string {
  return `Goes on from step ${integer(from_step)}${note ? ` (${note})` : ''}.`;
}

export function changeSentence(event: Event<'change'>): string {
  const { step, lr, lr_before, epochs, epochs_before, replayed } = event;
  const parts = [
    ...(lr === undefined
      ? []
      : [lr === lr_before ? `learning rate ${rate(lr)} as before` : `learning rate ${rate(lr_before)} → ${rate(lr)}`]),
    ...(epochs === undefined ? [] : [`last epoch ${epochs_before} → ${epochs}`]),
  ];
  return `Changed after step ${integer(step)}: ${parts.join(', ')}${replayed ? ', as before' : ''}.`;
}

export function shortRate(value: number): string {
  return short(value, 6);
}

const rate = (value: number | undefined): string => (value === undefined ? '?' : shortRate(value));

/** `epoch  3/10  loss 0.1234  accuracy 96.10 %  val loss …`; `epochs`: the total, where it is known. */
export function epochLine(event: EpochEvent, epochs: number = event.epoch): string {
  const values = [`loss ${loss(event.train_loss)}`];
  for (const prefix of ['train_', 'val_']) {
    if (prefix === 'val_' && event.val_loss !== undefined) values.push(`val loss ${loss(event.val_loss)}`);
    for (const [name, value] of Object.entries(event)) {
      if (!name.startsWith(prefix) || name.endsWith('_loss') || value === undefined) continue;
      values.push(
        `${prefix === 'val_' ? 'val ' : ''}${words(name.slice(prefix.length))} ${metric(name, value as Num)}`,
      );
    }
  }
  const number = `${String(event.epoch).padStart(String(epochs).length)}/${epochs}`;
  const speed = [`${integer(event.samples_per_second)} samples/s`, seconds(event.seconds)];
  const waited = shareWaited(event.breakdown) ?? 0;
  if (waited >= muchWaiting) speed.push(`waited for data ${Math.round(waited * 100)} %`);
  return [`epoch ${number}`, ...values, ...speed].join('  ');
}

/** `resume`: the command that goes on with the run, for a terminal; elsewhere there are buttons. */
export function endSentence({ status, epoch, step }: EndEvent, resume?: string): string {
  const where = `in epoch ${epoch}, after step ${integer(step)}`;
  const goOn = resume === undefined ? 'it can be resumed' : `go on with \`${resume}\``;
  const texts: Partial<Record<EndEvent['status'], string>> = {
    completed: `Done after ${plural(epoch, 'epoch')}, step ${integer(step)}.`,
    stopped: `Stopped ${where}; the result is kept.`,
    parked: `Parked ${where}; ${goOn}.`,
    interrupted: `Interrupted ${where}; everything is saved, ${goOn}.`,
    failed: `Failed ${where}; what was saved before stands.`,
  };
  return texts[status] ?? `${capital(status)} ${where}.`;
}

export const words = (name: string): string => name.replaceAll('_', ' ');
