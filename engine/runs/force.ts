/** Ends a run whose process may have stopped answering: asked first, killed then. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GradloomError } from '../contract/errors.ts';
import type { RunState } from '../contract/events.ts';
import { replaceJson } from './durable.ts';
import { findRun } from './folder.ts';
import { isLive, livePid, sendAction } from './live.ts';
import { appendLog, errorLines } from './log.ts';
import { isLiveState } from './registry.ts';
import { readSummary, summaryName } from './summary.ts';

/** How long a live process may take to save and end by itself. */
const patienceMs = 5_000;
/** How long the system may take to end a killed one. */
const deathMs = 10_000;
const pollMs = 50;

/**
 * Stops a run, by force where its process does not answer in time; then it is `interrupted`, and goes on from its last checkpoint.
 * @throws GradloomError RUN_NOT_FOUND, RUN_NOT_LIVE, NOT_WRITABLE when the process belongs to somebody else, RUN_LOCKED when it does not die
 */
export async function forceStop(run: string, patience = patienceMs): Promise<RunState> {
  const folder = await findRun(run);
  const name = path.basename(folder);
  const asked = sendAction(folder, 'stop');
  const answer = await Promise.race([asked, sleep(patience, null)]);
  if (answer !== null) return answer;
  asked.catch(() => {}); // it ends without an answer
  const pid = await livePid(folder);
  if (pid === null) return 'interrupted'; // it has just ended
  if (pid === process.pid) throw new GradloomError('INTERNAL', `${name} is trained by the process that is to end it`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    throw new GradloomError('NOT_WRITABLE', `The process ${pid} of ${name} could not be ended by force`, {
      hint: 'It may belong to another user.',
      path: folder,
      cause: thrown,
    });
  }
  noteForce(folder, pid, patience);
  for (let waited = 0; waited < deathMs; waited += pollMs) {
    if (!(await isLive(folder))) return 'interrupted';
    await sleep(pollMs);
  }
  throw new GradloomError(
    'RUN_LOCKED',
    `The process ${pid} of ${name} was killed, but the system has not ended it yet`,
    {
      hint: 'It may wait for a disk or a device. The run can be resumed once it is gone.',
      path: folder,
    },
  );
}

/** At once, before whoever watches the process can take its death for one of too little memory. */
function noteForce(folder: string, pid: number, patience: number): void {
  const error = {
    code: 'WORKER_DIED' as const,
    message: `The process ${pid} did not answer for ${patience / 1000} seconds and was ended by force`,
    hint: 'The run can be resumed from its last checkpoint.',
  };
  const summary = readSummary(folder);
  if (!summary || !isLiveState(summary.status)) return;
  const noted = { ...summary, status: 'interrupted', error, updated: new Date().toISOString() };
  replaceJson(path.join(folder, summaryName), noted, { sync: false });
  appendLog(folder, errorLines(error));
}
