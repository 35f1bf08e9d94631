/**
 * The wire: every call that a window may make of the engine service, over a MessagePort (Electron) or a WebSocket (browser shell).
 * Calls that wait (`watch`, `follow`) answer at the first change, or unchanged after `waitMs`; the window asks again when it has shown the
 * answer, so a slow window never has more than one undelivered frame, and a new connection goes on where the old one stopped.
 * Every call fails with an error whose `data` is an `ErrorInfo`.
 */
import { oc } from '@orpc/contract';
import { z } from 'zod';
import { dataCalls } from './api-data.ts';
import { keepCalls } from './api-keep.ts';
import { findCalls, lookCall, taskCalls, verifyCalls } from './api-tasks.ts';
import { blob, uploadCalls } from './api-upload.ts';
import { autopsySchema } from './autopsy.ts';
import { changeAnswerSchema, changeFields, snapshotAnswerSchema } from './control.ts';
import { errorInfoSchema } from './errors.ts';
import { numSchema, runActions, runStates } from './events.ts';
import type { GivenData } from './fit-data.ts';
import { editSchema } from './problems.ts';
import { summarySchema } from './summary.ts';
import { weightsReportSchema } from './weights.ts';
import type { DeviceReport, ExtensionPlan, RunDetails, TemplateCard } from './wire.ts';

/** Longest that a waiting call lasts. */
export const waitMs = 20_000;
/** Shortest time from one frame of a run to the next. */
export const frameMs = 100;

/** A typed value made by our own code on the other side. */
const made = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

const openProject = z.object({
  /** Absolute. */
  file: z.string(),
  text: z.string(),
  /** Of the text on disk; a save names the one that it started from. */
  revision: z.string(),
});
export type OpenProject = z.infer<typeof openProject>;

const recentProject = z.object({
  file: z.string(),
  /** The project's own name. */
  name: z.string(),
  /** ISO time of the last opening or save. */
  opened: z.string(),
  /** Whether the file is still there. */
  exists: z.boolean(),
});
export type RecentProject = z.infer<typeof recentProject>;

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** Threads of a run's computations, up to what `mostThreads` of the machine are; null: one a physical core. */
  threads: z.number().int().min(1).max(1024).nullable(),
  /** The device that a new run takes where its project says `auto`; null: the best there is. */
  device: z.string().nullable(),
  /** How much imported data the cache may keep, in GiB: those that were not used for the longest time go first; null: no limit. */
  cache_limit: z.number().gt(0).max(1_000_000).nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

const runRow = z.object({
  /** The folder's name: what a person calls the run. */
  name: z.string(),
  /** Absolute; names the run in every other call. */
  folder: z.string(),
  status: z.enum(runStates),
  summary: summarySchema.nullable(),
  notes: z.string(),
});
export type RunRow = z.infer<typeof runRow>;

const trashedRun = z.object({
  /** Absolute; what `restore` takes. */
  trashed: z.string(),
  name: z.string(),
  /** ISO time. */
  deleted: z.string(),
});
export type TrashedRun = z.infer<typeof trashedRun>;

/**
 * Part of a run's series, thinned: bucket i stands for `size` neighbouring steps. `values` holds, column after column and all of `buckets`
 * values each: `step`, `epoch` (fractional), `time` (seconds of training so far), then for each of `columns` its minimum, mean and maximum.
 * Values that a bucket does not have are NaN.
 */
const seriesSchema = z.object({
  columns: z.array(z.string()),
  buckets: z.number(),
  /** Steps a bucket; a power of two. */
  size: z.number(),
  /** Little-endian Float64 in base64: a Blob of its own would cost more than the few numbers that most frames hold. */
  values: z.string(),
});
export type SeriesWire = z.infer<typeof seriesSchema>;

const epochRow = z.record(z.string(), z.unknown());

/** What lies beyond a resume: computed, then given up. */
const ghostSchema = z.object({ from_step: z.number(), series: seriesSchema, epochs: z.array(epochRow) });

const followCursor = z.object({
  /** Changes when what came before no longer holds: a resume, another thinning. */
  life: z.string(),
  /** Buckets that the window has and that will not change any more. */
  buckets: z.number(),
  epochs: z.number(),
  notes: z.number(),
  /** Of the whole answer; equal: nothing has changed. */
  version: z.number(),
});
export type FollowCursor = z.infer<typeof followCursor>;

const noteSchema = z.object({
  time: z.string(),
  kind: z.enum(['state', 'checkpoint', 'snapshot', 'advice', 'error', 'resume', 'change', 'start', 'end']),
  message: z.string(),
  hint: z.string().exactOptional(),
  /** Of a checkpoint or snapshot: where it was saved; of a resume: where the run went on from; of a change: after which step it holds. */
  step: z.number().exactOptional(),
  /** Of a change: the new learning rate, the new last epoch. */
  lr: z.number().exactOptional(),
  epochs: z.number().exactOptional(),
});
export type RunNote = z.infer<typeof noteSchema>;

