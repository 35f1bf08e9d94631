/** What a row of the table of data sources says. */
import type { ResolvedSource } from '../project-types.ts';
import type { Row } from '../table.ts';
import type { DataFacts } from '../tensors.ts';

export interface SourceKind extends Row {
  /** What is known of the data from the parameters alone; absent: its files must be read. */
  facts?(source: ResolvedSource): DataFacts;
}
