/** The engine as a window meets it: the service and its helpers, and the router that answers the calls of the wire. */
import path from 'node:path';
import type { StandardRPCHandlerOptions } from '@orpc/server/standard';
import { rootDir } from '../../native/setup/paths.mjs';
import { DeviceReports } from '../devices.ts';
import { readSomeWeights } from '../export/weights.ts';
import { Kept } from '../kept.ts';
import { Places } from '../places.ts';
import type { ProcessHost } from '../processes.ts';
import { ProjectFiles } from '../project-files.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { RunList } from '../runs/run-list.ts';
import { Service } from '../service.ts';
import { SettingsFile } from '../settings.ts';
import { Uploads } from '../uploads.ts';
import { workspaceDir } from '../workspace.ts';
import { aboutCalls, settingsCalls } from './about.ts';
import { dataCalls } from './data.ts';
import { deviceCalls } from './devices.ts';
import { toWire } from './errors.ts';
import { fileCalls } from './files.ts';
import { keepCalls } from './keep.ts';
import { lookCall } from './look.ts';
import { type Parts, wire } from './parts.ts';
import { projectCalls } from './projects.ts';
import { runCalls } from './runs.ts';
import { TaskBoard } from './task-board.ts';
import { taskCalls } from './tasks.ts';

export interface EngineOptions {
  processes: ProcessHost;
  /** Absent: `dist/worker.js`. */
  workerEntry?: string;
  /** Files are reached below this folder and the workspace only; null: anywhere. */
  root: string | null;
  /** Is told of faults that nobody has foreseen. */
  log: (text: string) => void;
}

export type Router = ReturnType<typeof routerOf>;

export interface Engine {
  router: Router;
  /** For an RPCHandler of whichever transport: errors cross the wire as `ErrorInfo`. */
  handlerOptions: StandardRPCHandlerOptions<Record<never, never>>;
  service: Service;
  /** Lets every run save and end, and what is being saved of projects. */
  close(): Promise<void>;
}

export function openEngine({ processes, workerEntry, root, log }: EngineOptions): Engine {
  const home = workspaceDir();
  const runList = new RunList(home);
  const service = new Service({
    processes,
    workerEntry: workerEntry ?? path.join(rootDir(), 'dist', 'worker.js'),
    onChange: (run) => runList.wake(run),
    ...(root === null ? {} : { reach: { root, also: [home] } }),
  });
  const projects = new ProjectFiles();
  const kept = new Kept(home);
  const uploads = new Uploads(home, { check: readSomeWeights });
  const parts: Parts = {
    home,
    service,
    settings: new SettingsFile(home),
    projects,
    kept,
    uploads,
    places: new Places(root, [home]),
    devices: new DeviceReports(() => service.describeDevices()),
    runList,
    tasks: new TaskBoard(),
    liveRuns: new LiveRuns((folder) => service.progressOf(folder)),
  };
  const onError = (thrown: unknown, call: readonly string[]) =>
    toWire(thrown, (error) => log(`${call.join('.')}: ${error instanceof Error ? error.stack : String(error)}`));
  return {
    router: routerOf(parts),
    handlerOptions: {
      clientInterceptors: [
        async ({ next, path: call, signal }) => {
          try {
            return await next();
          } catch (thrown) {
            if (signal?.aborted) throw thrown; // nobody waits for the answer any more
            throw onError(thrown, call);
          }
        },
      ],
    },
    service,
    close: async () => {
      await Promise.all([service.close(), projects.settled(), kept.settled(), uploads.close()]);
    },
  };
}

function routerOf(parts: Parts) {
  return wire.router({
    about: aboutCalls(parts),
    settings: settingsCalls(parts),
    projects: projectCalls(parts),
    keep: keepCalls(parts),
    data: dataCalls(parts),
    devices: deviceCalls(parts),
    runs: runCalls(parts),
    files: fileCalls(parts),
    ...taskCalls(parts),
    look: lookCall(parts),
  });
}
