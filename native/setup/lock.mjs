// @ts-check
/** A lock between processes by a file: safe when two set-ups start at once, given up when its holder dies. */
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const heartbeatMs = 2_000;
/** A holder elsewhere (another host or container on a shared cache) is taken for dead after this silence. */
const silenceMs = 60_000;

/**
 * @param {string} file
 * @returns {boolean} whether the lock file was left by a process that is gone
 */
function isStale(file) {
  let age;
  try {
    age = Date.now() - statSync(file).mtimeMs;
  } catch {
    return false; // just released
  }
  if (age > silenceMs) return true;
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8'));
    if (holder.host !== os.hostname() || holder.pid === process.pid) return false;
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}

/**
 * A process's own file, to be linked to where it shall stand: so that a lock appears with its content or not at all.
 * @param {string} mine
 */
function keepAlive(mine) {
  const now = new Date();
  try {
    utimesSync(mine, now, now);
  } catch {
    // At first; or another holder took a process that was halted for dead. Every text is different.
    writeFileSync(mine, JSON.stringify({ pid: process.pid, host: os.hostname(), id: randomUUID() }));
  }
}

/**
 * @param {string} mine
 * @param {string} name
 * @returns {boolean} whether nothing had that name
 */
function claim(mine, name) {
  try {
    linkSync(mine, name); // atomic: fails when the name exists
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Takes away the lock file with this text, and never another that has its name by now: only who holds the claim named after the text may do
 * it. A claim whose holder died is taken away in the same manner.
 * @param {string} file
 * @param {string} text
 * @param {string} mine
 */
function takeAway(file, text, mine) {
  const claimed = `${file}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (claim(mine, claimed)) {
    if (textOf(file) === text) rmSync(file, { force: true });
    rmSync(claimed, { force: true });
    return;
  }
  const left = textOf(claimed);
  if (left !== null && isStale(claimed)) takeAway(claimed, left, mine);
}

/**
 * Removes what killed processes left beside the lock.
 * @param {string} file
 */
function removeLeftovers(file) {
  const folder = path.dirname(file);
  for (const name of readdirSync(folder)) {
    const left = path.join(folder, name);
    if (name.startsWith(`${path.basename(file)}.`) && isStale(left)) rmSync(left, { force: true });
  }
}

/**
 * Runs `work` while holding the lock; waits for another holder.
 * @template T
 * @param {string} file the lock file; its folder is made
 * @param {() => Promise<T>} work
 * @param {(holder: string) => void} [onWait] called once when the lock is held by somebody else
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait) {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  let told = false;
  try {
    for (;;) {
      keepAlive(mine);
      if (claim(mine, file)) break;
      const text = textOf(file);
      if (text !== null && isStale(file)) {
        takeAway(file, text, mine);
      } else if (!told) {
        told = true;
        onWait?.(describeHolder(file));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return await holding(file, mine, work);
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * @template T
 * @param {string} file
 * @param {string} mine
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function holding(file, mine, work) {
  const text = readFileSync(mine, 'utf8');
  const heartbeat = setInterval(() => {
    try {
      keepAlive(mine); // the lock is a second name of the same file
    } catch {
      // the folder was removed by hand: nothing to keep alive
    }
  }, heartbeatMs);
  heartbeat.unref();
  try {
    removeLeftovers(file);
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (textOf(file) === text) {
      keepAlive(mine);
      takeAway(file, text, mine);
    }
  }
}

/**
 * @param {string} file
 * @returns {string | null} null where it is gone
 */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * @param {string} file
 * @returns {string}
 */
function describeHolder(file) {
  try {
    return `process ${JSON.parse(readFileSync(file, 'utf8')).pid}`;
  } catch {
    return 'another process';
  }
}
