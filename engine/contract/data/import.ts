/** What packing a project's data came to, and how what is packed stands to the data as they are now. */
import type { DataFacts } from '../tensors.ts';

/** A sample that could not be read and takes part in nothing. */
export interface LeftOut {
  part: string;
  name: string;
  reason: string;
}

export interface Imported {
  facts: DataFacts;
  bytes: number;
  hash: string;
  /** How many were left out, and at most `mostNamed` of them. */
  left_out?: { count: number; samples: LeftOut[] };
}

export interface ImportState {
  packed: boolean;
  /** They were packed, and have changed since. */
  changed?: boolean;
  /** Of what is packed. */
  bytes?: number;
  left_out?: { count: number; samples: LeftOut[] };
}