/** A run between two looks. With `reset` the window forgets what it has; otherwise `series` replaces what follows bucket `from`. */
const frameSchema = z.object({
  cursor: followCursor,
  reset: z.boolean(),
  from: z.number(),
  series: seriesSchema,
  ghosts: z.array(ghostSchema).exactOptional(),
  /** New epochs, as in the journal. */
  epochs: z.array(epochRow),
  notes: z.array(noteSchema),
  status: z.enum(runStates),
  /** While a run is prepared: what is done, and how far it is. */
  progress: z.object({ stage: z.string(), done: z.number(), total: z.number() }).nullable(),
  epoch: z.number(),
  total_epochs: z.number().nullable(),
  step: z.number(),
  steps_per_epoch: z.number().nullable(),
  samples_per_second: z.number().nullable(),
  /** Seconds until the end at the present rate; null while unknown or not running. */
  eta: z.number().nullable(),
  /** Seconds of training so far, pauses excluded. */
  seconds: z.number(),
  device: z.string().nullable(),
  /** Bytes; the newest known. */
  memory: z.object({ allocated: z.number(), reserved: z.number(), peak: z.number(), rss: z.number() }).nullable(),
  /** Seconds by phase of the newest epoch that tells them. */
  breakdown: z.record(z.string(), z.number()).nullable(),
  error: errorInfoSchema.nullable(),
});
export type FollowFrame = z.infer<typeof frameSchema>;

const run = z.object({ run: z.string() });
const checkpoint = z.union([z.enum(['best', 'last']), z.number()]);
const part = z.enum(['train', 'val', 'test']);

