/** `look`: what each layer of a project's network makes of one sample. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { GradloomError } from '../contract/errors.ts';
import {
  inputPath,
  type Look,
  type LookedLayer,
  type LookPart,
  type LookWeights,
  partWords,
} from '../contract/look.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { nearest } from '../contract/report.ts';
import { systemError } from '../files.ts';
import { dims, integer, percent, plural, short, table } from '../format.ts';
import { npy, png } from '../look/export.ts';
import { LookKeeper } from '../look/keeper.ts';
import { findRun } from '../runs/folder.ts';
import { readRequested } from '../runs/prepare.ts';
import { countFrom0, setting, threadCount } from './arguments.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';
import { asTask } from './task-view.ts';

interface Arguments {
  layer?: string;
  sample: number;
  part: LookPart;
  weights?: string;
  out?: string;
  device?: string;
  threads?: number;
  set?: [string, unknown][];
}

/** A file holds everything; what is shown on a terminal is a few values. */
const everything = 2 ** 40;
const shownValues = 12;

export const addLook: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('look')
    .argument('<file>', 'project file')
    .option('--layer <path>', 'layer by its path (3, 3.layers.0, input) or name: its values too')
    .option('--sample <n>', 'position in the part', countFrom0, 0)
    .option('--part <part>', 'train, validation or test', partName, 'train' as LookPart)
    .option('--weights <which>', 'init (random), RUN, RUN:best, RUN:last, or a file (default: as the project says)')
    .option('--out <file>', 'write the layer’s values: .npy, or .png as pictures')
    .option('--device <device>', 'cpu (default), cuda:0, mps, xpu:0 …')
    .option('--threads <n>', 'threads of the computations on the CPU', threadCount)
    .option('--set <key.path=json>', 'change a setting of the project for this; may be repeated', setting)
    .summary('see what each layer makes of a sample')
    .description(
      'Runs one sample through the network in evaluation mode and fp32, in a process of its own, and shows what leaves each layer.\n' +
        'A network with a problem is shown up to the layer before it.',
    )
    .action(async (file: string, given: Arguments) => {
      const { layer, sample, part, weights, out: target, ...common } = given;
      const format = target === undefined ? null : formatOf(target);
      if (target !== undefined && layer === undefined) {
        throw new GradloomError('BAD_CALL', 'Of which layer to write the values is missing', {
          hint: 'Name it: --layer PATH. The paths stand in the table that look shows.',
        });
      }
      const chosen = await weightsNamed(weights, common.set, file);
      await asTask(context, async (workers, { signal }) => {
        const keeper = new LookKeeper(workers);
        const look = (layers: string[], statistics: boolean) =>
          keeper.look(
            { projectFile: file, ...common },
            { part, index: sample, weights: chosen, layers, statistics, most: everything },
            signal,
          );
        const seen = await look([], true);
        const asked = layer === undefined ? null : named(seen, layer, file);
        const one =
          asked === null ? undefined : (await look([asked], false)).layers.find(({ path: at }) => at === asked);
        out.object({ type: 'look', ...seen, layers: seen.layers.map((each) => (each.path === asked ? one : each)) });
        if (one) showLayer(out, seen, one);
        else showTable(out, seen);
        if (target === undefined || !one?.values) return;
        await write(target, format === 'npy' ? npy(one.values) : png(one.values));
        out.say(`Written: ${path.resolve(target)}`);
      });
    });
};

function partName(text: string): LookPart {
  if (text === 'validation') return 'val';
  if (text === 'train' || text === 'val' || text === 'test') return text;
  throw new InvalidArgumentError('Expected train, validation or test.');
}

function formatOf(file: string): 'npy' | 'png' {
  const ending = path.extname(file).toLowerCase();
  if (ending === '.npy') return 'npy';
  if (ending === '.png') return 'png';
  throw new GradloomError('BAD_CALL', `Values are written as .npy or .png, not ${ending || 'without an ending'}`, {
    hint: 'End the file’s name in .npy for numbers, in .png for pictures.',
    path: file,
  });
}

/** `digits-mlp:best` names a run's checkpoint; without it what the project starts from. */
async function weightsNamed(given: string | undefined, set: Arguments['set'], file: string): Promise<LookWeights> {
  if (given === 'init') return { kind: 'init' };
  if (given === undefined) return namesWeights(file, set) ? { kind: 'project' } : { kind: 'init' };
  const [, run, which] = /^(.+):(best|last|\d+)$/.exec(given) ?? [];
  if (run === undefined || which === undefined) return { kind: 'from', weights: given };
  const checkpoint = which === 'best' || which === 'last' ? which : Number(which);
  return { kind: 'from', weights: await findRun(run), checkpoint };
}

