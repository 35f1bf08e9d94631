/** `autopsy`: why a run stopped being finite, and what usually helps. */

import path from 'node:path';
import { commandLine } from '../command-line.ts';
import type { Autopsy } from '../contract/autopsy.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Edit } from '../contract/problems.ts';
import { loss, short, table } from '../format.ts';
import { readAutopsy } from '../runs/autopsy.ts';
import { findRun } from '../runs/index.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';

const mostSamples = 12;

export const addAutopsy: AddCommand = (program, { out }) => {
  program
    .command('autopsy')
    .argument('<run>', 'run folder or name')
    .summary('say why a run became NaN or infinite')
    .description(
      'Says where a run first was not finite, with which batch, what had gone before, and what usually helps.\n' +
        'The batch itself is in autopsy.safetensors of the run.',
    )
    .action(async (run: string) => {
      const folder = await findRun(run);
      const autopsy = readAutopsy(folder);
      if (autopsy === null) {
        throw new GradloomError(
          'BAD_CALL',
          `${path.basename(folder)} has no autopsy: it never became NaN or infinite`,
          {
            path: folder,
          },
        );
      }
      out.object({ type: 'autopsy', run: folder, ...autopsy });
      showAutopsy(out, folder, autopsy);
    });
};

function showAutopsy(out: Output, folder: string, autopsy: Autopsy): void {
  out.say(out.style('bold', `${autopsy.message}.`));
  out.say();
  out.say(table(factsOf(folder, autopsy)));
  const { recent, remedies } = autopsy;
  if (recent.step.length > 0) {
    const rows = recent.step.map((step, i) => [
      String(step),
      loss(recent.loss[i] ?? 'NaN'),
      ...(recent.grad_norm ? [loss(recent.grad_norm[i] ?? 'NaN')] : []),
      short(recent.lr[i] as number, 4),
    ]);
    const head = ['step', 'loss', ...(recent.grad_norm ? ['gradient norm'] : []), 'learning rate'];
    out.say();
    out.say(table([head, ...rows.slice(-10)], [0, 1, 2, 3]));
  }
  for (const { label, why, edits } of remedies) {
    out.say();
    out.say(`${out.style('bold', label)}\n  ${why}`);
    const command = commandFor(folder, edits);
    if (command !== null) out.say(`  ${command}`);
  }
}

function factsOf(folder: string, autopsy: Autopsy): string[][] {
  const { layer, kind, name, place, tensor, values, part, samples, faulty, batch_file, checkpoint } = autopsy;
  const some = (list: readonly (string | number)[]) =>
    `${list.slice(0, mostSamples).join(', ')}${list.length > mostSamples ? ` … (${list.length})` : ''}`;
  const counts = values && [
    `${values.nan} NaN, ${values.positive_infinity + values.negative_infinity} infinite of ${values.elements}`,
    ...(values.min === null || values.max === null
      ? []
      : [`the others from ${loss(values.min)} to ${loss(values.max)}`]),
  ];
  return [
    ...(layer === null ? [] : [['layer', [layer, kind, name && `"${name}"`, place].filter(Boolean).join('  ')]]),
    ...(tensor === null ? [] : [['tensor', tensor]]),
    ...(counts ? [['values', counts.join(', ')]] : []),
    ...(samples.length === 0 ? [] : [[`samples (${part})`, some(samples)]]),
    ...(faulty.length === 0 ? [] : [['faulty', some(faulty.map((one) => `${one.sample} (${one.column})`))]]),
    ...(batch_file === null ? [] : [['batch', path.join(folder, batch_file)]]),
    ['last good state', checkpoint === null ? 'none was saved' : path.join(folder, 'checkpoints', checkpoint.folder)],
  ];
}

/** How to go on with it; null where the edits are more than values to set, or are not for this run. */
function commandFor(folder: string, edits: readonly Pick<Edit, 'op' | 'path' | 'value'>[]): string | null {
  const training = edits.length > 0 && edits.every(({ op, path: place }) => op === 'set' && place[0] === 'training');
  if (!training || edits.some(({ path: place }) => place[1] === 'loss')) return null;
  const words = edits.flatMap(({ path: place, value }) => ['--set', `${place.join('.')}=${JSON.stringify(value)}`]);
  return commandLine('resume', path.basename(folder), ...words);
}
