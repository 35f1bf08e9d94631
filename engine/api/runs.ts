/** `runs`: listed, followed, started, steered, and looked after. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { frameMs, waitMs } from '../contract/api.ts';
import { GradloomError } from '../contract/errors.ts';
import { readProject, resolveProject } from '../contract/project.ts';
import { pathsOf } from '../contract/sources.ts';
import { bytes } from '../format.ts';
import { readAutopsy } from '../runs/autopsy.ts';
import { listTrash, renameRun, restoreRun, trashRun, writeNotes } from '../runs/care.ts';
import { exportedFile, runDetails } from '../runs/details.ts';
import { planExtension } from '../runs/extension.ts';
import { findRun, isRun } from '../runs/folder.ts';
import { forceStop } from '../runs/force.ts';
import { sendRequest } from '../runs/live.ts';
import type { WeightsRequest } from '../runs/starting-weights.ts';
import { runsDir } from '../workspace.ts';
import { type Parts, wire } from './parts.ts';

/** A larger file does not fit into one message. */
const largestDownload = 1 << 30;

export function runCalls(parts: Parts) {
  const { home, liveRuns, places, runList, service, settings } = parts;
  const calls = wire.runs;

  /** By its folder, or by its name in the workspace; never relative to wherever this process stands. */
  const reach = async (run: string): Promise<string> => {
    const plain = path.basename(run) === run && run !== '..';
    return findRun(await places.reach(plain ? path.join(runsDir(home), run) : run));
  };
  /** A change that the list of runs shows at once. */
  const changing = async <T>(run: string, work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await reach(run);
    try {
      return await work(folder);
    } finally {
      runList.wake(folder);
    }
  };

  return {
    watch: calls.watch.handler(({ input, signal }) => runList.watch(input.seen, waitMs, signal)),
    details: calls.details.handler(async ({ input }) => runDetails(await reach(input.run))),
    autopsy: calls.autopsy.handler(async ({ input }) => readAutopsy(await reach(input.run))),
    start: calls.start.handler(async ({ input: { file, text, ...given } }) => {
      const projectFile = await places.reach(file);
      const { device, threads } = await settings.read();
      const wanted = await reachableProject(text, projectFile, parts);
      const { run } = await service.train({
        projectFile,
        projectText: text,
        ...(await reachableWeights(given, projectFile, parts)),
        ...(device !== null && wanted.device === 'auto' ? { device } : {}),
        ...(threads === null ? {} : { threads }),
      });
      return { run };
    }),
    resume: calls.resume.handler(async ({ input: { run, ...options } }) => {
      const started = await changing(run, (folder) => service.resume({ run: folder, ...options }));
      return { run: started.run };
    }),
    act: calls.act.handler(async ({ input: { run, action } }) => ({
      status: await changing(run, (folder) => service.act(folder, action)),
    })),
    forceStop: calls.forceStop.handler(async ({ input: { run } }) => ({
      status: await changing(run, (folder) => forceStop(folder)),
    })),
    extension: calls.extension.handler(async ({ input: { run, epochs } }) => planExtension(await reach(run), epochs)),
    snapshot: calls.snapshot.handler(async ({ input }) => {
      const { snapshot } = await changing(input.run, (folder) => sendRequest(folder, { action: 'snapshot' }));
      return snapshot as NonNullable<typeof snapshot>;
    }),
    set: calls.set.handler(async ({ input: { run, ...change } }) => {
      const answer = await changing(run, (folder) => sendRequest(folder, { action: 'set', ...change }));
      return answer.change as NonNullable<typeof answer.change>;
    }),
    follow: calls.follow.handler(async ({ input: { run, points, cursor, gap = 0 }, signal }) =>
      liveRuns.follow(await reach(run), points, cursor, { gap: Math.max(frameMs, gap), ...(signal ? { signal } : {}) }),
    ),
    series: calls.series.handler(async ({ input: { run, from, to, points } }) =>
      liveRuns.series(await reach(run), from, to, points),
    ),
    evaluate: calls.evaluate.handler(async ({ input: { run, ...options }, signal }) =>
      service.evaluate(await reach(run), { ...options, ...(signal ? { signal } : {}) }),
    ),
    rename: calls.rename.handler(async ({ input: { run, name } }) => ({
      run: await changing(run, (folder) => renameRun(folder, name)),
    })),
    note: calls.note.handler(({ input: { run, notes } }) => changing(run, (folder) => writeNotes(folder, notes))),
    remove: calls.remove.handler(async ({ input }) => ({
      trashed: await changing(input.run, (folder) => trashRun(folder, home)),
    })),
    trash: calls.trash.handler(() => listTrash(home)),
    restore: calls.restore.handler(async ({ input }) => {
      const run = await restoreRun(input.trashed, home);
      runList.wake(run);
      return { run };
    }),
    export: calls.export.handler(async ({ input: { run, ...options }, signal }) => {
      if (options.out !== undefined) await places.reach(options.out);
      const exported = await service.exportRun(await reach(run), { ...options, ...(signal ? { signal } : {}) });
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
export async function reachableProject(text: string, file: string, { places }: Parts) {
  const { data, model, training } = resolveProject(readProject(text).project ?? {});
  const base = path.dirname(file);
  for (const { path: given } of data.source ? pathsOf(data.source) : []) await places.reach(path.resolve(base, given));
  if (model.weights !== null) await places.reach(path.resolve(base, model.weights));
  return training;
}

/** Weights to start from: a run by its name, or a file or run folder, relative to the project's file. @throws GradloomError NOT_READABLE */
export async function reachableWeights(
  given: WeightsRequest,
  file: string,
  { home, places }: Parts,
): Promise<WeightsRequest> {
  const { weights } = given;
  if (weights === undefined) return given;
  const named = path.join(runsDir(home), weights);
  const plain = path.basename(weights) === weights && isRun(named);
  return { ...given, weights: await places.reach(plain ? named : path.resolve(path.dirname(file), weights)) };
}
