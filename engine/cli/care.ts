/** `compare`, `rename`, `note`, `delete` and `restore`: runs looked after. */

import path from 'node:path';
import { commandLine } from '../command-line.ts';
import { fromNum } from '../contract/events.ts';
import { integer, loss, metric, seconds, table } from '../format.ts';
import { findTrashed, renameRun, restoreRun, trashRun, writeNotes } from '../runs/care.ts';
import { type Comparison, compareRuns } from '../runs/compare.ts';
import type { RunListing } from '../runs/index.ts';
import type { RunSummary } from '../runs/summary.ts';
import type { AddCommand } from './context.ts';

export const addCare: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('compare')
    .argument('<run>', 'run folder or name')
    .argument('<runs...>', 'one more, or several')
    .summary('show runs side by side')
    .description('Shows how runs stand, side by side, and the settings in which they differ.')
    .action(async (first: string, others: string[]) => {
      const { runs, settings } = await compareRuns([first, ...others]);
      out.object({
        type: 'compare',
        runs: runs.map(({ name, folder, status, summary }) => ({ ...summary, name, run: folder, status })),
        settings: settings.map(({ path: place, values }) => ({
          path: place,
          values: values.map((value) => value ?? null),
        })),
      });
      out.say(comparisonTable({ runs, settings }));
    });

  program
    .command('rename')
    .argument('<run>', 'run folder or name')
    .argument('<name>', 'its new name')
    .summary('give a run another name')
    .description('Gives a run another name, which is that of its folder. Not while it is trained.')
    .action(async (run: string, name: string) => {
      const folder = await renameRun(run, name);
      out.object({ type: 'rename', run: folder });
      out.say(`It is ${folder} now.`);
    });

  program
    .command('note')
    .argument('<run>', 'run folder or name')
    .argument('<text>', 'what to note; it takes the place of what was noted before')
    .summary('note something on a run')
    .description('Writes notes.txt into the run, which the window shows.')
    .action(async (run: string, text: string) => {
      await writeNotes(run, text);
      out.object({ type: 'note', run });
      out.say('Noted.');
    });

  program
    .command('delete')
    .argument('<run>', 'run folder or name')
    .summary('move a run to the trash')
    .description('Moves a run to the trash of the workspace. Not while it is trained.')
    .action(async (run: string) => {
      const trashed = await trashRun(run);
      out.object({ type: 'delete', trashed });
      out.say(`Moved to ${trashed}\nBring it back with: ${commandLine('restore', path.basename(trashed))}`);
    });

  program
    .command('restore')
    .argument('<run>', 'name of a deleted run, or its folder in the trash')
    .summary('bring a deleted run back')
    .description('Brings a run back from the trash of the workspace; of several of that name the one deleted last.')
    .action(async (run: string) => {
      const folder = await restoreRun(await findTrashed(run));
      out.object({ type: 'restore', run: folder });
      out.say(`It is ${folder} again.`);
    });
};

function comparisonTable({ runs, settings }: Comparison): string {
  const head = ['', ...runs.map(({ name }) => name)];
  const cells = (value: (summary: RunSummary) => string) =>
    runs.map(({ summary }) => (summary === null ? '' : value(summary)));
  const rows = [
    ['status', ...runs.map(({ status }) => status)],
    ['epoch', ...cells(({ epoch, epochs }) => `${epoch}/${epochs}`)],
    ['best', ...cells(bestOf)],
    ...quantities(runs).map((name) => [
      name.replaceAll('_', ' '),
      ...cells(({ last }) => (last[name] === undefined ? '' : metric(name, last[name]))),
    ]),
    ['parameters', ...cells(({ parameters }) => integer(parameters))],
    ['time', ...cells((summary) => seconds(summary.seconds))],
    ['samples/s', ...cells(({ samples_per_second: rate }) => (rate === null ? '' : integer(rate)))],
  ];
  const differing = settings.map(({ path: place, values }) => [
    place,
    ...values.map((value) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))),
  ]);
  const blank = head.map(() => '');
  const title = settings.length === 0 ? 'no setting differs' : 'settings that differ';
  return table([head, ...rows, blank, [title, ...runs.map(() => '')], ...differing]);
}

/** What the last epochs have told, in the order in which they tell it. */
function quantities(runs: readonly RunListing[]): string[] {
  return [...new Set(runs.flatMap(({ summary }) => Object.keys(summary?.last ?? {})))];
}

function bestOf({ best }: RunSummary): string {
  if (best === null) return '';
  const value = best.monitor.endsWith('loss') ? loss(best.value) : metric(best.monitor, fromNum(best.value));
  return `${best.monitor.replaceAll('_', ' ')} ${value} (epoch ${best.epoch})`;
}
