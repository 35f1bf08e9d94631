// @ts-check
/** A lock between processes by a file: safe when two set-ups start at once, given up when its holder dies. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
  let holder;
  let age;
  try {
    holder = JSON.parse(readFileSync(file, 'utf8'));
    age = Date.now() - statSync(file).mtimeMs;
  } catch {
    return false; // just released, or just being taken
  }
  if (age > silenceMs) return true;
  if (holder.host !== os.hostname()) return false;
  if (holder.pid === process.pid) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
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
  writeFileSync(mine, JSON.stringify({ pid: process.pid, host: os.hostname() }));
  let told = false;
  try {
    for (;;) {
      try {
        linkSync(mine, file); // atomic: fails when the lock exists
        break;
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
      if (isStale(file)) {
        // Only one of several waiters wins the rename; the loser's rename finds nothing, or a fresh lock that it puts back.
        const aside = `${mine}.stale`;
        try {
          renameSync(file, aside);
          if (!isStale(aside)) linkSync(aside, file);
        } catch {
          // somebody else was quicker
        }
        rmSync(aside, { force: true });
        continue;
      }
      if (!told) {
        told = true;
        onWait?.(describeHolder(file));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } catch (error) {
    rmSync(mine, { force: true });
    throw error;
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // the lock file was removed by hand: nothing to keep alive
    }
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (readOrEmpty(file) === readOrEmpty(mine)) rmSync(file, { force: true });
    rmSync(mine, { force: true });
  }
}

/**
 * @param {string} file
 * @returns {string}
 */
function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
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
