/** `data mark` and `data marks`: what people say of single samples, kept beside the data. */
import path from 'node:path';
import { type Command, Option } from 'commander';
import { type MarkChange, markWords } from '../contract/data/marks.ts';
import { GradloomError } from '../contract/errors.ts';
import { type PartName, partNames } from '../contract/tensors.ts';
import { askHere } from '../data/asks.ts';
import { chosenSource } from '../data/chosen-source.ts';
import { givenPlace } from '../data/given.ts';
import { changeMarks, needMarksFile, readMarks } from '../data/index.ts';
import { plural, table } from '../format.ts';
import type { Context } from './context.ts';

interface Options {
  part: PartName;
  label?: string;
  exclude?: true;
  clear?: true;
  note?: string;
}

export function addDataMarks(data: Command, context: Context): void {
  data
    .command('mark')
    .argument('<path>', 'folder or file of data, or project file')
    .argument('<sample>', "the sample's name, as the Data Doctor gives it: cats/007.jpg, row 18, or its number")
    .addOption(new Option('--part <part>', 'which part of the data it is in').choices([...partNames]).default('train'))
    .option('--label <name>', 'its class is wrong, and this is the right one')
    .option('--exclude', 'leave it out of training, validation and test')
    .option('--clear', 'take its mark away')
    .option('--note <text>', 'why')
    .summary('mark a sample: leave it out, or correct its class')
    .description(
      'Marks are kept beside the data (gradloom-marks.json in a folder, <file>.gradloom-marks.json beside a file). Every run that begins afterwards honours them; the data themselves are not changed.',
    )
    .action(async (given: string, sample: string, options: Options) => {
      const { out } = context;
      const asked = changeOf(sample, options);
      const place = await placeOf(given);
      const { facts, sample: known, first } = await askHere('sample', { ...place, part: options.part, name: sample });
      if (known === null && !options.clear) {
        const example = first === null ? '' : `, such as "${first}"`;
        throw new GradloomError('BAD_CALL', `The ${options.part} part has no sample ${sample}`, {
          hint: `Samples are called as data doctor and data marks name them${example}; --part says which part is meant.`,
          path: given,
        });
      }
      const { target } = facts;
      if (options.label !== undefined && (target.kind !== 'class' || !target.classes.includes(options.label))) {
        const hint =
          target.kind === 'class'
            ? `Classes are ${target.classes.slice(0, 20).join(', ')}.`
            : 'The targets are no classes.';
        throw new GradloomError('BAD_CALL', `The data have no class ${options.label}`, { hint, path: given });
      }
      const file = await needMarksFile(place.source, place.baseDir);
      const change = { ...asked, sample: known ?? sample };
      const marks = await changeMarks(file, [change]);
      out.object({ type: 'marks', path: file, marks });
      out.say(`${change.sample}: ${change.mark ? markWords(change.mark) : 'no mark'}`);
      out.say(`${plural(marks.length, 'mark')} in ${file}`);
    });

  data
    .command('marks')
    .argument('<path>', 'folder or file of data, or project file')
    .summary('list the marks of data')
    .description('Lists samples that are left out, whose class is corrected, or that have a note.')
    .action(async (given: string) => {
      const { out } = context;
      const place = await placeOf(given);
      const file = await needMarksFile(place.source, place.baseDir);
      const marks = await readMarks(file);
      out.object({ type: 'marks', path: file, marks });
      if (marks.length === 0) return out.say('No sample is marked.');
      const rows = marks.map((mark) => [mark.part, mark.sample, markWords(mark), mark.note ?? '']);
      out.say(table([['part', 'sample', '', 'note'], ...rows]));
    });
}

async function placeOf(given: string) {
  const { source, baseDir } = await givenPlace(path.resolve(given));
  return { source: chosenSource({ data: { source } }), baseDir };
}

/** @throws GradloomError BAD_CALL where it says nothing, or two things at once */
function changeOf(sample: string, { part, label, exclude, clear, note }: Options): MarkChange {
  const said = [label !== undefined, exclude, clear].filter(Boolean).length;
  if (said > 1)
    throw new GradloomError('BAD_CALL', '--label, --exclude and --clear go one at a time.', { hint: 'Choose one.' });
  if (said === 0 && note === undefined) {
    throw new GradloomError('BAD_CALL', 'Nothing is said of the sample.', {
      hint: 'Add --exclude, --label NAME, --note TEXT or --clear.',
    });
  }
  const mark = {
    ...(label === undefined ? {} : { label }),
    ...(exclude ? { exclude } : {}),
    ...(note === undefined ? {} : { note }),
  };
  return { part, sample, mark: clear ? null : mark };
}
