/** `find` and `verify`: long works on a project that change nothing of it. */

import { type Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../command-line.ts';
import type { BatchFinding, BatchOptions, CheckReport, LrFinding, LrOptions } from '../contract/finders.ts';
import { checkKinds } from '../contract/finders.ts';
import { checkInWorkers, findBatchInWorkers, findLrInWorker } from '../finders/tasks.ts';
import { bytes, integer, loss, plural, seconds, table } from '../format.ts';
import { positiveInteger, setting, threadCount } from './arguments.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';
import { asTask } from './task-view.ts';

interface Common {
  device?: string;
  threads?: number;
  set?: [string, unknown][];
}

export const addFind: AddCommand = (program, context) => {
  const find = program
    .command('find')
    .helpCommand(false)
    .summary('find a learning rate or a batch size')
    .description(
      'Finds a learning rate or a batch size by trying, in a process of its own: the project stays as it is.',
    );
  withCommon(find.command('lr').argument('<file>', 'project file'))
    .option('--min <rate>', 'first learning rate (default: 1e-7)', positiveNumber)
    .option('--max <rate>', 'last learning rate (default: 10)', positiveNumber)
    .option('--steps <n>', 'steps between them (default: 100)', stepCount(10, 10_000))
    .summary('learning-rate range test')
    .description(
      'Learning-rate range test (Leslie Smith): trains with a rate that grows step by step until the loss diverges,' +
        ' and suggests the rate at which the smoothed loss falls most steeply.',
    )
    .action(async (projectFile: string, { min, max, steps, ...common }: Common & LrOptions) => {
      const options = { ...(min ? { min } : {}), ...(max ? { max } : {}), ...(steps ? { steps } : {}) };
      await asTask(context, async (workers, task) => {
        const found = await findLrInWorker(workers, { projectFile, ...common }, options, task);
        context.out.object({ type: 'find-lr', ...found });
        showLr(context.out, found);
      });
    });
  withCommon(find.command('batch').argument('<file>', 'project file'))
    .option('--max <n>', 'largest size to try (default: all training samples)', positiveInteger)
    .option('--memory <MiB>', 'memory that the tensors may take; has to be said on a CPU', positiveNumber)
    .summary('largest and fastest batch size')
    .description(
      'Tries batch sizes, each in a process that may run out of memory: forward, backward, step and evaluation.\n' +
        'Only a size that ran all four is answered.',
    )
    .action(async (projectFile: string, { max, memory, ...common }: Common & BatchOptions) => {
      const options = { ...(max ? { max } : {}), ...(memory ? { memory } : {}) };
      await asTask(context, async (workers, task) => {
        const found = await findBatchInWorkers(workers, { projectFile, ...common }, options, task);
        context.out.object({ type: 'find-batch', ...found });
        showBatch(context.out, found);
        if (found.largest === null) context.exitCode = 1;
      });
    });

  const verify = program
    .command('verify')
    .helpCommand(false)
    .summary('prove that a resume, or a second run, gives the same bits')
    .description('Trains the project for some steps in temporary folders and compares every tensor after every step.');
  const what = {
    resume: 'Compares an uninterrupted training with one that is stopped, resumed, killed and resumed again.',
    twin: 'Compares two trainings with the same settings.',
  };
  for (const kind of checkKinds) {
    withCommon(verify.command(kind).argument('<file>', 'project file'))
      .option('--steps <n>', 'steps to train (default: 40, or all there are)', stepCount(2, 100_000))
      .summary(what[kind].toLowerCase().replace(/\.$/, ''))
      .description(`${what[kind]}\nExit code 1 when they differ; the first step and tensor are named.`)
      .action(async (projectFile: string, { steps, ...common }: Common & { steps?: number }) => {
        await asTask(context, async (workers, task) => {
          const options = steps ? { steps } : {};
          const report = await checkInWorkers(workers, kind, { projectFile, ...common }, options, task);
          context.out.object({ type: 'verify', ...report });
          showCheck(context.out, report);
          if (!report.equal) context.exitCode = 1;
        });
      });
  }
};

function withCommon(command: Command): Command {
  return command
    .option('--device <device>', 'auto, cpu, cuda:0, mps, xpu:0 …')
    .option('--threads <n>', 'threads of the computations on the CPU', threadCount)
    .option('--set <key.path=json>', 'change a setting of the project for this; may be repeated', setting);
}

function showLr(out: Output, found: LrFinding): void {
  const { lr, loss: losses, smoothed, suggestion, reason, current, stopped, device } = found;
  const every = Math.max(1, Math.ceil(lr.length / 20));
  const rows = lr.flatMap((rate, i) =>
    i % every === 0 || i === lr.length - 1
      ? [[rate.toExponential(2), loss(losses[i] ?? 'NaN'), loss(smoothed[i] ?? Number.NaN)]]
      : [],
  );
  out.say(table([['learning rate', 'loss', 'smoothed'], ...rows], [0, 1, 2]));
  out.say();
  const end =
    stopped === null ? '' : stopped === 'diverged' ? ', until the loss diverged' : ', until it was not finite';
  out.say(`${lr.length} of ${found.steps} steps on ${device} in ${seconds(found.seconds)}${end}.`);
  if (suggestion === null) out.say(`${out.style('bold', 'No suggestion.')} ${reason}`);
  else out.say(`${out.style('bold', `Suggestion: ${suggestion.toExponential(2)}`)} (now ${current}). ${reason}`);
}

function showBatch(out: Output, found: BatchFinding): void {
  const rows = [...found.probes]
    .sort((a, b) => a.batch_size - b.batch_size)
    .map(({ batch_size, fits, peak, samples_per_second: rate, problem }) => [
      integer(batch_size),
      peak === null ? '' : bytes(peak),
      rate === null ? '' : integer(rate),
      fits ? 'runs' : (problem ?? 'does not run'),
    ]);
  out.say(table([['batch size', 'peak memory', 'samples/s', ''], ...rows], [0, 1, 2]));
  out.say();
  if (found.suggestion === null) out.say(`${out.style('bold', 'No suggestion.')} ${found.reason}`);
  else out.say(`${out.style('bold', `Suggestion: ${found.suggestion}`)} (now ${found.current}). ${found.reason}`);
}

function showCheck(out: Output, report: CheckReport): void {
  const { equal, stopped_at, killed_at, resumed_from, tensors, steps, epoch_ends, device } = report;
  if (stopped_at !== null) {
    const from = resumed_from.map((step) => `step ${step}`).join(' and ');
    out.say(`Stopped after step ${stopped_at}, killed after step ${killed_at}, resumed from ${from}.`);
  }
  out.say(
    `Compared ${tensors} tensors after each of ${steps} steps and the journal, ${plural(epoch_ends, 'epoch end')} among them, on ${device} in ${seconds(report.seconds)}.`,
  );
  out.say(`${out.style(equal ? 'green' : 'red', equal ? 'Equal.' : 'Different.')} ${report.message}`);
  if (report.hint) out.say(`  Next: ${report.hint}`);
  if (!equal && report.kind === 'resume') out.say(`  More: ${commandLine('verify', 'twin', 'PROJECT')}`);
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Expected a number > 0.');
}

function stepCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}
