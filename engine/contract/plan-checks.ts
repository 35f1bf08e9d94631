/** What must hold between the data and the training settings once the shapes are known: transforms, splits, batches. */

import { fieldInfo } from './fields.ts';
import { plural } from './format.ts';
import { showDims } from './layers/kind.ts';
import type { BatchStatistics } from './plan-stack.ts';
import type { SplitCounts } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { type Report, removeEdit, setEdit, show } from './report.ts';
import type { DataFacts } from './tensors.ts';
import { checkMoves, checkUnit, dimsAfter, transforms } from './transforms.ts';

/** A transform's numbers a channel must be as many as the channels, and what moves pixels must fit the images. */
export function checkTransforms(project: ResolvedProject, facts: DataFacts, report: Report): void {
  const { transforms: chosen } = project.data;
  for (const [index, { kind, args }] of chosen.entries()) {
    const before = dimsAfter(chosen.slice(0, index), facts.input.dims);
    const [channels] = before;
    const row = transforms.get(kind);
    const at = (key: string) => ['data', 'transforms', index, key];
    const keys = row?.perChannel ?? [];
    // Numbers that were measured on other data suit no channel of these: where they can be fitted, they are.
    const isFitted = keys.every((key) => row?.params[key] && fieldInfo(row.params[key]).default === null);
    const given = keys.filter((key) => args[key] !== null && args[key] !== undefined);
    for (const key of keys) {
      const value = args[key];
      if (!Array.isArray(value) || value.length === 1 || value.length === channels) continue;
      report.error(
        'BAD_VALUE',
        at(key),
        `${key} of ${kind} holds ${plural(value.length, 'number')}, but the samples ${showDims(before)} have ${plural(channels ?? 0, 'channel')}`,
        'Give one number, or one a channel.',
        isFitted
          ? [{ label: 'Fit on the samples that train', edits: given.map((each) => removeEdit(at(each))) }]
          : [{ label: `Use ${show(value[0])} for all channels`, edits: [setEdit(at(key), [value[0]])] }],
      );
    }
    if (facts.input.dtype !== 'float32') {
      const fixes = [{ label: `Remove ${kind}`, edits: [removeEdit(['data', 'transforms', index])] }];
      report.error(
        'WRONG_DTYPE',
        ['data', 'transforms', index],
        `${kind} needs floats, but the data holds integers`,
        'Remove it.',
        fixes,
      );
    }
    checkMoves({ kind, args }, before, facts, ['data', 'transforms', index], report);
    checkUnit(chosen, index, ['data', 'transforms'], report);
  }
}

/** Every split that is asked for has samples, and training has at least one batch. */
export function checkSplits(project: ResolvedProject, facts: DataFacts, counts: SplitCounts, report: Report): void {
  const { split, loader } = project.data;
  const valPlace = ['data', 'split', 'val'];
  const tenth = { label: 'Validate on a tenth of the training part', edits: [setEdit(valPlace, 0.1)] };
  const none = { label: 'Train without validation', edits: [setEdit(valPlace, 0)] };
  const own = { label: 'Validate on the validation part', edits: [setEdit(valPlace, 'val')] };
  if (typeof split.val === 'string' && !facts.parts[split.val]) {
    const part = split.val === 'test' ? 'test' : 'validation';
    report.error(
      'NO_TEST_PART',
      valPlace,
      `The split "${split.val}" is asked for, but this data has no ${part} part`,
      'Use a fraction of the training part.',
      [tenth, ...(facts.parts.val ? [own] : []), none],
    );
  } else if (facts.parts.val && split.val !== 'val') {
    report.add(
      'warning',
      'UNUSED_PART',
      valPlace,
      `The ${plural(facts.parts.val, 'sample')} of this data's own validation part are not used`,
      'Validate on them, or leave it so on purpose.',
      [own],
    );
  }
  if (typeof split.val === 'number' && split.val !== 0 && counts.val === 0) {
    const more = Math.min(0.5, Math.ceil((1 / Math.max(1, facts.parts.train)) * 100) / 100);
    report.error(
      'EMPTY_SPLIT',
      valPlace,
      `${split.val} of ${facts.parts.train} training samples is none: there is nothing to validate on`,
      'Use a larger fraction, or none.',
      facts.parts.train > 1 && more > Number(split.val)
        ? [{ label: `Use ${more}`, edits: [setEdit(valPlace, more)] }, none]
        : [none],
    );
  }
  if (counts.train <= 0) {
    report.error(
      'EMPTY_SPLIT',
      valPlace,
      'No training samples are left',
      'Use more data, or a smaller fraction.',
      counts.val > 0 ? [none] : [],
    );
  } else if (loader.drop_last && counts.train < loader.batch_size) {
    report.error(
      'EMPTY_SPLIT',
      ['data', 'loader', 'drop_last'],
      `The ${counts.train} training samples do not fill one batch of ${loader.batch_size}, and drop_last leaves out what is not full`,
      'Keep the last batch, or use smaller ones.',
      [
        { label: 'Keep the last batch', edits: [setEdit(['data', 'loader', 'drop_last'], false)] },
        {
          label: `Set batch_size to ${counts.train}`,
          edits: [setEdit(['data', 'loader', 'batch_size'], counts.train)],
        },
      ],
    );
  }
}

