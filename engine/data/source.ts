/** The table of data sources on the engine's side: one row a kind. Those with libraries of their own are loaded when they are opened. */
import { type ResolvedSource, resolveProject } from '../contract/project.ts';
import { openNpySource } from './arrays/source.ts';
import { openCifar } from './cifar/source.ts';
import { openIdxSource } from './idx/source.ts';
import type { OpenContext, OpenSource } from './open-source.ts';
import { openPackedSource } from './packed/source.ts';
import { openRandomSource } from './random-source.ts';
import { openToySource } from './toys/source.ts';

type Opener<Kind extends ResolvedSource['kind']> = (
  settings: Extract<ResolvedSource, { kind: Kind }>,
  baseDir: string,
  context: OpenContext,
) => Promise<OpenSource>;

/** Sources whose libraries the service must not load: `images: async (...given) => (await import('./images/source.ts')).open…(...given)`. */
const kinds: { [Kind in ResolvedSource['kind']]: Opener<Kind> } = {
  idx: openIdxSource,
  image_folder: async (settings, base) => (await import('./images/folder-source.ts')).openImageFolder(settings, base),
  image_csv: async (settings, base) => (await import('./images/csv-source.ts')).openImageCsv(settings, base),
  image_mask: async (settings, base) => (await import('./images/mask-source.ts')).openImageMask(settings, base),
  cifar: openCifar,
  npy: openNpySource,
  pack: openPackedSource,
  random: openRandomSource,
  series: async (...given) => (await import('./series/source.ts')).openSeriesSource(...given),
  table: async (...given) => (await import('./table/source.ts')).openTableSource(...given),
  text: async (settings, base) => (await import('./text/source.ts')).openTextSource(settings, base),
  labelled_text: async (settings, base) => (await import('./text/labelled-source.ts')).openLabelledText(settings, base),
  toy: openToySource,
};

/** As a project that says nothing of its split. */
export function defaultContext(): OpenContext {
  return { split: resolveProject({}).data.split };
}

/** Opens a source; relative paths are taken from `baseDir`. */
export async function openSource(
  source: ResolvedSource,
  baseDir: string,
  context: OpenContext = defaultContext(),
): Promise<OpenSource> {
  return (kinds[source.kind] as Opener<typeof source.kind>)(source as never, baseDir, context);
}
