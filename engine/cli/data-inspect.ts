/** `data inspect`: what lies at a path, and how it could be read. */
import path from 'node:path';
import type { Command } from 'commander';
import { commandLine } from '../command-line.ts';
import type { DataNote, Recognised } from '../contract/data/inspect.ts';
import { targetSentence } from '../contract/tensors.ts';
import { askHere } from '../data/asks.ts';
import { dims, integer } from '../format.ts';
import { abortable, type Context } from './context.ts';
import type { Output } from './output.ts';
import { TaskView } from './task-view.ts';

/** So many names of a note are shown. */
const mostShown = 5;

export function addDataInspect(data: Command, context: Context): void {
  data
    .command('inspect')
    .argument('<path>', 'folder or file')
    .summary('say what lies at a path')
    .description(
      'Says as what a folder or file can be read, and why: by its content, not its name. Exit code 2 where nothing is recognised.',
    )
    .action(async (given: string) => {
      const { out } = context;
      const view = new TaskView(out);
      await abortable(context, async (signal) => {
        const inspection = await askHere(
          'inspect',
          { path: path.resolve(given) },
          { signal, onProgress: (progress) => view.show(progress) },
        );
        out.object({ type: 'inspect', ...inspection });
        for (const recognised of inspection.found) show(out, recognised);
        for (const note of inspection.notes) out.say(noteText(note));
        const [first] = inspection.found;
        if (first?.source.kind === 'pack') return;
        if (first) out.say(`Import it: ${commandLine('data', 'import', pathOf(first) ?? given)}`);
        else {
          out.say(`Nothing that can be trained on was recognised at ${inspection.path}.`);
          context.exitCode = 2;
        }
      });
    });
}

/** Of a folder of several the first one's. */
function pathOf({ source }: Recognised): string | null {
  return typeof source.path === 'string' ? source.path : null;
}

function show(out: Output, { title, sure, reason, source, guesses, notes, facts }: Recognised): void {
  out.say(`${out.style('bold', title)} (${sure})`);
  out.say(`  ${reason}`);
  if (facts) {
    const { input, target, parts } = facts;
    const counts = Object.entries(parts).map(([part, count]) => `${integer(count)} to ${partVerbs[part] ?? part}`);
    out.say(`  Samples: ${counts.join(', ')}`);
    out.say(`  Input: ${dims(input.dims)} ${input.dtype === 'int64' ? 'tokens' : 'numbers'}`);
    out.say(`  Target: ${targetSentence(target, dims)}`);
  }
  for (const { key, value, reason: why } of guesses) out.say(`  ${key} = ${JSON.stringify(value)}: ${why}`);
  for (const note of notes) out.say(`  ${noteText(note)}`);
  out.say(`  data.source: ${JSON.stringify(source)}`);
  out.say();
}

const partVerbs: Record<string, string> = { train: 'train on', val: 'validate on', test: 'test on' };

export function noteText({ message, names = [], count }: DataNote): string {
  if (names.length === 0) return message.replace(/\.?$/, '.');
  const more = (count ?? names.length) > mostShown ? ', …' : '';
  return `${message}: ${names.slice(0, mostShown).join(', ')}${more}`;
}
