// @ts-check
/** What a process and all that it has started use: CPU time and memory, from /proc. Elsewhere than on Linux nothing is known. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * @typedef {object} Usage
 * @property {number} cpu seconds so far
 * @property {number} rss bytes
 */

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
 * @param {number} root
 * @returns {Usage | null} null where the system does not tell
 */
export function usage(root) {
  if (process.platform !== 'linux') return null;
  const processes = all();
  const tree = [root];
  for (let i = 0; i < tree.length; i++) {
    for (const [pid, { parent }] of processes) if (parent === tree[i]) tree.push(pid);
  }
  let [ticks, rss] = [0, 0];
  for (const pid of tree) {
    ticks += processes.get(pid)?.cpu ?? 0;
    rss += 1024 * Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return { cpu: ticks / ticksPerSecond, rss };
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
