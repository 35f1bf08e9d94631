/** What a check of the Data Doctor is given, and what it answers. */
import type { Finding, Offender } from '../../contract/data/doctor.ts';
import { mostNamed } from '../../contract/data/inspect.ts';
import type { MarkChange } from '../../contract/data/marks.ts';
import type { ResolvedProject } from '../../contract/project.ts';
import { pathsOf } from '../../contract/sources.ts';
import type { PartName } from '../../contract/tensors.ts';
import { plural } from '../../format.ts';
import type { InputColumn, OpenSource } from '../open-source.ts';
import type { DataPack } from '../pack.ts';
import type { SplitName } from '../split.ts';

/** A bit for each split; a test part that validates is in two. 0: in none, such as what is left out. */
export const splitBit = { train: 1, val: 2, test: 4 } as const satisfies { [Split in SplitName]: number };

/** What samples are, and so which checks make sense of them. */
export type SampleKind = 'image' | 'columns' | 'tokens' | 'other';

export interface PartFacts {
  name: PartName;
  count: number;
  /** Bits of `splitBit` by position. */
  splits: Uint8Array;
  /** Class indices; null: the targets are no classes. */
  labels: Float64Array | null;
  groups: Float64Array | null;
}

export interface Patient {
  project: ResolvedProject;
  pack: DataPack;
  kind: SampleKind;
  /** Dims of one input. */
  dims: number[];
  classes: string[] | null;
  parts: PartFacts[];
  /** What the values of inputs of one dimension are. */
  columns: InputColumn[];
  nameOf(part: PartName, index: number): string;
  /** What a person calls a group; its number where it has no name. */
  groupName(group: number): string;
  /** Rows of the files that no sample stands for, as they cannot be read. */
  unreadRows: NonNullable<OpenSource['unreadRows']>;
  /** Columns that are read as texts, or as nothing, though most of their cells are numbers. */
  nearlyNumbers: NonNullable<OpenSource['nearlyNumbers']>;
  /** Width and height of each sample's file, one after the other; null: the source has no pictures of its own. */
  sizes: ((part: PartName) => Promise<Uint32Array>) | null;
}

/** One sample as it is read. What it holds is overwritten by the next one. */
export interface Row {
  part: PartFacts;
  index: number;
  /** Bits of `splitBit`. */
  splits: number;
  input: Uint8Array;
  target: Uint8Array;
  /** The input as floats, a byte b as b / 255; made when it is first asked for. */
  values(): Float32Array;
  /** The target as floats, whatever it is of. */
  targetValues(): Float32Array;
}

/** Sees every sample that takes part, in order, then says what it found. */
export interface Examination {
  row?(row: Row): void;
  done(read: ReadRow): Promise<Finding[]> | Finding[];
}

/** The values of a sample, read again. */
export type ReadRow = (part: PartFacts, index: number) => Promise<Float32Array>;

export interface Check {
  /** What is looked at: `Exact duplicates`. */
  title: string;
  /** null: this makes no sense of this data; a text: why not, for a person to know. */
  begin(patient: Patient): Examination | string | null;
}

/** More marks than that are no reading matter, and their file would be slow to change. */
const mostMarks = 20_000;

export const named = (offenders: Offender[]): Offender[] => offenders.slice(0, mostNamed);

export interface Sample {
  part: PartFacts;
  index: number;
}

export function sampleOffender({ nameOf }: Patient, { part, index }: Sample, detail?: string): Offender {
  return { name: nameOf(part.name, index), part: part.name, index, ...(detail === undefined ? {} : { detail }) };
}

/** A fix that marks samples to be left out; none where there are too many for marks, or no files beside which marks could lie. */
export function leaveOut(patient: Patient, samples: readonly Sample[], label?: string): Finding['fixes'] {
  const { source } = patient.project.data;
  if (samples.length === 0 || samples.length > mostMarks || !source || pathsOf(source).length === 0) return [];
  const marks = samples.map(
    ({ part, index }): MarkChange => ({
      part: part.name,
      sample: patient.nameOf(part.name, index),
      mark: { exclude: true },
    }),
  );
  return [{ label: label ?? `Leave out ${plural(samples.length, 'sample')}`, marks }];
}

/** What a person calls a sample of this data. */
export function sampleWord({ kind }: Patient): string {
  if (kind === 'image') return 'image';
  return kind === 'columns' ? 'row' : 'sample';
}

export const partWords = { train: 'training', val: 'validation', test: 'test' } as const;

/** `training`, `validation and test`. */
export function splitWords(bits: number): string {
  return Object.entries(splitBit)
    .flatMap(([name, bit]) => (bits & bit ? [partWords[name as SplitName]] : []))
    .join(' and ');
}
