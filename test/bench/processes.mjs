// @ts-check
/** What CPU time processes use: a browser's by its own account, others' from /proc. Elsewhere than on Linux nothing is known of those. */
import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * @param {string} folder of a process or a thread in /proc
 * @returns {number | null} CPU seconds so far; null: it has ended, or the system does not tell
 */
function timeOf(folder) {
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    // Behind the name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return null;
  }
}

/** @param {number} pid */
export const processTime = (pid) => timeOf(`/proc/${pid}`);

/**
 * Of the thread in which a Node process runs its JavaScript.
 * @param {number} pid
 */
export const mainThreadTime = (pid) => timeOf(`/proc/${pid}/task/${pid}`);

/**
 * CPU seconds so far of each process of a browser: of the first one, of renderers, of the one that draws, of services.
 * @param {import('playwright-core').BrowserContext} context
 * @returns {Promise<Map<number, { part: string, cpu: number }>>} by process
 */
export async function browserTimes(context) {
  const browser = context.browser();
  if (!browser) throw new Error('The context has no browser of its own');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return new Map(processInfo.map(({ type, id, cpuTime }) => [id, { part: partOf(type), cpu: cpuTime }]));
}

/** @param {string} type as Chromium tells it */
function partOf(type) {
  return ['browser', 'renderer', 'GPU'].includes(type) ? type : 'services';
}

/**
 * CPU seconds by part between two looks.
 * @param {Awaited<ReturnType<typeof browserTimes>>} before
 * @param {Awaited<ReturnType<typeof browserTimes>>} after
 * @returns {Map<string, number>}
 */
export function browserBetween(before, after) {
  const byPart = new Map();
  for (const [pid, { part, cpu }] of after) {
    byPart.set(part, (byPart.get(part) ?? 0) + Math.max(0, cpu - (before.get(pid)?.cpu ?? 0)));
  }
  return byPart;
}
