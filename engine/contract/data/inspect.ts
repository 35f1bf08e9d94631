/** What is found at a path before it is imported: which sources it could be, why, and what was noticed on the way. */
import type { JsonObject } from '../report.ts';
import type { DataFacts } from '../tensors.ts';

/** Something that a person should know of the data and need not act on: a guess with its reason, files left out, a rule that was applied. */
export interface DataNote {
  /** One sentence: `3 files are no images and were left out`. */
  message: string;
  /** Names of what it is about, at most `mostNamed`; none: the whole. */
  names?: string[];
  /** How many there are in all. */
  count?: number;
  /** Of samples that cannot be read: what is to be said instead where the source's `on_bad` is the other. */
  otherwise?: string;
}

/** How many offenders a note or finding names. */
export const mostNamed = 200;

/** A setting that the content suggests, where a person may know better. */
export interface Guess {
  /** The source's parameter: `delimiter`. */
  key: string;
  value: unknown;
  /** `";" stands 3 times in each of the first 200 lines, outside of quotes`. */
  reason: string;
}

/** One reading of what is there. */
export interface Recognised {
  /** As a project would name it, paths absolute. */
  source: JsonObject & { kind: string };
  /** `Image folder, 10 classes`. */
  title: string;
  /** Why it is taken for this, in a sentence. */
  reason: string;
  sure: 'certain' | 'likely' | 'possible';
  guesses: Guess[];
  notes: DataNote[];
  /** null: they want more than a quick look. */
  facts: DataFacts | null;
}

/** A reading that was tried and what stands against it. */
export interface Refused {
  /** `a table or time series`. */
  name: string;
  /** The source's kind, of the first of them. */
  kind: string;
  message: string;
  /** What to do. */
  hint?: string;
  /** A file, or a place in a project. */
  path?: string;
}

export interface Inspection {
  /** Absolute. */
  path: string;
  /** The likeliest first; none: nothing that can be read was found, and `notes` says what is there. */
  found: Recognised[];
  /** Where nothing was found; `notes` tell it too. */
  refused?: Refused[];
  notes: DataNote[];
}
