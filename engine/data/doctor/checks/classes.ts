/** How many samples each class has: none, one, few beside the others, none in one of the splits. */
import type { Finding, Offender } from '../../../contract/data/doctor.ts';
import { setEdit } from '../../../contract/report.ts';
import { integer, plural } from '../../../format.ts';
import { type Check, named, type Patient, partWords, type splitBit } from '../check.ts';
import { classCounts } from '../counts.ts';

/** Times as many samples as the rarest class; less is no news. */
const [uneven, veryUneven] = [3, 10];
/** Of the most frequent class; of fewer it says nothing that one has three times as many. */
const fewest = 10;

type Counts = Record<keyof typeof splitBit, number[]>;

export const classBalance: Check = {
  title: 'Classes: balance, empty ones, single samples, classes that a split lacks',
  begin(patient) {
    const { classes } = patient;
    if (!classes || patient.parts.every(({ labels }) => labels === null)) return null;
    return {
      done() {
        const count = (split: keyof typeof splitBit) => classCounts(patient, split);
        const counts: Counts = { train: count('train'), val: count('val'), test: count('test') };
        return [
          ...alone(classes, counts),
          ...unseen(classes, counts),
          ...empty(patient, classes, counts),
          ...single(classes, counts),
          ...lacking(patient, classes, counts),
          ...imbalance(patient, classes, counts),
        ];
      },
    };
  },
};

const of = (
  classes: readonly string[],
  detail: (index: number) => string | undefined,
  wanted: (index: number) => boolean,
) =>
  classes.flatMap((name, index): Offender[] => {
    if (!wanted(index)) return [];
    const said = detail(index);
    return [{ name: `class ${name}`, ...(said === undefined ? {} : { detail: said }) }];
  });

/** All that trains is of one class. */
function alone(classes: string[], { train }: Counts): Finding[] {
  const there = classes.filter((_, index) => (train[index] as number) > 0);
  if (there.length !== 1) return [];
  return [
    {
      code: 'ONE_CLASS',
      severity: 'error',
      message: `All samples that train are of one class, ${there[0]}: there is nothing to tell apart`,
      hint: 'Add samples of another class, or choose other targets.',
      count: 1,
      offenders: named([{ name: `class ${there[0]}` }]),
      fixes: [],
    },
  ];
}

function unseen(classes: string[], { train, val, test }: Counts): Finding[] {
  const elsewhere = (index: number) => Math.max(val[index] as number, test[index] as number);
  const offenders = of(
    classes,
    (index) => plural(elsewhere(index), 'sample'),
    (index) => train[index] === 0 && elsewhere(index) > 0,
  );
  if (offenders.length === 0) return [];
  return [
    {
      code: 'UNSEEN_CLASS',
      severity: 'error',
      message: `${plural(offenders.length, 'class', 'classes')} to validate or test with ${offenders.length === 1 ? 'is' : 'are'} never trained on`,
      hint: 'The network cannot know them: move some samples to training, or remove the class.',
      count: offenders.length,
      offenders: named(offenders),
      fixes: [],
    },
  ];
}

function empty({ project }: Patient, classes: string[], counts: Counts): Finding[] {
  const all = classes.map((_, index) => Object.values(counts).reduce((sum, each) => sum + (each[index] as number), 0));
  const offenders = of(
    classes,
    () => undefined,
    (index) => all[index] === 0,
  );
  if (offenders.length === 0) return [];
  const numbered = classes.every((name, index) => name === String(index)) && all[0] === 0 && offenders.length === 1;
  const source = project.data.source;
  const drops = source !== null && 'empty_classes' in source && source.empty_classes === 'keep';
  return [
    {
      code: 'EMPTY_CLASS',
      severity: 'warning',
      message: `${plural(offenders.length, 'class', 'classes')} ${offenders.length === 1 ? 'has' : 'have'} no sample`,
      hint: numbered
        ? 'Labels begin at 1, so class 0 is never met: the network learns one answer too many, which does no harm.'
        : 'The network has an answer for each, and learns that it is never right.',
      count: offenders.length,
      offenders: named(offenders),
      fixes: drops
        ? [{ label: 'Drop empty classes', edits: [setEdit(['data', 'source', 'empty_classes'], 'drop')] }]
        : [],
    },
  ];
}

