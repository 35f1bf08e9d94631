// @ts-check
/** Runs a program and measures it from outside: peak memory of its whole process tree, and how busy others kept the machine. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const sampleMs = 100;

/**
 * @typedef {object} Measured
 * @property {number} started Unix seconds
 * @property {number} seconds wall
 * @property {number | null} peak bytes of resident memory of the process and its descendants; a shared page counts once in all
 * @property {number | null} foreign processors kept busy by others, on average
 * @property {string} stdout
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, onLine?: (line: string) => void }} [options]
 * @returns {Promise<Measured>}
 */
export function measure(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const before = machineBusy();
    const child = spawn(command, args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let pending = '';
    let peak = 0;
    let own = 0;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) options.onLine?.(line);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const timer = setInterval(() => {
      const tree = processTree(child.pid ?? 0);
      peak = Math.max(peak, tree.bytes);
      own = Math.max(own, tree.ticks);
    }, sampleMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      if (code !== 0) return reject(new Error(`${command} ${args.join(' ')} ended with code ${code}\n${stderr}`));
      const seconds = (Date.now() - started) / 1000;
      const after = machineBusy();
      const foreign = before === null || after === null ? null : Math.max(0, (after - before - own) / 100 / seconds);
      resolve({ started: started / 1000, seconds, peak: peak || null, foreign, stdout });
    });
  });
}

/** Processor ticks (1/100 s) that the machine has been busy since it started; null where there is no /proc. */
function machineBusy() {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
      readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1).map(Number) ?? [];
    return user + nice + system + irq + softirq;
  } catch {
    return null;
  }
}

/**
 * @param {number} root
 * @returns {{ bytes: number, ticks: number }} `ticks` with those of descendants that have ended
 */
function processTree(root) {
  /** @type {Map<number, { parent: number, bytes: number, ticks: number }>} */
  const all = new Map();
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return { bytes: 0, ticks: 0 };
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15).map(Number);
      all.set(Number(name), {
        parent: Number(fields[1]),
        bytes: Number(fields[21]) * 4096,
        ticks: utime + stime + cutime + cstime,
      });
    } catch {
      // it has just ended
    }
  }
  let bytes = 0;
  let ticks = 0;
  for (const [pid, entry] of all) {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) {
      if (at !== root) continue;
      bytes += proportionalBytes(pid) ?? entry.bytes;
      ticks += entry.ticks;
      break;
    }
  }
  return { bytes, ticks };
}

/**
 * A process's share of the memory it sits in, so that pages of forked workers and of libraries are not counted twice.
 * @param {number} pid
 */
function proportionalBytes(pid) {
  try {
    const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return found === undefined ? null : Number(found) * 1024;
  } catch {
    return null;
  }
}

/**
 * @param {number[]} values
 * @returns {number} NaN for none
 */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
