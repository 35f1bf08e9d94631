/** `snapshot` and `set`: what is asked of a live run while it goes on. `resume --plan`: what an extension would make of the learning rate. */
import type { ExtensionPlan } from '../contract/wire.ts';
import { plural, short, table } from '../format.ts';
import { planExtension } from '../runs/extension.ts';
import { findRun, sendRequest } from '../runs/index.ts';
import { positiveInteger, rate } from './arguments.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';

export const addSteer: AddCommand = (program, { out }) => {
  program
    .command('snapshot')
    .argument('<run>', 'run folder or name')
    .summary('save a checkpoint of a live run now')
    .description('Saves a checkpoint of a live run at its next step, while it goes on. It stays until you delete it.')
    .action(async (run: string) => {
      const folder = await findRun(run);
      const { status, snapshot } = await sendRequest(folder, { action: 'snapshot' });
      out.object({ type: 'snapshot', run: folder, status, ...snapshot });
      if (snapshot)
        out.say(`Saved ${snapshot.folder} after step ${snapshot.step}; use it with --checkpoint ${snapshot.step}.`);
    });

  program
    .command('set')
    .argument('<run>', 'run folder or name')
    .option('--lr <rate>', 'learning rate from the next step on', rate)
    .option('--epochs <n>', 'last epoch', positiveInteger)
    .summary('change the learning rate or the last epoch of a live run')
    .description(
      'Changes a live run from its next step on. A schedule goes on in proportion to the new learning rate, and is planned anew for a new\n' +
        'last epoch. The change is in the journal; a run that is resumed from before it makes it again at the same step.',
    )
    .action(async (run: string, given: { lr?: number; epochs?: number }) => {
      const folder = await findRun(run);
      const { status, change } = await sendRequest(folder, { action: 'set', ...given });
      out.object({ type: 'set', run: folder, status, ...change });
      if (change) {
        out.say(
          `From step ${change.step + 1} on: learning rate ${short(change.lr, digits)}, last epoch ${change.epochs}.`,
        );
      }
    });
};

const shownRows = 9;
/** Of a learning rate. */
const digits = 5;

/** What `resume RUN --epochs N` would do to the learning rate. */
export async function showExtension(out: Output, run: string, epochs: number): Promise<void> {
  const folder = await findRun(run);
  const plan = await planExtension(folder, epochs);
  out.object({ type: 'extension', run: folder, ...plan });
  const { from_epoch, from_step, epochs_before, unit, note } = plan;
  const schedule = unit === null ? 'no schedule' : `a schedule by ${unit === 'epoch' ? 'epochs' : 'steps'}`;
  out.say(
    `${folder}: ${plural(from_epoch, 'epoch')} done, step ${from_step}; last epoch ${epochs_before} → ${epochs}, ${schedule}.`,
  );
  if (note) out.say(note);
  out.say(table([['epoch', 'step', 'planned before', 'from now on'], ...rowsOf(plan)], [0, 1, 2, 3]));
}

/** The last step that is done, and those to come, evenly, to the last one. */
function rowsOf({ steps, before, after, from_step, steps_per_epoch }: ExtensionPlan): string[][] {
  const ahead = steps.flatMap((step, i) => (step >= from_step - 1 ? [i] : []));
  const count = Math.min(shownRows, ahead.length);
  const chosen = Array.from({ length: count }, (_, i) =>
    count === 1 ? ahead[0] : ahead[Math.round((i * (ahead.length - 1)) / (count - 1))],
  );
  return chosen.map((index) => {
    const step = steps[index as number] as number;
    const old = before[index as number] ?? null;
    return [
      String(Math.floor(step / steps_per_epoch) + 1),
      String(step + 1),
      old === null ? '–' : short(old, digits),
      short(after[index as number] as number, digits),
    ];
  });
}
