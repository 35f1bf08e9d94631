/**
 * The wire's calls about data. Those that take long answer when they are done, end when their signal aborts, and tell by `tasks.progress` how
 * far they are to whoever gave a `task`.
 */
import { oc } from '@orpc/contract';
import { z } from 'zod';
import type { DoctorReport } from './data/doctor.ts';
import type { Imported, ImportState } from './data/import.ts';
import type { Inspection } from './data/inspect.ts';
import { type Mark, markChangeSchema } from './data/marks.ts';
import type { CachedPack, Recipe } from './data/recipes.ts';
import type { TablePage } from './data/table.ts';
import type { JsonObject } from './report.ts';
import { partNames } from './tensors.ts';
import type { ProjectPreview } from './wire.ts';

/** Made whole by the engine. */
const made = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

const source = z.record(z.string(), z.unknown());
const task = z.string().min(1).exactOptional();
/** Of the open project, saved or not; relative paths are relative to `file`. */
const ofProject = z.object({ file: z.string(), source });
/** A whole project, whose split and transforms count too. */
const wholeProject = z.object({ file: z.string(), text: z.string(), task });

export const dataCalls = {
  /** The digits that come with the program, copied into the workspace; answers their folder. */
  digits: oc.output(z.object({ folder: z.string() })),
  /** What lies at a path, and what it could be read as. */
  inspect: oc.input(z.object({ path: z.string(), task })).output(made<Inspection>()),
  /** What the source says of itself, and samples of it. */
  preview: oc
    .input(
      ofProject.extend({
        /** The project's: tables are encoded, and Normalize is fitted, as its training part says. */
        split: z.unknown().optional(),
        transforms: z.array(z.unknown()),
        part: z.enum(partNames),
        start: z.number().int().min(0),
        /** 0: facts only. */
        count: z.number().int().min(0).max(4096),
        /** Only samples of this class. */
        class: z.number().int().exactOptional(),
        /** Only samples whose name holds this. */
        search: z.string().exactOptional(),
        /** Only marked samples. */
        marked: z.boolean().exactOptional(),
        /** These of the part, whatever else is asked for; `start` and `count` do not count then. */
        indices: z.array(z.number().int().min(0)).max(256).exactOptional(),
        /** Only samples of this split, as `split` divides the part. */
        within: z.enum(partNames).exactOptional(),
        /** Whether each sample is told with its splits. */
        splits: z.boolean().exactOptional(),
        /** Transforms that draw: as training sees the sample in this epoch (from 0); absent: as evaluation does. */
        epoch: z.number().int().min(0).exactOptional(),
        seed: z.number().int().min(0).exactOptional(),
        /** Pictures come as `thumbs` of at most so many pixels a side, without their values. */
        thumbs: z.number().int().min(8).max(1024).exactOptional(),
      }),
    )
    .output(made<ProjectPreview>()),
  /** Packs the project's data, so that a run starts at once. */
  import: oc.input(wholeProject).output(made<Imported>()),
  /** Whether the project's data are packed. */
  imported: oc.input(wholeProject.omit({ task: true })).output(made<ImportState>()),
  doctor: oc.input(wholeProject).output(made<DoctorReport>()),
  /** A page of the source's table. `search`: only rows with a cell that holds this. */
  table: oc
    .input(
      ofProject.extend({
        start: z.number().int().min(0),
        count: z.number().int().min(0).max(500),
        search: z.string().exactOptional(),
        sort: z.object({ column: z.string(), down: z.boolean() }).exactOptional(),
      }),
    )
    .output(made<TablePage>()),
  marks: {
    list: oc.input(ofProject).output(made<{ marks: Mark[]; file: string }>()),
    set: oc.input(ofProject.extend({ changes: z.array(markChangeSchema) })).output(made<{ marks: Mark[] }>()),
  },
  recipes: oc.output(made<Recipe[]>()),
  /** Fetches a recipe's files into the workspace; answers the source that reads them. */
  fetch: oc.input(z.object({ name: z.string(), task })).output(made<{ source: JsonObject; folder: string }>()),
  cache: {
    list: oc.output(made<CachedPack[]>()),
    remove: oc.input(z.object({ keys: z.array(z.string()) })).output(z.object({ bytes: z.number() })),
  },
};
