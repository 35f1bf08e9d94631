/** What permissions forbid, tried also where the tests run as root, whom nothing is forbidden. */
import { chmodSync, chownSync } from 'node:fs';

/** The user that owns nothing. */
const nobody = 65_534;

/** Runs `work` while nothing can be made in `folder`, a test's own below the temporary folder, and what is in it can be read. */
export async function inReadOnly(folder: string, work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o500);
  if (isRoot) {
    chownSync(folder, nobody, nobody);
    process.seteuid?.(nobody);
  }
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
  }
}
