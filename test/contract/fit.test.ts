/** A network fitted to data: over all templates and many kinds of data it can train then, or it is said why it cannot. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fitProject } from '../../engine/contract/fit.ts';
import { networkReplaced, type Template, templateWith } from '../../engine/contract/fit-data.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { wantedAnswer } from '../../engine/contract/plan-answer.ts';
import { type Project, readProject } from '../../engine/contract/project.ts';
import { editProjectWithUndo, undoChanges } from '../../engine/contract/project-edit.ts';
import type { DataFacts, TargetType } from '../../engine/contract/tensors.ts';
import { choices } from '../../engine/contract/tensors.ts';
import { Dice } from '../parity/random.ts';
import { applyEdits } from './apply-edits.ts';
import { digits, linear, projectWith } from './cases.ts';

const classes = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);
const ofClass = (count: number): TargetType => ({ kind: 'class', classes: classes(count) });
const mask = (dims: number[], count: number): TargetType => ({ kind: 'mask', dims, classes: classes(count) });
const numbers = (dims: number[], target: TargetType): DataFacts => ({
  input: { dims, dtype: 'float32' },
  target,
  parts: { train: 1000, test: 200 },
});
const tokens = (length: number, vocabulary: number, target: TargetType): DataFacts => ({
  input: { dims: [length], dtype: 'int64', tokens: vocabulary },
  target,
  parts: { train: 1000, test: 100 },
});
const padded: DataFacts = {
  ...tokens(20, 100, ofClass(2)),
  input: { dims: [20], dtype: 'int64', tokens: 100, padding: 0 },
};
const next = (length: number, vocabulary: number) =>
  tokens(length, vocabulary, { kind: 'next_token', dims: [length], tokens: vocabulary });

const known: { [name: string]: DataFacts } = {
  autoencoder: numbers([1, 28, 28], { kind: 'vector', dims: [1, 28, 28] }),
  'char-gpt': next(64, 63),
  unet: numbers([1, 48, 48], mask([48, 48], 11)),
  'tabular-mlp': numbers([30], ofClass(2)),
  'spirals-mlp': numbers([2], ofClass(3)),
  'resnet-18-cifar': numbers([3, 32, 32], ofClass(10)),
  'resnet-18': numbers([3, 224, 224], ofClass(1000)),
  'mobilenet-v2': numbers([3, 224, 224], ofClass(1000)),
  'vgg-11': numbers([3, 224, 224], ofClass(1000)),
};

const names = (JSON.parse(readFileSync('assets/templates/index.json', 'utf8')) as { name: string }[]).map(
  ({ name }) => name,
);
const textOf = (name: string) => readFileSync(`assets/templates/${name}.gradloom.json`, 'utf8');
const templateOf = (name: string): Template => ({
  project: readProject(textOf(name)).project as Project,
  facts: known[name] ?? digits,
});

const usual: { [what: string]: DataFacts } = {
  'grey images': digits,
  'colour images': numbers([3, 32, 32], ofClass(3)),
  photographs: numbers([3, 224, 224], ofClass(5)),
  'small images': numbers([1, 8, 8], ofClass(10)),
  'images of odd sides': numbers([3, 50, 61], ofClass(4)),
  volumes: numbers([1, 16, 16, 16], ofClass(2)),
  'images with several labels': numbers([3, 32, 32], { kind: 'multi_label', classes: classes(3) }),
  'images with numbers': numbers([3, 32, 32], { kind: 'vector', dims: [4] }),
  'images with images': numbers([3, 32, 32], { kind: 'vector', dims: [3, 32, 32] }),
  masks: numbers([1, 48, 48], mask([48, 48], 2)),
  'masks of odd sides': numbers([3, 30, 31], mask([30, 31], 3)),
  'a table': numbers([13], ofClass(3)),
  'a table with numbers': numbers([13], { kind: 'vector', dims: [2] }),
  sequences: numbers([50, 6], ofClass(4)),
  'text in classes': tokens(20, 100, ofClass(2)),
  'padded text in classes': padded,
  'text to go on': next(32, 100),
};

/** What holds for any fit: it trains then and is what the data ask for, or says why not; and the text can be brought back. */
function examine(text: string, facts: DataFacts, fit: ReturnType<typeof fitProject>): void {
  const { project } = readProject(text);
  const edited = applyEdits(project, fit.edits) as Project;
  if (fit.refused) {
    expect(fit.refused.message.length).toBeGreaterThan(20);
    expect(fit.refused.hint.length).toBeGreaterThan(5);
    return;
  }
  const plan = planProject(edited, facts);
  expect(plan.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(plan.model).not.toBeNull();
  expect(plan.parameters).toBe(fit.plan.parameters);
  const { target } = facts;
  const wanted = wantedAnswer(plan.project, target) ?? null;
  const scores = choices(target);
  expect(plan.output).toEqual(wanted);
  if (target.kind === 'class' && plan.project.training.loss.kind === 'CrossEntropyLoss') {
    expect(plan.output).toEqual([scores]);
  }
  // As one step in the text, and back byte for byte.
  const { text: after, undo } = editProjectWithUndo(text, fit.edits);
  expect(readProject(after).project).toEqual(edited);
  expect(undoChanges(after, undo)).toBe(text);
  // Nothing is left to do.
  const again = fitProject(edited, facts);
  expect({ edits: again.edits, refused: again.refused }).toEqual({ edits: [], refused: null });
}

describe.each(names)('%s', (name) => {
  test('on its own data it stays as it is', () => {
    const { project, facts } = templateOf(name);
    expect(fitProject(project, facts, facts)).toMatchObject({ edits: [], changes: [], refused: null });
  });

  test.each(Object.keys(usual))('on %s', (what) => {
    const facts = usual[what] as DataFacts;
    const { project, facts: made } = templateOf(name);
    examine(textOf(name), facts, fitProject(project, facts, made));
    // In an open project nobody knows what data its network was made for.
    examine(textOf(name), facts, fitProject(project, facts));
  });

  test('on data at random', () => {
    const random = new Dice(names.indexOf(name) + 1);
    for (let round = 0; round < 12; round++) {
      const facts = randomFacts(random);
      examine(textOf(name), facts, fitProject(templateOf(name).project, facts, templateOf(name).facts));
    }
  });
});

function randomFacts(random: Dice): DataFacts {
  const size = (most: number) => random.int(1, most);
  const dims = random.pick([
    () => [size(40)],
    () => [size(40), size(12)],
    () => [random.pick([1, 2, 3, 4]), size(40), size(40)],
  ])();
  const targets: (() => TargetType)[] = [
    () => ofClass(random.int(2, 20)),
    () => ({ kind: 'multi_label', classes: classes(size(6)) }),
    () => ({ kind: 'vector', dims: [size(5)] }),
    () => mask(dims.length > 1 ? dims.slice(1) : dims, random.int(2, 5)),
  ];
  return random.chance(0.15) ? next(random.int(2, 40), random.int(2, 50)) : numbers(dims, random.pick(targets)());
}

test('says what changes, and by how much', () => {
  const changes = (name: string, facts: DataFacts) => {
    const { project, facts: made } = templateOf(name);
    return fitProject(project, facts, made).changes;
  };
  expect(changes('lenet-5', usual['colour images'] as DataFacts)).toEqual(['Linear: out_features 10 → 3']);
  expect(changes('vit-tiny', usual['colour images'] as DataFacts)).toEqual([
    'Parallel “Grey as colours” is removed: the images have 3 channels',
    'PatchEmbedding: patch_size 7 → 8',
    'Linear: out_features 10 → 3',
  ]);
  expect(changes('char-gpt', usual['text to go on'] as DataFacts)).toEqual([
    'Embedding: 63 → 100 tokens',
    'Linear: out_features 63 → 100',
  ]);
  expect(changes('tabular-mlp', usual['a table with numbers'] as DataFacts)).toEqual([
    'Normalize is removed: its numbers belong to other data (the page Data calculates new ones)',
    'Loss: CrossEntropyLoss → MSELoss, since the targets are numbers',
    'Metrics: accuracy, auroc removed for mean absolute error, since the targets are 2 numbers',
  ]);
});

test('what fills texts up is masked where the layers behind can leave it out of account', () => {
  const embedding = (name: string) => {
    const { project, facts } = templateOf(name);
    const { edits } = fitProject(project, padded, facts);
    return edits
      .map(({ value }) => value)
      .find((value) => (value as { kind?: string } | undefined)?.kind === 'Embedding');
  };
  expect(embedding('lstm-classifier')).toMatchObject({ num_embeddings: 100, padding_idx: 0, mask_padding: true });
  expect(embedding('cnn-1d')).toMatchObject({ num_embeddings: 100, padding_idx: 0 });
});

test('an autoencoder takes every kind of source whose targets may be its inputs', () => {
  const facts = numbers([1, 28, 28], ofClass(10));
  const target = (source: { kind: string }) => {
    const fit = templateWith(templateOf('autoencoder'), { source: { path: 'data', ...source }, facts });
    return fit.edits.find(({ path }) => path.join('.') === 'data.source')?.value;
  };
  for (const kind of ['idx', 'npy', 'image_folder']) expect(target({ kind })).toMatchObject({ kind, target: 'input' });
  expect(target({ kind: 'cifar' })).not.toHaveProperty('target');
});

test('without a test part, a tenth of the training part tells how good it is', () => {
  const { project } = templateOf('digits-mlp');
  const { edits, changes } = fitProject(project, { ...digits, parts: { train: 500 } });
  expect(changes).toEqual(['Validate on a tenth of the training part']);
  expect(edits).toEqual([{ op: 'set', path: ['data', 'split', 'val'], value: 0.1 }]);
});

test('what does not go says why, and what would', () => {
  const refused = (name: string, what: string) => {
    const { project, facts } = templateOf(name);
    return fitProject(project, usual[what] as DataFacts, facts).refused;
  };
  expect(refused('resnet-9', 'a table')).toEqual({
    message:
      'The network begins with Conv2d, which reads images (channels, height, width), but a sample of this data is a row of 13 numbers',
    hint: 'Use a network for tables.',
  });
  expect(refused('char-gpt', 'grey images')?.message).toContain('reads tokens');
  expect(refused('digits-cnn', 'masks')?.hint).toContain('U-Net');
  expect(refused('unet', 'grey images')?.message).toContain('at each position');
  expect(refused('gru-classifier', 'text to go on')?.message).toBe(
    'GRU sees the whole sequence, also the tokens that the network is to tell',
  );
});

test('names of weights elsewhere move with the layers', () => {
  const { project, facts: made } = templateOf('vit-tiny');
  const fit = fitProject(project, numbers([3, 28, 28], ofClass(10)), made);
  const { model } = applyEdits(project, fit.edits) as { model: { weights_names: { [name: string]: string } } };
  expect(model.weights_names).toMatchObject({ conv_proj: '0.proj', 'heads.head': '6', class_token: '1.weight' });
  expect(fit.plan.problems).toEqual([]);
});

test('names count the layers that are enabled', () => {
  const layers = [{ kind: 'ReLU', disabled: true }, { kind: 'Conv2d', out_channels: 4, kernel_size: 3 }, linear(10)];
  const project = projectWith(layers, { model: { layers, weights_names: { conv: '0', head: '1' } } }) as Project;
  const fit = fitProject(project, digits);
  const { model } = applyEdits(project, fit.edits) as { model: { layers: { kind: string }[]; weights_names: object } };
  expect(model.layers.map(({ kind }) => kind)).toEqual(['ReLU', 'Conv2d', 'Flatten', 'Linear']);
  expect(model.weights_names).toEqual({ conv: '0', head: '2' });
});

test('what goes at the beginning moves what changes at the end', () => {
  const project = projectWith(
    [
      { kind: 'Parallel', branches: [[], [], []] },
      { kind: 'Flatten' },
      linear(3 * 28 * 28),
      { kind: 'Unflatten', dim: 1, unflattened_size: [3, 28, 28] },
    ],
    { training: { loss: { kind: 'MSELoss' }, metrics: [] } },
  ) as Project;
  const fit = fitProject(project, usual['images with images'] as DataFacts);
  const { model } = applyEdits(project, fit.edits) as { model: { layers: object[] } };
  expect(model.layers).toEqual([
    { kind: 'Flatten' },
    linear(3 * 32 * 32),
    { kind: 'Unflatten', dim: 1, unflattened_size: [3, 32, 32] },
  ]);
  expect(fit).toMatchObject({ refused: null, plan: { output: [3, 32, 32] } });
});

test('an autoencoder takes the inputs of any images as its targets', () => {
  const { edits, changes, refused, plan } = templateWith(templateOf('autoencoder'), {
    source: { kind: 'idx', path: '../data/mine' },
    split: { val: 0.1 },
    transforms: [],
    facts: numbers([3, 16, 16], ofClass(5)),
  });
  expect(refused).toBeNull();
  expect(changes).toEqual([
    'Targets: the inputs themselves; labels are not used',
    'Answer: 1×28×28 → 3×16×16, the shape of the targets',
  ]);
  expect(edits[0]).toEqual({
    op: 'set',
    path: ['data', 'source'],
    value: { kind: 'idx', path: '../data/mine', target: 'input' },
  });
  expect(plan.output).toEqual([3, 16, 16]);
});

test('what a template says of its own data is not said of others', () => {
  const template = templateOf('resnet-18');
  const given = { source: { kind: 'idx', path: 'mine' }, facts: numbers([3, 64, 64], ofClass(7)) };
  const notes = ({ model }: { model: { layers: { note?: string }[] } }) => model.layers.map(({ note }) => note ?? null);
  const made = applyEdits(template.project, templateWith(template, given).edits) as Parameters<typeof notes>[0];
  expect(notes(template.project as never)[0]).toContain('random numbers');
  expect(notes(made).filter((note) => note !== null)).toEqual([]);
  const open = projectWith([linear(3)]) as Project;
  const replaced = applyEdits(open, networkReplaced(open, given.facts, template).edits) as Parameters<typeof notes>[0];
  expect(notes(replaced).filter((note) => note !== null)).toEqual([]);
});

test('a network replaced by a template’s keeps data, split and how it is trained', () => {
  const project = projectWith([{ kind: 'Flatten' }, linear(10)], {
    training: { epochs: 7, optimizer: { kind: 'SGD', lr: 0.5 }, loss: { kind: 'NLLLoss' }, metrics: [] },
  }) as Project;
  const fit = networkReplaced(project, numbers([1, 28, 28], ofClass(4)), templateOf('lenet-5'));
  const after = applyEdits(project, fit.edits) as { data: unknown; training: object; model: { layers: unknown[] } };
  expect(after.data).toMatchObject({ source: { kind: 'idx', path: 'digits' } });
  expect(after.training).toEqual({
    epochs: 7,
    optimizer: { kind: 'SGD', lr: 0.5 },
    loss: { kind: 'CrossEntropyLoss' },
    metrics: ['accuracy'],
  });
  expect(after.model.layers).toHaveLength(12);
  expect(fit.plan.output).toEqual([4]);
  expect(fit.refused).toBeNull();
});

test('a network that is only begun gets the end that the data ask for', () => {
  const project = projectWith([{ kind: 'Conv2d', out_channels: 4, kernel_size: 3 }, { kind: 'ReLU' }]) as Project;
  const fit = fitProject(project, digits);
  expect(fit.refused).toBeNull();
  expect(fit.plan.output).toEqual([10]);
});
