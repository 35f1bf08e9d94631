/** `runs`, `watch` and the actions: runs seen and steered from outside. */
import { commandLine } from '../command-line.ts';
import type { RunAction, RunEvent } from '../contract/events.ts';
import { capital, integer, loss, metric, table } from '../format.ts';
import { forceStop } from '../runs/force.ts';
import {
  describeRun,
  findRun,
  followJournal,
  listRuns,
  type RunListing,
  resumeRun,
  sendAction,
} from '../runs/index.ts';
import type { EndEvent } from '../runs/types.ts';
import { type AddCommand, abortable } from './context.ts';
import { codeOfEnd } from './exit-codes.ts';
import type { Output } from './output.ts';
import { eventSink, runHere } from './train.ts';

export const addRuns: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('runs')
    .summary('list the runs')
    .description('Lists the runs of the workspace, the latest first.')
    .action(async () => {
      const runs = await listRuns();
      for (const { name, folder, status, summary } of runs) {
        out.object({ type: 'run', ...summary, name, run: folder, status });
      }
      if (runs.length === 0)
        out.say(`No runs yet. Begin one with \`${commandLine('train', 'FILE')}\`, or try \`${commandLine('demo')}\`.`);
      else
        out.say(
          table([['run', 'status', 'epoch', 'loss', 'metrics', 'samples/s', 'changed'], ...runs.map(row)], [2, 3, 5]),
        );
    });

  program
    .command('watch')
    .argument('<run>', 'run folder or name')
    .summary('follow a run')
    .description(
      'Shows what a run has told so far and follows it to its end. Ends at once for a run that is not live.\n' +
        'Exit 0 for a run that is completed, stopped or parked, 1 for one that failed or was interrupted, also by its death.',
    )
    .action(async (run: string) => {
      await abortable(context, async (signal) => {
        const show = eventSink(out);
        let last: RunEvent | undefined;
        await followJournal(
          run,
          (event) => {
            last = event;
            show(event);
          },
          signal,
        );
        if (signal.aborted) return;
        const end = last?.type === 'end' ? last : await tellDeath(run, out);
        context.exitCode = codeOfEnd(end.status, null);
      });
    });

  for (const [action, summary] of actions) {
    const command = program.command(action).argument('<run>', 'run folder or name');
    if (action === 'stop') command.option('--force', 'end a process that does not answer; the run can be resumed');
    command
      .summary(summary)
      .description(`${capital(summary)}.`)
      .action(async (run: string, { force }: { force?: boolean }) => {
        const folder = await findRun(run);
        if (action === 'continue' && (await describeRun(folder)).status === 'parked') {
          return runHere(context, (sink, control) => resumeRun({ run: folder }, sink, control));
        }
        const status = force ? await forceStop(folder) : await sendAction(folder, action);
        out.object({ type: 'action', action, run: folder, status });
        out.say(`${folder} is ${status}.`);
      });
  }
};

/** The end of a run that could not tell it itself: its process was killed. In `--json`, an error line and an end line like its own. */
async function tellDeath(run: string, out: Output): Promise<EndEvent> {
  const folder = await findRun(run);
  const { status, summary } = await describeRun(folder);
  const { epoch = 0, step = 0, seconds = 0, updated } = summary ?? {};
  if (status === 'interrupted') {
    const place =
      step > 0 ? `after step ${integer(step)}, the last that its summary tells of` : 'before its first epoch was done';
    const known = { code: 'WORKER_DIED' as const, message: `The process of ${folder} ended without a word, ${place}` };
    out.error({ hint: `Go on with it: ${commandLine('resume', folder)}`, ...(summary?.error ?? known) });
  }
  const end: EndEvent = {
    type: 'end',
    status,
    run: folder,
    epoch,
    step,
    seconds,
    time: updated ?? new Date().toISOString(),
  };
  out.object(end);
  return end;
}

const actions: [RunAction, string][] = [
  ['pause', 'halt a live run at its next step; it keeps its memory'],
  ['park', 'save a live run and end its process'],
  ['continue', 'let a paused run go on, and a parked one in this process'],
  ['stop', 'save a live run and end it; the result is kept'],
];

function row({ name, status, summary }: RunListing): string[] {
  if (!summary) return [name, status, '', '', '', '', ''];
  const { last, epoch, epochs, samples_per_second, updated } = summary;
  const metrics = Object.entries(last).filter(([key]) => key.startsWith('val_') && key !== 'val_loss');
  return [
    name,
    status,
    `${epoch}/${epochs}`,
    last.val_loss !== undefined ? loss(last.val_loss) : last.train_loss !== undefined ? loss(last.train_loss) : '',
    metrics.map(([key, value]) => `${key.slice(4).replaceAll('_', ' ')} ${metric(key, value)}`).join(', '),
    samples_per_second === null ? '' : integer(samples_per_second),
    updated.slice(0, 16).replace('T', ' '),
  ];
}
