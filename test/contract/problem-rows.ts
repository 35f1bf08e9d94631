/** One row a project that cannot work, or not well, with all its problems in order. */
import type { DataFacts } from '../../engine/contract/tensors.ts';

export interface Row {
  name: string;
  project: unknown;
  facts?: DataFacts | null;
  /** `code path: message`, warnings with `(warning)` before; in order. */
  problems: string[];
}
