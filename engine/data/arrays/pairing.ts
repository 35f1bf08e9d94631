/** Tells inputs from targets and train from test among arrays that were found together, and pairs them: by name, else by count. */
import { basename } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { PartName } from '../../contract/tensors.ts';
import { type ArrayFile, unsignedByte } from './array-file.ts';
import type { ArrayName } from './names.ts';

export interface Entry extends ArrayFile {
  name: ArrayName;
}

export interface Pair {
  input: ArrayFile;
  target: ArrayFile;
}

export type Parts = { train: Pair } & { [Part in PartName]?: Pair };

export interface PairingOptions {
  /** The folder or file that holds the arrays. */
  place: string;
  /** The inputs are the targets too, and others are not looked at. */
  same: boolean;
  /** How arrays should be called, for hints. */
  naming: string;
  /** What is to be set where several could be meant. */
  choosing: string;
}

function roleOf(entry: Entry): 'input' | 'target' {
  return entry.name.role ?? (entry.dims.length === 1 ? 'target' : 'input');
}

/** The pairs among all arrays. */
export function pairAll(entries: readonly Entry[], options: PairingOptions): Parts {
  const { place, naming } = options;
  const trained = entries.some(({ name }) => name.part === 'train');
  const train = entries.filter(({ name }) => name.part === 'train' || (!trained && name.part === null));
  if (train.length === 0) {
    const held = entries.filter(({ name }) => name.part !== null);
    throw new GradloomError('DATA_MISSING', `${place} holds a test part (${names(held)}) but no training part.`, {
      hint: `Add the training arrays, or name the inputs that are meant. ${naming}`,
      path: place,
    });
  }
  return { train: pair('training', train, options), ...heldOut(entries, options) };
}

/** The pair that one given array belongs to; the other parts too if its name says that it is of the training part. */
export function pairOf(chosen: string, entries: readonly Entry[], options: PairingOptions): Parts {
  const own = entries.find(({ path }) => path === chosen) as Entry;
  const partners = entries.filter(({ name, path }) => path !== chosen && name.part === own.name.part);
  const alike = partners.filter(({ name }) => name.set === own.name.set);
  const found = (of: Entry[]) => of.filter((entry) => roleOf(entry) !== roleOf(own));
  const train = pair('training', [own, ...(found(alike).length > 0 ? found(alike) : found(partners))], options);
  const rest = own.name.part === 'train' ? entries.filter(({ name }) => name.set === own.name.set) : [];
  return { train, ...heldOut(rest, options) };
}

function heldOut(entries: readonly Entry[], options: PairingOptions): { val?: Pair; test?: Pair } {
  const of = (part: 'val' | 'test', words: string) => {
    const own = entries.filter(({ name }) => name.part === part);
    return own.length > 0 ? { [part]: pair(words, own, options) } : {};
  };
  return { ...of('val', 'validation'), ...of('test', 'test') };
}

function pair(part: string, entries: readonly Entry[], { place, same, naming, choosing }: PairingOptions): Pair {
  const inputs = entries.filter((entry) => roleOf(entry) === 'input');
  const targets = same ? inputs : entries.filter((entry) => roleOf(entry) === 'target');
  if (inputs.length === 0 || targets.length === 0) {
    const [there, missing] = inputs.length === 0 ? [targets, 'inputs'] : [inputs, 'labels'];
    throw new GradloomError(
      'DATA_MISSING',
      `The ${part} part in ${place} has no ${missing} to go with ${names(there)}.`,
      { hint: `Put the ${missing} beside them, or move them elsewhere. ${naming}`, path: place },
    );
  }
  const every = inputs.flatMap((input) => (same ? [input] : targets).map((target) => ({ input, target })));
  const byName = every.filter(({ input, target }) => input.name.set === target.name.set);
  const byCount = every.filter(({ input, target }) => input.dims[0] === target.dims[0]);
  for (const pairs of [every, byName, byCount]) if (pairs.length === 1 && pairs[0]) return pairs[0];
  throw new GradloomError(
    'DATA_FORMAT',
    `${place} holds several sets of samples (${names(inputs)})${same ? '' : ` and of labels (${names(targets)})`} for the ${part} part.`,
    { hint: choosing, path: place },
  );
}

/** One target for each sample, and other parts like the training part. @throws GradloomError DATA_COUNT, DATA_FORMAT */
export function checkAlike(parts: Parts): void {
  for (const { input, target } of Object.values(parts)) {
    if (input.dims[0] !== target.dims[0]) {
      throw new GradloomError(
        'DATA_COUNT',
        `${input.label} has ${input.dims[0]} samples, but ${target.label} has ${target.dims[0]} targets.`,
        { hint: 'Give the targets that belong to these samples, one for each.', path: target.path },
      );
    }
  }
  for (const part of ['val', 'test'] as const) {
    for (const role of ['input', 'target'] as const) {
      const [a, b] = [parts.train[role], parts[part]?.[role]];
      if (b && !alike(a, b, role)) throw differing(part, a, b);
    }
  }
}

function alike(a: ArrayFile, b: ArrayFile, role: 'input' | 'target'): boolean {
  return (
    String(a.dims.slice(1)) === String(b.dims.slice(1)) &&
    (a.type === unsignedByte) === (b.type === unsignedByte) &&
    (role === 'input' || a.type.whole === b.type.whole)
  );
}

function differing(part: 'val' | 'test', a: ArrayFile, b: ArrayFile): GradloomError {
  const shape = (file: ArrayFile) => `${file.dims.slice(1).join(' × ') || 'single values'} of type ${file.type.name}`;
  const words = part === 'val' ? 'validation' : 'test';
  return new GradloomError(
    'DATA_FORMAT',
    `The training and the ${words} part differ: ${a.label} holds ${shape(a)}, ${b.label} ${shape(b)}.`,
    { hint: `Give a ${words} part of the same shape and type, or move it elsewhere.`, path: b.path },
  );
}

const title = ({ path, label }: ArrayFile) => (label === path ? basename(path) : label.slice(label.indexOf(': ') + 2));
const names = (entries: readonly ArrayFile[]) => entries.map(title).join(', ');