/** BatchNorm, or GroupNorm of groups of one value, in a batch of one sample: impossible with one value a channel, poor with more. */
export function checkBatches(
  project: ResolvedProject,
  counts: SplitCounts,
  statistics: readonly BatchStatistics[],
  report: Report,
): void {
  const { batch_size, drop_last } = project.data.loader;
  const place = ['data', 'loader', 'batch_size'];
  const worst = (list: readonly BatchStatistics[]) => [...list].sort((a, b) => a.values - b.values)[0];
  const ones = (count: number, dropping: boolean) =>
    count > 0 && (batch_size === 1 ? true : !dropping && count % batch_size === 1);
  const training = worst(statistics);
  if (training && ones(counts.train, drop_last)) {
    const other = nearestBatchSize(batch_size, counts.train);
    const fixes: Fix[] = [];
    if (batch_size > 1 && counts.train > batch_size) {
      fixes.push({
        label: 'Leave out the short last batch (drop_last)',
        edits: [setEdit(['data', 'loader', 'drop_last'], true)],
      });
    }
    if (other !== null) fixes.push({ label: `Set batch_size to ${other}`, edits: [setEdit(place, other)] });
    const which =
      batch_size === 1
        ? 'Each batch holds'
        : `The last of ${counts.train} training samples in batches of ${batch_size} would be a batch of`;
    report.add(
      training.values === 1 ? 'error' : 'warning',
      'SMALL_BATCH',
      place,
      `${which} one sample, ${
        training.values === 1
          ? `and ${training.kind} at ${training.place.join('.')} cannot train on a single value per ${training.per}`
          : `from which ${training.kind} at ${training.place.join('.')} would take its statistics`
      }`,
      'Leave the short batch out, or choose another batch size.',
      fixes,
    );
  }
  const evaluating = worst(statistics.filter(({ inEvaluation, values }) => inEvaluation && values === 1));
  if (!evaluating || !ones(counts.val, false)) return;
  const { kind, per, inEvaluation } = evaluating;
  const kept = inEvaluation === 'not kept';
  const at = [...evaluating.place, ...(kept ? ['track_running_stats'] : [])];
  report.error(
    'SMALL_BATCH',
    at,
    `Validation would end with a batch of one sample, and ${kind}${kept ? ' without running statistics' : ''} cannot evaluate a single value per ${per}`,
    kept ? 'Let it keep running statistics.' : 'Use fewer groups, or none.',
    [{ label: kept ? 'Keep running statistics' : `Remove this ${kind}`, edits: [removeEdit(at)] }],
  );
}

/** The batch size nearest to `size` that leaves no batch of one; null where there is none. */
function nearestBatchSize(size: number, samples: number): number | null {
  for (let step = 1; step <= samples + size; step++) {
    for (const other of [size - step, size + step]) {
      if (other > 1 && other <= samples && samples % other !== 1) return other;
    }
  }
  return null;
}
