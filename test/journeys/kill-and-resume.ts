/** Trains, kills the process without warning at given moments, resumes, until the run is complete. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { run, start } from './command-line.ts';

/** After how many milliseconds of each life the process is killed, counted from its `start` event; negative: before it, from the launch. */
export async function trainKilled(
  project: string,
  folder: string,
  home: string,
  deaths: number[],
  trainWords: string[] = [],
): Promise<number> {
  const words = () =>
    existsSync(path.join(folder, 'project.json'))
      ? ['resume', folder]
      : ['train', project, '--run', folder, ...trainWords];
  let kills = 0;
  for (const after of deaths) {
    const life = start(words(), home);
    if (after < 0) await sleep(-after);
    else {
      await life.until(({ type }) => type === 'start' || type === 'end').catch(() => {});
      await sleep(after);
    }
    life.child.kill('SIGKILL');
    const { signal, stderr } = await life.exit;
    if (signal === null) expect([life.events.at(-1)?.type, stderr]).toEqual(['end', expect.any(String)]);
    else kills += 1;
  }
  const last = await run(words(), home);
  expect([last.code, last.events.at(-1)]).toMatchObject([0, { type: 'end', status: 'completed' }]);
  return kills;
}
