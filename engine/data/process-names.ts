/** How processes that share a folder are told apart, and whether one of them still lives. */
import { createHash } from 'node:crypto';
import os from 'node:os';

/** Processes of other machines cannot be asked about. */
export const host = createHash('sha256').update(os.hostname()).digest('hex').slice(0, 8);

/** Of this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as { code?: string }).code === 'EPERM';
  }
}
