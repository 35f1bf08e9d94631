// @ts-check
/** What CPU time processes use, by process and by thread, from /proc. Elsewhere than on Linux nothing is known. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // the process has ended
  }
}

/**
 * @param {string} folder of a process or a thread
 * @returns {{ parent: number, cpu: number } | null}
 */
function statOf(folder) {
  const stat = read(`${folder}/stat`);
  // Behind the name, which may hold anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? { parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond } : null;
}

/** @returns {Map<number, { parent: number, cpu: number }>} */
function all() {
  const found = new Map();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(`/proc/${name}`) : null;
    if (stat) found.set(Number(name), stat);
  }
  return found;
}

/**
 * CPU seconds so far of a process and of each that it has started.
 * @param {number} root
 * @returns {Map<number, number> | null} by process; null where the system does not tell
 */
export function cpuTimes(root) {
  if (process.platform !== 'linux') return null;
  const processes = all();
  const tree = [root];
  for (let i = 0; i < tree.length; i++) {
    for (const [pid, { parent }] of processes) if (parent === tree[i]) tree.push(pid);
  }
  return new Map(tree.map((pid) => [pid, processes.get(pid)?.cpu ?? 0]));
}

/**
 * CPU seconds so far of the thread in which a Node process runs its JavaScript; null where the system does not tell.
 * @param {number} pid
 */
export function mainThreadTime(pid) {
  return process.platform === 'linux' ? (statOf(`/proc/${pid}/task/${pid}`)?.cpu ?? null) : null;
}

/**
 * CPU seconds between two looks, of the processes that were there at both.
 * @param {ReadonlyMap<number, number>} before
 * @param {ReadonlyMap<number, number>} after
 */
export function cpuBetween(before, after) {
  let sum = 0;
  for (const [pid, cpu] of before) sum += Math.max(0, (after.get(pid) ?? cpu) - cpu);
  return sum;
}

/**
 * What a process of Chromium is for: `browser`, `renderer`, `gpu-process`, `utility`, `zygote`.
 * @param {number} pid
 */
export function chromiumPart(pid) {
  const type = /--type=([\w-]+)/.exec(read(`/proc/${pid}/cmdline`) ?? '')?.[1];
  return type ?? 'browser';
}

/**
 * The browser's first process, found by its profile, which nothing else has.
 * @param {string} profile
 * @returns {number | null}
 */
export function processWith(profile) {
  if (process.platform !== 'linux') return null;
  for (const [pid, { parent }] of all()) {
    const command = read(`/proc/${pid}/cmdline`);
    if (command?.includes(profile) && !read(`/proc/${parent}/cmdline`)?.includes(profile)) return pid;
  }
  return null;
}
