/** What a row of the table of data sources says. */
import type { ResolvedSource } from '../project-types.ts';
import type { JsonObject } from '../report.ts';
import type { Row } from '../table.ts';
import type { DataFacts } from '../tensors.ts';

export interface SourceKind extends Row {
  /** What is known of the data from the parameters alone; absent: its files must be read. */
  facts?(source: ResolvedSource): DataFacts;
  /** Little is read to describe it, and by our own code alone: no process of its own is wanted for that. */
  light?: true;
  /** Whether its files are a table, which can be looked at by columns and rows. */
  isTable?: true;
  /** Its values are encoded as the samples that train say: another split makes another pack. */
  fitted?: true;
  /** Its samples are pictures, of which a run can predict more; `files`: its settings say how those are read. */
  images?: 'files' | 'arrays';
  /** What a new one must say, where a parameter has no default. */
  begin?: JsonObject;
  /** The parameter whose choices are told apart by a picture of what is drawn. */
  pictured?: string;
}
