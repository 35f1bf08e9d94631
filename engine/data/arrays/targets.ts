/**
 * What the target arrays of a source hold. Unless the source's `target` says it: floats are vectors; whole numbers are one class a
 * sample (N), labels (N×K of zeros and ones), or a class at each position (N×K of others, N×H×W, N×1×H×W).
 */
import { GradloomError } from '../../contract/errors.ts';
import type { LabelSeen, TargetKind, TargetType } from '../../contract/tensors.ts';
import type { ContentOptions } from '../content.ts';
import type { ColumnType } from '../open-source.ts';
import { remember } from '../remember.ts';
import {
  type ArrayFile,
  type Elements,
  readFloats,
  readIndices,
  readPlainFloats,
  unsignedByte,
  widthOf,
} from './array-file.ts';

export interface ArrayTargets {
  kind: TargetKind;
  column: ColumnType;
  /** Surveys the files of all parts. @throws GradloomError LABEL_RANGE, DATA_* */
  describe(parts: [string, ArrayFile][]): Promise<TargetType>;
  /** The rows of a file as the pack holds them. */
  rows(file: ArrayFile, options: ContentOptions): Elements;
}

/** More labels than this are a fault in the file, not classes. */
const maxClasses = 65_536;

/** @throws GradloomError DATA_FORMAT when the file cannot be what `wanted` says */
export async function targetsOf(file: ArrayFile, wanted: TargetKind | null): Promise<ArrayTargets> {
  const dims = file.dims.slice(1);
  const kind = wanted ?? (await kindOf(file));
  const refuse = (needs: string) => {
    const has = `${file.dims.join(' × ')} values of type ${file.type.name}`;
    return new GradloomError('DATA_FORMAT', `${file.label} holds ${has}; targets of kind ${kind} need ${needs}.`, {
      hint: 'Remove data.source.target, or choose another kind.',
      path: file.path,
    });
  };
  switch (kind) {
    case 'class':
      if (!file.type.whole || dims.length > 0) throw refuse('one whole number a sample');
      return {
        kind,
        column: { dtype: 'int64', shape: [], scaled: false },
        describe: indices('class', []),
        rows: readIndices,
      };
    case 'mask': {
      if (!file.type.whole || dims.length === 0) throw refuse('whole numbers at each position');
      const shape = dims.length === 3 && dims[0] === 1 ? dims.slice(1) : dims;
      const bytes = file.type === unsignedByte;
      const column: ColumnType = { dtype: bytes ? 'uint8' : 'int64', shape, scaled: false };
      return {
        kind,
        column,
        describe: indices('mask', shape),
        rows: bytes ? (each, options) => each.elements(options) : readIndices,
      };
    }
    case 'multi_label': {
      if (dims.length !== 1) throw refuse('one row of zeros and ones a sample');
      return {
        kind,
        column: { dtype: 'float32', shape: dims, scaled: false },
        describe: labels,
        rows: readPlainFloats,
      };
    }
    case 'vector':
      return vectors(dims.length === 0 ? [1] : dims);
    case 'next_token':
      throw refuse('no file of their own');
  }
}

/** Numbers of this shape, scaled as inputs are. */
export function vectors(shape: number[]): ArrayTargets {
  const column: ColumnType = { dtype: 'float32', shape, scaled: false };
  return { kind: 'vector', column, describe: async () => ({ kind: 'vector', dims: shape }), rows: readFloats };
}

async function kindOf(file: ArrayFile): Promise<TargetKind> {
  if (!file.type.whole) return 'vector';
  if (file.dims.length === 1) return 'class';
  return file.dims.length === 2 && (await isBinary(file)) ? 'multi_label' : 'mask';
}

/** What is read of a whole array is read once. */
export function once<T>(what: string, file: ArrayFile, read: () => Promise<T>): Promise<T> {
  return remember([what, file.label, file.dims, file.type.name, file.fileBytes, file.modified], read);
}

function isBinary(file: ArrayFile): Promise<boolean> {
  return once('binary', file, async () => {
    for await (const value of valuesOf(file)) if (value !== 0 && value !== 1) return false;
    return true;
  });
}

async function* valuesOf(file: ArrayFile): AsyncGenerator<number, void, void> {
  for await (const chunk of readPlainFloats(file)) {
    for (let at = 0; at < chunk.length; at += 4) yield chunk.readFloatLE(at);
  }
}

interface Survey {
  /** How often each label occurs. */
  counts: Map<number, number>;
  /** The sample that each label is met in first. */
  firsts: Map<number, number>;
}

function survey(file: ArrayFile): Promise<Survey> {
  return once('labels', file, async () => {
    const width = widthOf(file);
    const firsts = new Map<number, number>();
    // Masks have millions of positions: a table is many times faster than a map. Larger labels only need to be seen.
    const table = new Float64Array(maxClasses);
    let index = 0;
    for await (const chunk of readIndices(file)) {
      const all = new Int32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4);
      for (let at = 0; at < all.length; at += 2, index += 1) {
        const label = all[at] as number;
        if (label >= maxClasses ? !firsts.has(label) : table[label] === 0) firsts.set(label, Math.floor(index / width));
        if (label < maxClasses) table[label] = (table[label] as number) + 1;
      }
    }
    const counts = new Map([...firsts.keys()].map((label) => [label, table[label] ?? 1]));
    return { counts, firsts };
  });
}

/** The highest index in a file. */
export async function highestLabel(file: ArrayFile): Promise<number> {
  let highest = -1;
  // One by one: of a large vocabulary there are more than a call takes arguments.
  for (const label of (await survey(file)).firsts.keys()) highest = Math.max(highest, label);
  return highest;
}

/** Class indices: how many classes there are, and where the two highest were met. */
function indices(kind: 'class' | 'mask', dims: number[]): ArrayTargets['describe'] {
  return async (parts) => {
    const seen = new Map<number, LabelSeen>();
    let counts = new Map<number, number>();
    for (const [part, file] of parts) {
      const found = await survey(file);
      if (part === 'train') counts = found.counts;
      for (const [label, sample] of found.firsts) {
        if (!seen.has(label)) seen.set(label, { label, sample, file: file.label });
      }
    }
    const [highest, second] = [...seen.values()].sort((a, b) => b.label - a.label) as [LabelSeen, LabelSeen?];
    if (highest.label >= maxClasses) {
      throw new GradloomError(
        'LABEL_RANGE',
        `${highest.file} has the label ${highest.label} at sample ${highest.sample}; at most ${maxClasses} classes are possible.`,
        {
          hint: 'Labels are the class indices 0 to classes − 1. Store quantities to be predicted as floats.',
          path: highest.file,
        },
      );
    }
    const length = Math.max(highest.label + 1, ...parts.map(([, file]) => file.classes ?? 0));
    const known = {
      classes: Array.from({ length }, (_, label) => String(label)),
      counts: Array.from({ length }, (_, label) => counts.get(label) ?? 0),
      highest: { sample: highest.sample, file: highest.file },
      ...(second ? { second } : {}),
    };
    return kind === 'class' ? { kind, ...known } : { kind, dims, ...known };
  };
}

async function labels(parts: [string, ArrayFile][]): Promise<TargetType> {
  const count = (parts[0]?.[1].dims[1] ?? 1) as number;
  for (const [, file] of parts) {
    if (await isBinary(file)) continue;
    throw new GradloomError('LABEL_RANGE', `${file.label} holds other values than 0 and 1.`, {
      hint: 'Of several labels each is there (1) or not (0).',
      path: file.path,
    });
  }
  return { kind: 'multi_label', classes: Array.from({ length: count }, (_, label) => String(label)) };
}