function namesWeights(projectFile: string, set: Arguments['set']): boolean {
  const { text } = readRequested({ projectFile, ...(set ? { set } : {}) });
  return resolveProject(readProject(text).project ?? {}).model.weights !== null;
}

/** The path of the layer that is meant by a path or a name. @throws GradloomError BAD_CALL */
function named({ layers, stopped }: Look, asked: string, file: string): string {
  const found = layers.find(({ path: at }) => at === asked) ?? layers.find(({ name }) => name === asked);
  if (found) return found.path;
  const near = nearest(
    asked,
    layers.flatMap(({ path: at, name }) => (name === undefined ? [at] : [at, name])),
    3,
  );
  throw new GradloomError('BAD_CALL', `There is no layer ${asked} to look at`, {
    hint:
      stopped === null
        ? /^[\d.]+$/.test(asked)
          ? `There are layers ${layers.find(({ path: at }) => at !== inputPath)?.path} to ${layers.at(-1)?.path}. All are shown without --layer.`
          : near.length > 0
            ? `Did you mean ${near.join(' or ')}? All are shown without --layer.`
            : 'All are shown without --layer.'
        : `The network is planned up to a problem only: ${stopped.message}. ${stopped.hint}`,
    path: file,
  });
}

async function write(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (thrown) {
    throw systemError(thrown, file, 'write');
  }
}

const number = (value: number | null) => (value === null ? '–' : short(value, 4));

function heading(out: Output, { sample, weights }: Look): void {
  const label = sample.label === null ? '' : `, labelled ${sample.label}`;
  out.say(
    `Sample ${sample.index} of the ${partWords[sample.part]} part’s ${integer(sample.samples)}${label}. ${weights.message}.`,
  );
}

function showTable(out: Output, look: Look): void {
  heading(out, look);
  out.say();
  const rows = look.layers.map(({ path: at, kind, name, shape, statistics: s }) => {
    const wrong = s.nan + s.positive_infinity + s.negative_infinity;
    return [
      at,
      at === inputPath ? '' : (name ?? kind),
      dims(shape),
      ...[s.min, s.max, s.mean, s.std].map(number),
      percent(s.elements === 0 ? 0 : s.zeros / s.elements),
      wrong === 0 ? '' : out.style('red', `${integer(wrong)} not finite`),
    ];
  });
  out.say(table([['layer', '', 'output', 'min', 'max', 'mean', 'std', 'zeros', ''], ...rows], [3, 4, 5, 6, 7]));
  if (!look.stopped) return;
  out.say();
  out.say(`${out.style('red', 'Further it cannot be planned:')} ${look.stopped.path}: ${look.stopped.message}`);
  out.say(`  Next: ${look.stopped.hint}`);
}

const unitWords = { vector: 'values', channels: 'channels', positions: 'features', maps: 'channels' } as const;

function showLayer(out: Output, look: Look, layer: LookedLayer): void {
  heading(out, look);
  const { statistics: s, values } = layer;
  const wrong = [
    [s.nan, 'NaN'],
    [s.positive_infinity, '+Infinity'],
    [s.negative_infinity, '-Infinity'],
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${integer(count as number)} ${word}`]));
  out.say();
  out.say(
    table([
      ['layer', `${layer.path} ${layer.name ?? layer.kind}`],
      ['output', dims(layer.shape)],
      ['min, max', `${number(s.min)}, ${number(s.max)}`],
      ['mean, std', `${number(s.mean)}, ${number(s.std)}`],
      [
        'zeros',
        `${integer(s.zeros)} of ${integer(s.elements)} (${percent(s.elements === 0 ? 0 : s.zeros / s.elements)})`,
      ],
      [
        'dead',
        `${integer(s.dead)} of ${integer(s.units)} ${unitWords[layer.form]} are zero everywhere for this sample`,
      ],
      ['not finite', wrong.length > 0 ? wrong.join(', ') : 'none'],
      ['values', values ? firstValues(values.data) : ''],
    ]),
  );
}

function firstValues(data: string): string {
  const bytes = Buffer.from(data, 'base64');
  const count = bytes.length / 4;
  const first = Array.from({ length: Math.min(shownValues, count) }, (_, i) => short(bytes.readFloatLE(4 * i), 4));
  return `${first.join(' ')}${count > shownValues ? ` … ${plural(count - shownValues, 'more value')} with --out` : ''}`;
}
