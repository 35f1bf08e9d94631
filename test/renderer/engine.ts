/** The engine itself behind the window's client, in the same process: pages are tested against what really answers them. */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRouterClient } from '@orpc/server';
import { openEngine } from '../../engine/api/engine.ts';
import { askHere } from '../../engine/data/asks.ts';

export const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-window-'));
process.env.GRADLOOM_HOME = home;

const { router, service } = openEngine({
  // No run is started here.
  processes: {
    start: () => {
      throw new Error('no workers in this test');
    },
  },
  root: null,
  log: () => {},
});

// What is asked of data is read in this process, as the command line does it.
Object.assign(service.data, { ask: askHere });

const refusals = new Map<string, Error>();

/** The next call of this name, such as `projects.recent`, fails. */
export function refuseNext(call: string, why: Error): void {
  refusals.set(call, why);
}

/** What `renderer/client/client.ts` gives; a call that waits is not made. */
export const client = {
  engine: createRouterClient(router, {
    context: {},
    interceptors: [
      ({ path: call, next }) => {
        const why = refusals.get(call.join('.'));
        refusals.delete(call.join('.'));
        if (why) throw why;
        return next();
      },
    ],
  }),
  connection: { status: 'ready', onStatus: () => () => {}, ready: async () => {} },
  keepAsking: async () => {},
  retryMs: 10,
};