function single(classes: string[], { train, val, test }: Counts): Finding[] {
  const sum = (index: number) => (train[index] as number) + (val[index] as number) + (test[index] as number);
  const offenders = of(
    classes,
    () => undefined,
    (index) => train[index] === 1 && sum(index) === 1,
  );
  if (offenders.length === 0) return [];
  return [
    {
      code: 'SINGLE_SAMPLE',
      severity: 'warning',
      message: `${plural(offenders.length, 'class', 'classes')} ${offenders.length === 1 ? 'has' : 'have'} one sample only`,
      hint: 'It can be in training or in validation, not in both. Add samples, or merge the class with another.',
      count: offenders.length,
      offenders: named(offenders),
      fixes: [],
    },
  ];
}

/** A drawn validation that lacks a class, and parts of the source's own. */
function lacking({ project }: Patient, classes: string[], counts: Counts): Finding[] {
  const { split } = project.data;
  return (['val', 'test'] as const).flatMap((name): Finding[] => {
    const own = counts[name];
    if (own.every((count) => count === 0) || (name === 'test' && split.val === 'test')) return [];
    const offenders = of(
      classes,
      (index) => `${integer(counts.train[index] as number)} in training`,
      (index) => own[index] === 0 && (counts.train[index] as number) > 1,
    );
    if (offenders.length === 0) return [];
    const drawn = name === 'val' && typeof split.val === 'number';
    const stratify = drawn && !split.stratify;
    return [
      {
        code: 'EMPTY_CLASS',
        severity: drawn && !stratify ? 'note' : 'warning',
        message: `${plural(offenders.length, 'class', 'classes')} ${offenders.length === 1 ? 'has' : 'have'} no sample in ${partWords[name]}`,
        hint: stratify
          ? 'Stratify, so that each class gives its share.'
          : 'Its score says nothing of them. Classes keep their numbers all the same.',
        count: offenders.length,
        offenders: named(offenders),
        fixes: stratify ? [{ label: 'Stratify', edits: [setEdit(['data', 'split', 'stratify'], true)] }] : [],
      },
    ];
  });
}

function imbalance({ project }: Patient, classes: string[], { train }: Counts): Finding[] {
  const there = train.filter((count) => count > 0);
  const most = Math.max(...there, 0);
  const least = Math.min(...there, most);
  const times = least === 0 ? 0 : most / least;
  if (times < uneven || most < fewest) return [];
  const handled = Boolean(project.training.loss.args.weight) || project.data.loader.sampler !== 'shuffle';
  const largest = classes[train.indexOf(most)] as string;
  const smallest = classes[train.indexOf(least)] as string;
  const offenders = of(
    classes,
    (index) => `${plural(train[index] as number, 'sample')}, ${largest} has ${integer(most)}`,
    (index) => (train[index] as number) > 0 && most / (train[index] as number) >= uneven,
  );
  return [
    {
      code: 'IMBALANCE',
      severity: times >= veryUneven && !handled ? 'warning' : 'note',
      message: `Class ${largest} has ${integer(Math.round(times))} times as many training samples as class ${smallest}`,
      hint: handled
        ? 'Classes are weighed or drawn evenly already. Look at a score by class: accuracy says little.'
        : 'Accuracy says little then, and rare classes are learned last. Weigh the classes or draw them evenly, and look at a score by class.',
      count: offenders.length,
      offenders: named(offenders),
      fixes: handled ? [] : [...weighed(project, train), ...drawnEvenly],
    },
  ];
}

const drawnEvenly = [{ label: 'Draw classes evenly', edits: [setEdit(['data', 'loader', 'sampler'], 'balanced')] }];

/** Each class counts as much as any other: samples / (classes · samples of the class). */
function weighed({ training: { loss } }: Patient['project'], train: number[]): Finding['fixes'] {
  if (loss.kind !== 'CrossEntropyLoss') return [];
  const total = train.reduce((sum, count) => sum + count, 0);
  const present = train.filter((count) => count > 0).length;
  const weight = train.map((count) => (count === 0 ? 1 : Number((total / (present * count)).toPrecision(4))));
  const value = { kind: loss.kind, ...withoutEmpty(loss.args), weight };
  return [{ label: 'Weigh classes', edits: [setEdit(['training', 'loss'], value)] }];
}

const withoutEmpty = (args: Patient['project']['training']['loss']['args']) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