export const api = {
  about: oc.output(
    z.object({
      version: z.string(),
      libtorch: z.string().nullable(),
      platform: z.string(),
      /** The workspace. */
      home: z.string(),
      cache: z.string(),
      /** Files are picked below this folder; null: anywhere. */
      root: z.string().nullable(),
    }),
  ),

  settings: {
    get: oc.output(settingsSchema),
    set: oc.input(settingsSchema.partial()).output(settingsSchema),
  },

  projects: {
    templates: oc.output(z.array(made<TemplateCard>())),
    recent: oc.output(z.array(recentProject)),
    /** Takes it off the list; the file stays. */
    forget: oc.input(z.object({ file: z.string() })),
    /** The data of a project file, or of a folder, as a new project in the workspace would name them. */
    dataAt: oc.input(z.object({ from: z.string() })).output(made<GivenData>()),
    /**
     * In the workspace, from a template or (null) empty; `name` is made free by a number. `from`: with these data in place of the template's,
     * its network fitted to them.
     */
    create: oc
      .input(
        z.object({
          template: z.string().nullable(),
          name: z.string().exactOptional(),
          from: z.string().exactOptional(),
        }),
      )
      .output(openProject),
    open: oc.input(z.object({ file: z.string() })).output(openProject),
    /** STALE_REVISION when the file has changed since `revision`; `overwrite` saves over that. */
    save: oc
      .input(
        z.object({ file: z.string(), revision: z.string(), text: z.string(), overwrite: z.boolean().exactOptional() }),
      )
      .output(openProject),
    /**
     * What a run of the project would take of the weights it starts from, by their headers: those that the text names, or `weights` (a file or
     * a run) and a run's `checkpoint`. null: it starts afresh.
     */
    weights: oc
      .input(
        z.object({
          file: z.string(),
          text: z.string(),
          weights: z.string().exactOptional(),
          checkpoint: checkpoint.exactOptional(),
        }),
      )
      .output(weightsReportSchema.nullable()),
    /** A new file beside (or at) `file`, never over another: the name is made free by a number. */
    saveCopy: oc.input(z.object({ file: z.string(), text: z.string() })).output(openProject),
    /** Answers when the file's revision is no longer this one; null: the file is gone. */
    watch: oc
      .input(z.object({ file: z.string(), revision: z.string() }))
      .output(z.object({ revision: z.string().nullable() })),
  },

  keep: keepCalls,

  data: dataCalls,

  devices: {
    /** Asked once and remembered; `refresh` asks again. */
    list: oc.input(z.object({ refresh: z.boolean().exactOptional() })).output(made<DeviceReport>()),
  },

  runs: {
    /** Latest changed first. Answers when the list is no longer `seen` (at once where that is absent). */
    watch: oc
      .input(z.object({ seen: z.string().exactOptional() }))
      .output(z.object({ version: z.string(), runs: z.array(runRow) })),
    details: oc.input(run).output(made<RunDetails>()),
    /** Why it last stopped being finite; null: it never did. */
    autopsy: oc.input(run).output(autopsySchema.nullable()),
    /** Of the project as it is in the window, saved or not. Answers when the run has begun. */
    start: oc
      .input(
        z.object({
          file: z.string(),
          text: z.string(),
          /** In place of the project's `model.weights`: a file, or a run and one of its checkpoints. */
          weights: z.string().exactOptional(),
          checkpoint: checkpoint.exactOptional(),
        }),
      )
      .output(z.object({ run: z.string() })),
    resume: oc
      .input(
        run.extend({
          epochs: z.number().int().exactOptional(),
          device: z.string().exactOptional(),
          /** Changes to the run's project from here on, such as an autopsy's remedy; what a checkpoint cannot be gone on with is refused. */
          edits: z.array(editSchema).exactOptional(),
        }),
      )
      .output(z.object({ run: z.string() })),
    /** What `resume` with these epochs makes of the learning rate; nothing is started. */
    extension: oc.input(run.extend({ epochs: z.number().int().min(1).max(1_000_000) })).output(made<ExtensionPlan>()),
    act: oc.input(run.extend({ action: z.enum(runActions) })).output(z.object({ status: z.enum(runStates) })),
    /** Stops it, and ends its process by force where that does not answer within five seconds: then it is `interrupted`. */
    forceStop: oc.input(run).output(z.object({ status: z.enum(runStates) })),
    /** Of a live run: a checkpoint now that stays, while it goes on. */
    snapshot: oc.input(run).output(snapshotAnswerSchema),
    /** Of a live run, from its next step on: the learning rate, the last epoch. */
    set: oc.input(run.extend(changeFields)).output(changeAnswerSchema),
    /** `points`: how many buckets the window can show; it may get fewer, never more. */
    follow: oc
      .input(
        run.extend({
          points: z.number().int().min(16).max(8192),
          cursor: followCursor.nullable(),
          /** Milliseconds from the last frame to the next, at least; never less than `frameMs`. */
          gap: z.number().min(0).max(waitMs).exactOptional(),
        }),
      )
      .output(frameSchema),
    /** Steps `from` to `to` (inclusive) for a closer look. */
    series: oc
      .input(run.extend({ from: z.number(), to: z.number(), points: z.number().int().min(16).max(8192) }))
      .output(seriesSchema),
    evaluate: oc.input(run.extend({ split: part.exactOptional(), checkpoint: checkpoint.exactOptional() })).output(
      z.object({
        split: part,
        checkpoint: z.string(),
        samples: z.number(),
        loss: numSchema,
        metrics: z.record(z.string(), numSchema),
        confusion: z.array(z.array(z.number())).exactOptional(),
        label_confusion: z.array(z.array(z.array(z.number()))).exactOptional(),
        classes: z.array(z.string()).exactOptional(),
      }),
    ),
    rename: oc.input(run.extend({ name: z.string() })).output(z.object({ run: z.string() })),
    note: oc.input(run.extend({ notes: z.string() })),
    /** Out of the list, into the workspace's trash; a live run is refused. */
    remove: oc.input(run).output(z.object({ trashed: z.string() })),
    /** Deleted runs that `restore` brings back, the one deleted last first. */
    trash: oc.output(z.array(trashedRun)),
    restore: oc.input(z.object({ trashed: z.string() })).output(z.object({ run: z.string() })),
    /** `out` absent: into the run's own export folder. */
    export: oc
      .input(
        run.extend({
          format: z.string(),
          checkpoint: checkpoint.exactOptional(),
          out: z.string().exactOptional(),
        }),
      )
      .output(
        z.object({
          path: z.string(),
          format: z.string(),
          checkpoint: z.string(),
          replaced: z.boolean(),
          certificate: z.record(z.string(), z.unknown()),
        }),
      ),
    /** An exported file of the run's export folder, for a window whose files are on another machine. */
    download: oc.input(run.extend({ name: z.string() })).output(blob),
  },

  find: findCalls,
  verify: verifyCalls,
  tasks: taskCalls,
  look: lookCall,

  files: {
    upload: uploadCalls,
    /** Reads the headers of a weights file, so that one that is none is refused before it is chosen. */
    weights: oc.input(z.object({ file: z.string() })).output(z.object({ tensors: z.number() })),
    list: oc.input(z.object({ folder: z.string().nullable() })).output(
      z.object({
        folder: z.string(),
        parent: z.string().nullable(),
        entries: z.array(
          z.object({
            name: z.string(),
            path: z.string(),
            kind: z.enum(['folder', 'file']),
            size: z.number(),
            modified: z.string(),
          }),
        ),
      }),
    ),
  },
};
