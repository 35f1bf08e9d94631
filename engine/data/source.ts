/** The table of data sources on the engine's side: one row a kind. */
import { type ResolvedSource, resolveProject } from '../contract/project.ts';
import type { DataFacts, TargetType } from '../contract/tensors.ts';
import { openIdxSource } from './idx/source.ts';
import type { OpenContext, OpenSource } from './open-source.ts';
import { openRandomSource } from './random-source.ts';

type Opener<Kind extends ResolvedSource['kind']> = (
  settings: Extract<ResolvedSource, { kind: Kind }>,
  baseDir: string,
  context: OpenContext,
) => Promise<OpenSource>;

const kinds: { [Kind in ResolvedSource['kind']]: Opener<Kind> } = {
  idx: openIdxSource,
  random: openRandomSource,
};

/** Opens a source; relative paths are taken from `baseDir`. `context` absent: as a project that says nothing of its split. */
export async function openSource(
  source: ResolvedSource,
  baseDir: string,
  context: OpenContext = { split: resolveProject({}).data.split },
): Promise<OpenSource> {
  return (kinds[source.kind] as Opener<typeof source.kind>)(source as never, baseDir, context);
}

/**
 * What a source says of itself: shapes, classes, samples per part. Reads headers and labels, never the inputs.
 * Throws DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, LABEL_RANGE, NOT_READABLE.
 */
export async function describeSource(
  source: ResolvedSource,
  baseDir: string,
  context?: OpenContext,
): Promise<DataFacts> {
  const open = await openSource(source, baseDir, context);
  return factsOf(open, await open.target());
}

export function factsOf(
  { columns, parts, tokens }: Pick<OpenSource, 'columns' | 'parts' | 'tokens'>,
  target: TargetType,
): DataFacts {
  const { dtype, shape: dims } = columns.input;
  if (dtype !== 'int64') return { input: { dims, dtype: 'float32' }, target, parts };
  const count = target.kind === 'next_token' ? target.tokens : tokens;
  return { input: { dims, dtype, ...(count === undefined ? {} : { tokens: count }) }, target, parts };
}
