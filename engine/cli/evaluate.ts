/** `evaluate` and `predict`: a checkpoint measured on a split, and its answers sample by sample. */
import { basename } from 'node:path';
import type { DataNote } from '../contract/data/inspect.ts';
import { GradloomError } from '../contract/errors.ts';
import { fromNum } from '../contract/events.ts';
import { cannotPredict } from '../data/predict/unread.ts';
import { integer, loss, metric, percent, table } from '../format.ts';
import { evaluateRun, type Prediction, predictFiles, predictRun } from '../runs/index.ts';
import type { CheckpointName, Evaluation, SplitName } from '../runs/types.ts';
import { checkpointName, countFrom0, positiveInteger, splitName } from './arguments.ts';
import { type AddCommand, abortable } from './context.ts';
import { noteText } from './data-inspect.ts';
import type { Output } from './output.ts';

/** Larger confusion matrices are for files, not for eyes. */
const maxShownClasses = 20;
/** Of answers that are numbers. */
const mostShownValues = 16;

export const addEvaluate: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('evaluate')
    .argument('<run>', 'run folder or name')
    .option('--split <split>', 'train, val or test', splitName, 'val')
    .option('--checkpoint <which>', 'best, last or a step (default: best if validation ran, else last)', checkpointName)
    .option('--device <device>', 'device to use')
    .summary('measure a run on a split')
    .description("Measures a run's checkpoint on a split: loss, metrics, confusion matrix.")
    .action(async (run: string, options: { split: SplitName; checkpoint?: CheckpointName; device?: string }) => {
      await abortable(context, async (signal) => {
        const evaluation = await evaluateRun(run, { ...options, signal });
        out.object({ type: 'evaluate', ...evaluation });
        showEvaluation(out, evaluation);
      });
    });

  program
    .command('predict')
    .argument('<run>', 'run folder or name')
    .argument('[file...]', 'files to predict')
    .option('--split <split>', "predict samples of the run's data: train, val or test", splitName)
    .option('--limit <n>', 'how many samples', positiveInteger)
    .option('--start <n>', 'position of the first sample in the split', countFrom0)
    .option('--checkpoint <which>', 'best, last or a step (default: best if validation ran, else last)', checkpointName)
    .option('--device <device>', 'device to use')
    .summary("show a run's answers")
    .description("Shows what a run's network answers, sample by sample.")
    .action(async (run: string, files: string[], { limit, ...options }: PredictArguments) => {
      checkWhat(files, { ...options, ...(limit === undefined ? {} : { limit }) });
      await abortable(context, async (signal) => {
        const rows: Prediction[] = [];
        const unread: string[] = [];
        const onRow = (row: Prediction) => {
          out.object({ type: 'prediction', ...row });
          // The values of whole pictures are for programs.
          if (!out.json) rows.push({ ...row, logits: row.logits.slice(0, mostShownValues + 1) });
        };
        if (files.length > 0) {
          const onNote = (note: DataNote) => out.say(noteText(note));
          await predictFiles(run, files, { ...options, signal, onNote, onBad: (bad) => unread.push(...bad) }, onRow);
        } else {
          await predictRun(run, { ...options, ...(limit === undefined ? {} : { count: limit }), signal }, onRow);
        }
        if (rows.length > 0) out.say(predictionTable(rows));
        if (unread.length > 0) {
          context.exitCode = 1;
          out.object({ type: 'unread', files: unread });
          out.say(`${cannotPredict(unread).message}`);
        }
      });
    });
};

interface PredictArguments {
  split?: SplitName;
  limit?: number;
  start?: number;
  checkpoint?: CheckpointName;
  device?: string;
}

function checkWhat(files: string[], { split, limit, start }: PredictArguments): void {
  if (files.length > 0 && (split !== undefined || limit !== undefined || start !== undefined)) {
    throw new GradloomError(
      'BAD_CALL',
      'Files are predicted whole: --split, --limit and --start are for the run’s own data.',
      {
        hint: 'Give either files or a split.',
      },
    );
  }
  if (files.length === 0 && split === undefined) {
    throw new GradloomError('BAD_CALL', 'What to predict is missing.', {
      hint: 'Give files, or --split train, val or test, and --limit for how many samples.',
    });
  }
}

function showEvaluation(
  out: Output,
  { split, checkpoint, folder, samples, loss: value, metrics, confusion, label_confusion, classes }: Evaluation,
): void {
  const values = Object.entries(metrics).map(([name, each]) => `${name} ${metric(name, each)}`);
  out.say(
    `${[`loss ${loss(value)}`, ...values].join('  ')}  on ${integer(samples)} samples of ${split} (${checkpoint} checkpoint, ${basename(folder)})`,
  );
  if (label_confusion) showLabels(out, label_confusion, classes ?? []);
  if (!confusion || confusion.length > maxShownClasses) return;
  const names = classes ?? confusion.map((_, index) => String(index));
  const rows = confusion.map((row, index) => [names[index] ?? '', ...row.map(String)]);
  out.say();
  out.say('Confusion matrix (rows: the true class, columns: the answer)');
  out.say(table([['', ...names], ...rows], [0, ...names.map((_, index) => index + 1)]));
}

function showLabels(out: Output, counts: number[][][], names: readonly string[]): void {
  const rows = counts.map((count, label) => [names[label] ?? String(label), ...count.flat().map(String)]);
  out.say();
  out.say('Counts by label');
  out.say(table([['label', 'rightly no', 'wrongly yes', 'missed', 'rightly yes'], ...rows], [1, 2, 3, 4]));
}

function predictionTable(rows: Prediction[]): string {
  const named = rows.some(({ name }) => name !== undefined);
  const cells = rows.map(
    ({ index, name, class: answer, label, true_label, target, positions, logits, probabilities }) => {
      const sample = named ? (name ?? '') : String(index);
      if (positions) return [sample, countsOf(positions)];
      if (answer === null) {
        const more = logits.length > mostShownValues ? ' …' : '';
        return [sample, logits.slice(0, mostShownValues).map(loss).join(' ') + more];
      }
      const sure = percent(Math.max(...probabilities.map(fromNum)));
      return [
        sample,
        label ?? String(answer),
        sure,
        ...(named ? [] : [target === null ? '' : (true_label ?? String(target))]),
      ];
    },
  );
  const first = named ? 'sample' : 'index';
  const heads =
    rows[0]?.class === null
      ? [first, rows[0].positions ? 'positions by class' : 'answer']
      : [first, 'class', 'probability', ...(named ? [] : ['true class'])];
  return table([heads, ...cells], named ? [2] : [0, 2]);
}

function countsOf(positions: { [label: string]: number }): string {
  const most = Object.entries(positions).sort(([, a], [, b]) => b - a);
  const shown = most.slice(0, maxShownClasses).map(([label, count]) => `${label} ${integer(count)}`);
  return shown.join(', ') + (most.length > shown.length ? ', …' : '');
}
