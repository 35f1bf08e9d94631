// @ts-check
/** What CPU time a process and all that it has started use, from /proc. Elsewhere than on Linux nothing is known. */
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

/** @returns {Map<number, { parent: number, cpu: number }>} */
function all() {
  const found = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    // Behind the name, which may hold anything.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields) found.set(Number(name), { parent: Number(fields[1]), cpu: Number(fields[11]) + Number(fields[12]) });
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
  return new Map(tree.map((pid) => [pid, (processes.get(pid)?.cpu ?? 0) / ticksPerSecond]));
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
