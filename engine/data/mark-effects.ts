/** What marks say of the samples of a source: who is left out, whose class is another, and which marks say nothing. */
import type { DataNote } from '../contract/data/inspect.ts';
import type { Mark } from '../contract/data/marks.ts';
import type { ResolvedSource } from '../contract/project.ts';
import { type DataFacts, type PartName, partNames } from '../contract/tensors.ts';
import { plural } from '../format.ts';
import { marksFileOf, readMarks } from './marks.ts';
import { namedNote } from './named-notes.ts';
import type { OpenSource } from './open-source.ts';

/** What marks mean for the samples of one part. */
export interface MarkedPart {
  /** Positions, ascending. */
  excluded: number[];
  /** Class by position. */
  relabelled: Map<number, number>;
}

export interface MarkEffects {
  parts: Partial<Record<PartName, MarkedPart>>;
  notes: DataNote[];
}

type Named = Pick<OpenSource, 'parts' | 'nameOf'>;

/** How the source calls a sample: its own name, else its number. */
export function sampleName({ nameOf }: Pick<OpenSource, 'nameOf'>, part: string, index: number): string {
  return nameOf?.(part, index) ?? String(index);
}

/** `classes`: null where targets are no classes. Neither a name nor a class that is not there is fatal: both are told. */
export function effectsOf(marks: readonly Mark[], opened: Named, classes: readonly string[] | null): MarkEffects {
  const parts: MarkEffects['parts'] = {};
  const [unknownSamples, unknownClasses]: string[][] = [[], []];
  for (const part of partNames) {
    const own = new Map(marks.filter((mark) => mark.part === part).map((mark) => [mark.sample, mark]));
    if (own.size === 0) continue;
    const found: MarkedPart = { excluded: [], relabelled: new Map() };
    const count = opened.parts[part] ?? 0;
    // A name may be that of several: rows of a table that name one image.
    const met = new Set<string>();
    for (let index = 0; index < count; index++) {
      const name = sampleName(opened, part, index);
      const mark = own.get(name);
      if (!mark) continue;
      met.add(name);
      if (mark.exclude) found.excluded.push(index);
      else if (mark.label !== undefined) {
        const label = classes?.indexOf(mark.label) ?? -1;
        if (label >= 0) found.relabelled.set(index, label);
        else (unknownClasses as string[]).push(`${name} as ${mark.label}`);
      }
    }
    for (const name of own.keys()) if (!met.has(name)) (unknownSamples as string[]).push(name);
    parts[part] = found;
  }
  const notes: DataNote[] = [];
  const tell = (names: string[], message: string) => {
    notes.push(...namedNote(message, names));
  };
  tell(
    unknownSamples as string[],
    `${plural(unknownSamples?.length ?? 0, 'mark')} of samples that the data do not have`,
  );
  const why = classes ? 'with classes that the data do not have' : 'with classes, though the targets are none';
  tell(unknownClasses as string[], `${plural(unknownClasses?.length ?? 0, 'mark')} ${why}`);
  return { parts, notes };
}

export function hasSample(opened: Named, part: PartName, name: string): boolean {
  const count = opened.parts[part] ?? 0;
  for (let index = 0; index < count; index++) if (sampleName(opened, part, index) === name) return true;
  return false;
}

/** Marks of a source as they are now; most have none. @throws GradloomError DATA_FORMAT, NOT_READABLE */
export async function marksOf(source: ResolvedSource, baseDir: string): Promise<Mark[]> {
  const file = await marksFileOf(source, baseDir);
  return file === null ? [] : readMarks(file);
}

/** What a source says of itself, less what its marks leave out; `excluded` is left out already. */
export function factsLeft(
  facts: DataFacts,
  { parts: marked }: MarkEffects,
  excluded: Readonly<Record<string, readonly number[]>>,
): DataFacts {
  const left = Object.entries(facts.parts).map(([part, count]) => {
    const before = new Set(excluded[part] ?? []);
    const out = marked[part as PartName]?.excluded ?? [];
    return [part, count - out.filter((index) => !before.has(index)).length];
  });
  return { ...facts, parts: Object.fromEntries(left) as DataFacts['parts'] };
}

/** Samples of each class, by their labels, less those that are `out`. */
export function countsOf(
  classes: number,
  labels: ArrayLike<number>,
  out: ReadonlySet<number>,
  relabelled: ReadonlyMap<number, number> = new Map(),
): number[] {
  const counts = new Array<number>(classes).fill(0);
  for (let index = 0; index < labels.length; index++) {
    const label = relabelled.get(index) ?? (labels[index] as number);
    if (!out.has(index) && label < classes) counts[label] = (counts[label] as number) + 1;
  }
  return counts;
}
