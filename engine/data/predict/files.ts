/** Files that a run has never seen, as samples for its network: each family of sources encodes its own. */

import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { NativeColumn } from '../../contract/native.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import type { JsonObject } from '../../contract/report.ts';
import { sources } from '../../contract/sources.ts';
import type { DataFacts } from '../../contract/tensors.ts';

export type StoredAs = Pick<NativeColumn, 'dtype' | 'scaled'>;

export interface FilesRequest {
  /** The run's own: its settings say how files are read. */
  source: ResolvedSource;
  /** As the run keeps it. */
  encoding: JsonObject | null;
  facts: DataFacts;
  /** How the run's own inputs are stored; undefined: it is of an older version. */
  stored: StoredAs | undefined;
  /** Absolute. */
  files: readonly string[];
  /** Takes the columns that are written. */
  folder: string;
  signal?: AbortSignal | undefined;
}

export interface FileSamples {
  count: number;
  input: NativeColumn;
  /** What a person calls each sample. */
  names: string[];
  notes: DataNote[];
  /** Files that cannot be read, each with its reason: the others are predicted all the same. */
  bad?: string[];
}

type Reader = (request: FilesRequest) => Promise<FileSamples>;

const images = async (): Promise<Reader> => (await import('../images/predict.ts')).imageSamples;

/** Of sources whose samples are no pictures. Loaded when such files are predicted. */
const readers: { [Kind in ResolvedSource['kind']]?: () => Promise<Reader> } = {
  table: async () => (await import('../table/predict.ts')).tableSamples,
  series: async () => (await import('../series/predict.ts')).seriesSamples,
};

/** The samples as a part of a native plan, with targets that mean nothing. @throws GradloomError NOT_SUPPORTED, DATA_*, NOT_READABLE, CANCELLED */
export async function samplesOf(request: FilesRequest): Promise<FileSamples> {
  const { kind } = request.source;
  const reader = sources.get(kind)?.images ? images : readers[kind];
  if (!reader) {
    throw new GradloomError('NOT_SUPPORTED', `Files of a source of kind ${kind} cannot be predicted.`, {
      hint: "Predict samples of the run's data: --split val --limit 10.",
    });
  }
  return (await reader())(request);
}
