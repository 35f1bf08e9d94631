/** `train` and `resume`: the run lives in this process; signals save it. */

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandLine } from '../command-line.ts';
import { GradloomError } from '../contract/errors.ts';
import type { RunEvent } from '../contract/events.ts';
import { systemError } from '../files.ts';
import { type EndEvent, type EventSink, RunControl, resumeRun, trainRun } from '../runs/index.ts';
import { set } from '../runs/prepare.ts';
import type { CheckpointName } from '../runs/types.ts';
import { checkpointName, positiveInteger, setting, threadCount } from './arguments.ts';
import { type AddCommand, type Context, withSignals } from './context.ts';
import { codeOfEnd, signalCode } from './exit-codes.ts';
import type { Output } from './output.ts';
import { RunView } from './run-view.ts';
import { showExtension } from './steer.ts';

export const addTrain: AddCommand = (program, context) => {
  withTrainOptions(program.command('train').argument('<file>', 'project file'))
    .option('--weights <file|run>', 'start from a .safetensors or .pt file, or from what a run has learned')
    .option('--names <file>', 'with --weights FILE: a JSON object, names in that file → names in the network')
    .option(
      '--checkpoint <which>',
      'with --weights RUN: best, last or a step (default: best if validation ran, else last)',
      checkpointName,
    )
    .summary('train a project')
    .description('Trains a project into a new run folder, with a progress bar on a terminal.')
    .action(async (projectFile: string, { names, ...options }: TrainOptions & StartOptions) => {
      if (names !== undefined) options.set = [...(options.set ?? []), ['model.weights_names', readNames(names)]];
      await runHere(context, (sink, control) => trainRun({ projectFile, ...options }, sink, control));
    });

  program
    .command('resume')
    .argument('<run>', 'run folder or name')
    .option('--epochs <n>', 'new total number of epochs', positiveInteger)
    .option('--device <device>', 'device to go on with')
    .option('--set <key.path=json>', "change a setting of the run's project from here on; may be repeated", setting)
    .option('--plan', 'with --epochs: show the learning rates that come of it, and start nothing')
    .summary('go on with a run')
    .description('Goes on with a run from its newest checkpoint, also on another device; extends a finished one.')
    .action(async (run: string, { set: settings, plan, ...options }: ResumeOptions) => {
      if (plan) {
        if (options.epochs !== undefined) return showExtension(context.out, run, options.epochs);
        const hint = `For example: ${commandLine('resume', run, '--epochs', '20', '--plan')}`;
        throw new GradloomError('BAD_CALL', '--plan shows what --epochs would change, which was not given.', { hint });
      }
      const edits = settings?.map(([key, value]) => set(key, value));
      const request = { run, ...options, ...(edits ? { edits } : {}) };
      await runHere(context, (sink, control) => resumeRun(request, sink, control));
    });
};

interface ResumeOptions {
  plan?: boolean;
  epochs?: number;
  device?: string;
  set?: [string, unknown][];
}

/** @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, BAD_CALL */
function readNames(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw systemError(thrown, file, 'read');
  }
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const hint = 'For example: { "features.*": "*", "classifier.6": "29" }';
    throw new GradloomError('BAD_CALL', `${file} is no JSON.`, { hint, path: file, cause: thrown });
  }
}

interface StartOptions {
  weights?: string;
  names?: string;
  checkpoint?: CheckpointName;
}

export interface TrainOptions {
  run?: string;
  device?: string;
  precision?: string;
  epochs?: number;
  threads?: number;
  set?: [string, unknown][];
}

export function withTrainOptions(command: Command): Command {
  return command
    .option('--run <dir>', 'run folder to make (default: the next free name in the workspace)')
    .option('--device <device>', 'auto, cpu, cuda:0, mps, xpu:0 …')
    .option('--precision <precision>', 'fp32, bf16, fp16 or auto')
    .option('--epochs <n>', 'number of epochs', positiveInteger)
    .option('--threads <n>', 'threads of the computations on the CPU (default: one a physical core)', threadCount)
    .option('--set <key.path=json>', 'change a setting of the project for this run; may be repeated', setting);
}

/** Runs a training in this process and shows it; the exit code tells how it ended. */
export async function runHere(
  context: Context,
  work: (sink: EventSink, control: RunControl) => Promise<EndEvent>,
): Promise<void> {
  const { out } = context;
  const control = new RunControl();
  const sink = eventSink(out);
  await withSignals(
    (signal) => {
      out.say(`${signal} received: saving. Once more ends at once, without saving.`);
      void control.interrupt(signal);
    },
    async (received) => {
      try {
        const { status } = await work(sink, control);
        context.exitCode = codeOfEnd(status, received());
      } catch (thrown) {
        const signal = received();
        if (!signal || (thrown as { code?: unknown }).code !== 'CANCELLED') throw thrown;
        context.exitCode = signalCode[signal]; // ended before anything was begun
      }
    },
  );
}

/** Shows events to people, and with `--json` writes those of the journal as lines. */
export function eventSink(out: Output): EventSink {
  const view = new RunView(out);
  return (event: RunEvent) => {
    if (event.type !== 'progress') out.object(event);
    view.show(event);
  };
}
