/** Whether this process was started to outlive its terminal. */
import { fstatSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { isatty } from 'node:tty';

const sighupBit = 1n;

/**
 * Whether somebody had SIGHUP ignored for this process, as `nohup` does. Node takes that back at its start, so it has to be read from what
 * else shows it: the parent ignores it too, the shell says that it started `nohup`, or `nohup` has made standard input unreadable.
 */
export function ignoresHangup(): boolean {
  if (process.platform === 'win32') return false;
  return path.basename(process.env._ ?? '') === 'nohup' || parentIgnores() || inputIsUnreadable();
}

/** On Linux, which tells; elsewhere never. */
function parentIgnores(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${process.ppid}/status`, 'utf8'))?.[1];
    return ignored !== undefined && (BigInt(`0x${ignored}`) & sighupBit) !== 0n;
  } catch {
    return false;
  }
}

function inputIsUnreadable(): boolean {
  try {
    // Of a device only: reading might wait or take something from anything else.
    if (!fstatSync(0).isCharacterDevice() || isatty(0)) return false;
    readSync(0, Buffer.alloc(1), 0, 1, null);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EBADF';
  }
}
