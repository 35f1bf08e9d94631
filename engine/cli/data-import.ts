/** `data import`: turns data once into what training reads, in the cache or in a folder of one's own. */
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../command-line.ts';
import type { TaskProgress } from '../contract/finders.ts';
import { resolveProject } from '../contract/project.ts';
import type { JsonObject } from '../contract/report.ts';
import { chosenSource } from '../data/chosen-source.ts';
import { givenPlace } from '../data/given.ts';
import { leftOut, packBytes } from '../data/index.ts';
import { otherwise } from '../data/recognise/inspect.ts';
import { bytes, capital, integer, percent, plural } from '../format.ts';
import { setting } from './arguments.ts';
import type { Context } from './context.ts';
import { noteText } from './data-inspect.ts';
import { signalCode } from './exit-codes.ts';
import type { Output } from './output.ts';
import { asTask, TaskView } from './task-view.ts';

/** With `--json`, progress is a line at most so often. */
const tellMs = 1000;
/** Without a terminal what is written stays: it is told so seldom. */
const asideMs = 5000;
/** So many samples that were left out are shown. */
const mostShown = 10;
/** So is of the notes that `data inspect` tells all of. */
const mostNotes = 6;

interface Options {
  out?: string;
  set?: [string, unknown][];
}

export function addDataImport(data: Command, context: Context): void {
  data
    .command('import')
    .argument('<path>', 'folder or file of data, or project file')
    .option('--out <dir>', 'into this folder, which a project can name as its data; absent: into the cache')
    .option('--set <key=json>', "change a setting of the data's source; may be repeated", sourceSetting)
    .summary('import data: decode them once for every training')
    .description(
      'Decodes everything once, so that training starts at once and reads at full speed. Files that cannot be read are listed at the end. An import that was broken off goes on where it stopped.',
    )
    .action(async (given: string, { out: folder, set = [] }: Options) => {
      const { out } = context;
      await asTask(context, async (workers, { signal }) => {
        const settings = Object.fromEntries(set) as JsonObject;
        const {
          source: written,
          baseDir,
          project,
          recognised,
        } = await givenPlace(path.resolve(given), undefined, settings);
        const source = chosenSource({ data: { source: { ...written, ...settings } } }, { strict: true });
        const told = (recognised?.notes ?? []).flatMap((note) => {
          // What stops the import is said when it does.
          if (note.otherwise === undefined) return [note];
          return settings.on_bad === 'skip' ? [otherwise(note)] : [];
        });
        for (const note of told.slice(0, mostNotes)) out.say(noteText(note));
        const pack = await workers.data.ask(
          'pack',
          {
            source,
            baseDir,
            ...(project ? { split: resolveProject(project).data.split } : {}),
            ...(folder === undefined ? {} : { out: path.resolve(folder) }),
          },
          { signal, onProgress: teller(out) },
        );
        const size = await packBytes(pack.folder);
        const left = leftOut(pack.skipped);
        out.object({ type: 'import', path: pack.folder, hash: pack.hash, bytes: size, facts: pack.facts, ...left });
        const counts = Object.entries(pack.facts.parts).map(([part, count]) => `${part} ${integer(count)}`);
        out.say(`Imported: ${pack.folder}`);
        out.say(`  ${counts.join(', ')}; ${bytes(size)}`);
        if (pack.skipped.length > 0) out.say(`  ${plural(pack.skipped.length, 'sample')} left out:`);
        for (const { name, reason } of pack.skipped.slice(0, mostShown)) out.say(`    ${name}: ${reason}`);
        if (folder !== undefined) {
          const named = { kind: 'pack', path: pack.folder };
          out.say(`  As a project's data: data.source = ${JSON.stringify(named)}`);
        } else if (!project) {
          out.say(`A project with it: ${commandLine('new', 'TEMPLATE', '--fit', given)}`);
        }
      });
      if (brokenOff(context.exitCode)) out.say('Broken off; the same command goes on where it stopped.');
    });
}

const brokenOff = (exitCode: number) => Object.values<number>(signalCode).includes(exitCode);

export function teller(out: Output): (progress: TaskProgress) => void {
  const view = new TaskView(out);
  let told = 0;
  let aside = performance.now();
  return (progress) => {
    view.show(progress);
    const now = performance.now();
    if (!out.isTerminal && !out.json && now - aside >= asideMs) {
      aside = now;
      const { stage, done, total } = progress;
      out.aside(`${capital(stage)}: ${percent(total > 0 ? Math.min(1, done / total) : 0)}`);
    }
    if (now - told < tellMs) return;
    told = now;
    out.object({ type: 'progress', ...progress });
  };
}

function sourceSetting(text: string, earlier: [string, unknown][] = []): [string, unknown][] {
  const settings = setting(text, earlier);
  const [key] = settings.at(-1) ?? [''];
  if (key.includes('.'))
    throw new InvalidArgumentError(`Expected a setting of the source, such as ${key.split('.').at(-1)}=…`);
  return settings;
}
