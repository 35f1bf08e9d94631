/** What must hold between the network, the data and the training settings once the shapes are known. */

import { plural } from './format.ts';
import { layerTable } from './layers/index.ts';
import { product, sameDims, showDims } from './layers/kind.ts';
import { losses, lossKinds } from './losses.ts';
import { metrics } from './metrics.ts';
import type { BatchStatistics } from './plan-stack.ts';
import type { PlannedLayer, SplitCounts } from './plan-types.ts';
import type { Fix } from './problems.ts';
import type { ResolvedProject } from './project-types.ts';
import { insertEdit, type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import type { DataFacts } from './tensors.ts';
import { checkMoves, dimsAfter, transforms } from './transforms.ts';

const lossPlace = ['training', 'loss'];

/** Loss and metrics must be of the data's kind of target. True when the loss is. */
export function checkTarget(project: ResolvedProject, facts: DataFacts, report: Report): boolean {
  const { training } = project;
  const target = facts.target.kind;
  const words = target === 'class' ? 'classes' : 'numbers';
  for (const [index, name] of training.metrics.entries()) {
    if (metrics.get(name)?.target === target) continue;
    const at = ['training', 'metrics', index];
    report.error(
      'TARGET_MISMATCH',
      at,
      `The metric ${name} does not fit this data, whose targets are ${words}`,
      'Remove it.',
      [{ label: `Remove ${name}`, edits: [removeEdit(at)] }],
    );
  }
  const loss = losses.get(training.loss.kind);
  if (!loss || loss.target === target) return loss !== undefined;
  const fitting = lossKinds.filter((row) => row.target === target).map((row) => row.kind);
  report.error(
    'TARGET_MISMATCH',
    lossPlace,
    `${loss.kind} compares with ${loss.target === 'class' ? 'classes' : 'numbers'}, but the targets of this data are ${words}`,
    `Use ${fitting.join(' or ')}.`,
    fitting.map((kind) => ({ label: `Use ${kind}`, edits: [setEdit(lossPlace, { kind })] })),
  );
  return false;
}

/** The last layer must answer what the loss compares with the target. */
export function checkOutput(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  report: Report,
): void {
  const { target } = facts;
  const last = layers.at(-1);
  const place: Place = last ? last.place.split('.') : ['model', 'layers'];
  if (target.kind === 'vector') {
    if (sameDims(output, target.dims)) return;
    report.error(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${showDims(output)} but each target is ${showDims(target.dims)}`,
      "Make the last layer answer the target's shape.",
      target.dims.length === 1 ? outputFixes(project, facts, layers, output, target.dims[0] as number) : [],
    );
    return;
  }
  const classes = target.classes.length;
  if (output.length !== 1) {
    report.error(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${showDims(output)} but the loss wants one score a class: [${classes}]`,
      'Flatten the tensor before the last Linear layer.',
      outputFixes(project, facts, layers, output, classes),
    );
    return;
  }
  const [scores] = output as [number];
  if (scores < classes) {
    const { highest } = target;
    const where = highest ? ` (sample ${highest.sample} of ${highest.file})` : '';
    report.error(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${scores} scores, but the data has ${classes} classes: class ${show(target.classes.at(-1))}${where} has none`,
      'The last layer must answer one score a class.',
      outputFixes(project, facts, layers, output, classes),
    );
  } else if (scores > classes) {
    report.warn(
      'OUTPUT_MISMATCH',
      place,
      `The network answers ${scores} scores, but the data has only ${classes} classes: the others are never right`,
      'One score a class is enough.',
      outputFixes(project, facts, layers, output, classes),
    );
  }
  if (last?.kind === 'Softmax') {
    report.warn(
      'OUTPUT_MISMATCH',
      place,
      'The network ends with Softmax, but CrossEntropyLoss applies it itself: twice, it learns badly',
      'Remove the Softmax; probabilities are computed when predicting.',
      [{ label: 'Remove the Softmax', edits: [removeEdit(toEdit(place))] }],
    );
  }
  checkClassWeights(project, scores, report);
}

function checkClassWeights(project: ResolvedProject, scores: number, report: Report): void {
  const { weight } = project.training.loss.args;
  if (!Array.isArray(weight) || weight.length === scores) return;
  const at = [...lossPlace, 'weight'];
  report.error(
    'BAD_VALUE',
    at,
    `weight holds ${plural(weight.length, 'number')}, but the network answers ${scores} scores`,
    'Give one weight a class, in order.',
    [{ label: 'Weigh all classes alike', edits: [removeEdit(at)] }],
  );
}

/** Places of planned layers are dotted: positions back to numbers. */
function toEdit(place: Place): (string | number)[] {
  return place.map((step) => (typeof step === 'string' && /^\d+$/.test(step) ? Number(step) : step));
}

/** Ways to make the network answer a vector of `size`. */
function outputFixes(
  project: ResolvedProject,
  facts: DataFacts,
  layers: readonly PlannedLayer[],
  output: readonly number[],
  size: number,
): Fix[] {
  const fixes: Fix[] = [];
  const end = project.model.layers.length;
  const append = (label: string, added: object[]) => {
    fixes.push({ label, edits: added.map((layer, index) => insertEdit(['model', 'layers', end + index], layer)) });
  };
  const linear = lastLinear(layers);
  const resize =
    linear && linear.output.at(-1) !== size
      ? [setEdit([...toEdit(linear.place.split('.')), 'out_features'], size)]
      : [];
  const resized = resize.length > 0 ? ` and set its out_features to ${size}` : '';
  if (output.length > 1) {
    const flat = layers.find(
      (layer, index) => layer.kind === 'Linear' && (layers[index - 1]?.output ?? facts.input.dims).length > 1,
    );
    if (flat && linear) {
      const at = toEdit(flat.place.split('.'));
      // The later place is edited first, so that the insertion does not move it.
      fixes.push({
        label: `Insert Flatten before layer ${flat.path}${resized && `, and set out_features of layer ${linear.path} to ${size}`}`,
        edits: [...resize, insertEdit(at, { kind: 'Flatten' })],
      });
    }
    append('Append Flatten and Linear', [{ kind: 'Flatten' }, { kind: 'Linear', out_features: size }]);
  } else if (linear && resize.length > 0) {
    fixes.push({ label: `Set out_features of layer ${linear.path} to ${size}`, edits: resize });
  } else if (output.length === 1 && product(output) > 0) {
    append(`Append a Linear layer with ${size} outputs`, [{ kind: 'Linear', out_features: size }]);
  }
  return fixes;
}

/** The Linear layer whose outputs are the network's, with nothing behind it that changes shapes. */
function lastLinear(layers: readonly PlannedLayer[]): PlannedLayer | null {
  for (const layer of [...layers].reverse()) {
    if (layer.kind === 'Linear') return layer;
    const keepsShape =
      layer.kind === 'Identity' || layer.kind === 'Dropout' || layerTable.get(layer.kind)?.category === 'activation';
    if (!keepsShape) return null;
  }
  return null;
}

/** A transform's numbers a channel must be as many as the channels, and what moves pixels must fit the images. */
export function checkTransforms(project: ResolvedProject, facts: DataFacts, report: Report): void {
  const [channels] = facts.input.dims;
  for (const [index, { kind, args }] of project.data.transforms.entries()) {
    for (const key of transforms.get(kind)?.perChannel ?? []) {
      const value = args[key];
      if (!Array.isArray(value) || value.length === 1 || value.length === channels) continue;
      report.error(
        'BAD_VALUE',
        ['data', 'transforms', index, key],
        `${key} of ${kind} holds ${plural(value.length, 'number')}, but the samples ${showDims(facts.input.dims)} have ${plural(channels ?? 0, 'channel')}`,
        'Give one number, or one a channel.',
        [
          {
            label: `Use ${show(value[0])} for all channels`,
            edits: [setEdit(['data', 'transforms', index, key], [value[0]])],
          },
        ],
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
    const before = dimsAfter(project.data.transforms.slice(0, index), facts.input.dims);
    checkMoves({ kind, args }, before, facts.target, ['data', 'transforms', index], report);
  }
}

/** Every split that is asked for has samples, and training has at least one batch. */
export function checkSplits(project: ResolvedProject, facts: DataFacts, counts: SplitCounts, report: Report): void {
  const { split, loader } = project.data;
  const valPlace = ['data', 'split', 'val'];
  const tenth = { label: 'Validate on a tenth of the training part', edits: [setEdit(valPlace, 0.1)] };
  const none = { label: 'Train without validation', edits: [setEdit(valPlace, 0)] };
  if (split.val === 'test' && !facts.parts.test) {
    report.error(
      'NO_TEST_PART',
      valPlace,
      'The split "test" is asked for, but this data has no test part',
      'Use a fraction of the training part.',
      [tenth, none],
    );
  } else if (split.val !== 0 && counts.val === 0) {
    const more = Math.min(0.5, Math.ceil((1 / Math.max(1, facts.parts.train)) * 100) / 100);
    report.error(
      'EMPTY_SPLIT',
      valPlace,
      `${split.val} of ${facts.parts.train} training samples is none: there is nothing to validate on`,
      'Use a larger fraction, or none.',
      facts.parts.train > 1 && more > Number(split.val) && !split.stratify
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

/** BatchNorm in a batch of one sample: impossible with one value a channel, poor with more. */
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
          ? `and ${training.kind} at ${training.place.join('.')} cannot train on a single value per channel`
          : `from which ${training.kind} at ${training.place.join('.')} would take its statistics`
      }`,
      'Leave the short batch out, or choose another batch size.',
      fixes,
    );
  }
  const evaluating = worst(statistics.filter(({ inEvaluation, values }) => inEvaluation && values === 1));
  if (evaluating && ones(counts.val, false)) {
    report.error(
      'SMALL_BATCH',
      [...evaluating.place, 'track_running_stats'],
      `Validation would end with a batch of one sample, and ${evaluating.kind} without running statistics cannot evaluate a single value per channel`,
      'Let it keep running statistics.',
      [{ label: 'Keep running statistics', edits: [removeEdit([...evaluating.place, 'track_running_stats'])] }],
    );
  }
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
