/** `runs`: listed, followed, started, steered, and looked after. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { waitMs } from '../contract/api.ts';
import { GradloomError } from '../contract/errors.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { bytes } from '../format.ts';
import { renameRun, restoreRun, trashRun, writeNotes } from '../runs/care.ts';
import { exportedFile, runDetails } from '../runs/details.ts';
import { findRun } from '../runs/folder.ts';
import { type Parts, wire } from './parts.ts';

/** A larger file does not fit into one message. */
const largestDownload = 1 << 30;

export function runCalls(parts: Parts) {
  const { home, liveRuns, places, runList, service, settings } = parts;
  const calls = wire.runs;

  /** Changes that the list of runs shows at once. */
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      runList.wake();
    }
  };
  const reach = async (run: string): Promise<string> => places.reach(await findRun(run, home));

  return {
    watch: calls.watch.handler(({ input, signal }) => runList.watch(input.seen, waitMs, signal)),
    details: calls.details.handler(async ({ input }) => runDetails(await reach(input.run))),
    start: calls.start.handler(async ({ input: { file, text } }) => {
      const projectFile = await places.reach(file);
      const { device, threads } = await settings.read();
      const wanted = await reachableProject(text, projectFile, parts);
      const { run } = await changing(
        service.train({
          projectFile,
          projectText: text,
          ...(device !== null && wanted.device === 'auto' ? { device } : {}),
          ...(threads === null ? {} : { threads }),
        }),
      );
      return { run };
    }),
    resume: calls.resume.handler(async ({ input: { run, ...options } }) => {
      const started = await changing(service.resume({ run: await reach(run), ...options }));
      return { run: started.run };
    }),
    act: calls.act.handler(async ({ input: { run, action } }) => ({
      status: await changing(service.act(await reach(run), action)),
    })),
    follow: calls.follow.handler(async ({ input: { run, points, cursor }, signal }) =>
      liveRuns.follow(await reach(run), points, cursor, signal),
    ),
    series: calls.series.handler(async ({ input: { run, from, to, points } }) =>
      liveRuns.series(await reach(run), from, to, points),
    ),
    evaluate: calls.evaluate.handler(async ({ input: { run, ...options }, signal }) =>
      service.evaluate(await reach(run), { ...options, ...(signal ? { signal } : {}) }),
    ),
    rename: calls.rename.handler(async ({ input: { run, name } }) => ({
      run: await changing(renameRun(await reach(run), name)),
    })),
    note: calls.note.handler(async ({ input: { run, notes } }) => changing(writeNotes(await reach(run), notes))),
    remove: calls.remove.handler(async ({ input }) => ({
      trashed: await changing(trashRun(await reach(input.run), home)),
    })),
    restore: calls.restore.handler(async ({ input }) => ({ run: await changing(restoreRun(input.trashed, home)) })),
    export: calls.export.handler(async ({ input: { run, ...options } }) => {
      if (options.out !== undefined) await places.reach(options.out);
      const exported = await service.exportRun(await reach(run), options);
      return { ...exported, certificate: { ...exported.certificate } };
    }),
    download: calls.download.handler(async ({ input: { run, name } }) => {
      const file = await exportedFile(await reach(run), name);
      const { size } = await stat(file);
      if (size > largestDownload) {
        throw new GradloomError('NOT_SUPPORTED', `${name} is too large to be sent to a window: ${bytes(size)}`, {
          hint: 'Copy it from there by another program.',
          path: file,
        });
      }
      return openAsBlob(file);
    }),
  };
}

/** The project's data and weights must lie where this window may reach. @throws GradloomError NOT_READABLE, PROJECT_SYNTAX */
async function reachableProject(text: string, file: string, { places }: Parts) {
  const { data, model, training } = resolveProject(readProject(text).project ?? {});
  const base = path.dirname(file);
  if (data.source?.kind === 'idx') await places.reach(path.resolve(base, data.source.path));
  if (model.weights !== null) await places.reach(path.resolve(base, model.weights));
  return training;
}
