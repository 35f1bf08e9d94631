/**
 * Everything that can be asked of data, by name: answered in the worker that the service keeps for it (`service.data.ask`), or, for the command
 * line, in its own process (`askHere`). A new question is one function more here. Arguments and answers are plain data.
 */
import type { AnswerOf, ArgsOf, AskContext, AskOptions } from '../asks/ask.ts';
import type { DoctorReport } from '../contract/data/doctor.ts';
import type { ImportState } from '../contract/data/import.ts';
import type { Inspection } from '../contract/data/inspect.ts';
import type { CachedPack, Recipe } from '../contract/data/recipes.ts';
import type { TablePage } from '../contract/data/table.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import type { ResolvedSource, ResolvedSplit } from '../contract/project.ts';
import type { DataFacts, PartName } from '../contract/tensors.ts';
import type { ProjectPreview } from '../contract/wire.ts';
import { lazyAddon } from '../native/lazy.ts';
import { SettingsFile } from '../settings.ts';
import { cacheDir } from '../workspace.ts';
import { clearPacks, listPacks, removePacks } from './cache.ts';
import { describeSource } from './describe.ts';
import { examineData } from './doctor/examine.ts';
import { importState } from './import-state.ts';
import { hasSample, sampleName } from './mark-effects.ts';
import { type DataPack, type PackProgress, packSource } from './pack.ts';
import { Previews, type WantedDraws, type WantedSamples } from './preview.ts';
import { type Fetched, fetchRecipe } from './recipes/fetch.ts';
import { listRecipes } from './recipes/recipes.ts';
import { inspectPath } from './recognise/inspect.ts';
import { openSource } from './source.ts';
import type { WantedRows } from './table/view.ts';

export interface DataContext extends AskContext {
  /** libtorch is loaded when something of it is used. */
  addon: Addon;
  cacheDir: string;
}

/** A source as a project names it: relative paths are of `baseDir`. `split` absent: as a project that says nothing of it. */
export interface OfSource {
  source: ResolvedSource;
  baseDir: string;
  split?: ResolvedSplit;
}

/** What was read for the last previews stays for the next. */
const previews = new Previews((source, baseDir, { split }, signal) =>
  packSource(source, baseDir, { addon: lazyAddon, cacheDir: cacheDir(), split, ...(signal ? { signal } : {}) }),
);

const dataAsks = {
  inspect: ({ path }: { path: string }, { signal, onProgress }: DataContext): Promise<Inspection> =>
    inspectPath(path, { signal, onProgress }),

  describe: ({ source, baseDir, split }: OfSource): Promise<DataFacts> =>
    describeSource(source, baseDir, split ? { split } : undefined),

  preview: (
    {
      source,
      baseDir,
      split,
      transforms,
      wanted,
    }: OfSource & {
      transforms: unknown[];
      wanted: WantedSamples & WantedDraws;
    },
    { signal }: DataContext,
  ): Promise<ProjectPreview> =>
    previews.preview(source, baseDir, transforms, wanted, signal, split ? { split } : undefined),

  pack: async (
    { source, baseDir, split, out }: OfSource & { out?: string },
    { addon, cacheDir: cache, signal, onProgress }: DataContext,
  ): Promise<DataPack> =>
    packSource(source, baseDir, {
      addon,
      cacheDir: cache,
      signal,
      mostBytes: await new SettingsFile().cacheBytes(),
      onProgress: (progress) => onProgress(taskOf(progress)),
      ...(out === undefined ? {} : { out }),
      ...(split ? { split } : {}),
    }),

  /** Columns and a page of rows of a source that is a table. */
  table: async (
    { source, baseDir, wanted }: OfSource & { wanted: WantedRows },
    { signal }: DataContext,
  ): Promise<TablePage> => (await import('./table/view.ts')).tableView(source, baseDir, wanted, signal),

  /** Whether the data are packed as they are now. */
  state: ({ source, baseDir, split }: OfSource, { cacheDir: cache }: DataContext): Promise<ImportState> =>
    importState(source, baseDir, split ? { split } : undefined, cache),

  /** What the data say of themselves, how a part calls the sample of that name (null: it has none), and what its first one is called. */
  sample: async ({ source, baseDir, split, part, name }: OfSource & { part: PartName; name: string }) => {
    const context = split ? { split } : undefined;
    const opened = await openSource(source, baseDir, context);
    const facts = await describeSource(source, baseDir, context);
    const first = (opened.parts[part] ?? 0) > 0 ? sampleName(opened, part, 0) : null;
    // A row of a table may be called by its bare number.
    const sample = [name, `row ${name}`].find((each) => hasSample(opened, part, each)) ?? null;
    return { facts, sample, first };
  },

  /** `text`: the whole project. */
  doctor: ({ text, baseDir }: { text: string; baseDir: string }, context: DataContext): Promise<DoctorReport> =>
    examineData(text, baseDir, context),

  cache: (_nothing: object, { cacheDir: cache, signal }: DataContext): Promise<CachedPack[]> =>
    listPacks(cache, signal),

  uncache: ({ keys }: { keys: string[] }, { cacheDir: cache }: DataContext): Promise<{ bytes: number }> =>
    removePacks(cache, keys),

  clear: (_nothing: object, { cacheDir: cache }: DataContext): Promise<{ bytes: number }> => clearPacks(cache),

  recipes: ({ home }: { home: string }): Promise<Recipe[]> => listRecipes(home),

  /** Into the workspace `home`. */
  fetch: ({ name, home }: { name: string; home: string }, { signal, onProgress }: DataContext): Promise<Fetched> =>
    fetchRecipe(name, home, { signal, onProgress }),
};

export type DataAsks = typeof dataAsks;

function taskOf({ file, done, total, seconds_left }: PackProgress) {
  const stage = file === null ? 'importing' : `importing ${file}`;
  return { stage, done, total, ...(seconds_left === null ? {} : { seconds_left }), ...(file === null ? {} : { file }) };
}

/** @throws GradloomError what the ask throws */
export async function answerData(name: string, args: unknown, context: AskContext): Promise<unknown> {
  if (!Object.hasOwn(dataAsks, name)) throw new GradloomError('BAD_CALL', `Nothing is known of ${name}`);
  const ask = dataAsks[name as keyof DataAsks] as (args: unknown, context: DataContext) => Promise<unknown>;
  return ask(args, { ...context, addon: lazyAddon, cacheDir: cacheDir() });
}

/** In this process. */
export function askHere<Name extends keyof DataAsks>(
  name: Name,
  args: ArgsOf<DataAsks, Name>,
  { signal, onProgress }: AskOptions = {},
): Promise<AnswerOf<DataAsks, Name>> {
  const context = { signal: signal ?? new AbortController().signal, onProgress: onProgress ?? (() => {}) };
  return answerData(name, args, context) as Promise<AnswerOf<DataAsks, Name>>;
}
