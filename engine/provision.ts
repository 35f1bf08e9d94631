/**
 * The first start of an installed app, as a utility process: libtorch's parts for the CPU are fetched into the cache, the addon that came with
 * the app is put where it finds them. Words: the addon, the file that is to say where everything lies, the app's version.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureLibtorch } from '../native/setup/libtorch.mjs';
import { explainWrite, SetupError } from '../native/setup/system.mjs';
import type { ProvisionMessage } from './contract/provision.ts';
import type { NativeFiles } from './native/load.ts';
import { parentPort } from './ports.ts';
import { cacheDir } from './workspace.ts';

/** As the packaged addon's way to its libraries says: `$ORIGIN/libtorch/lib`. */
const linkName = 'libtorch';

/** Where the addon finds its libraries: beside them on Windows, through a link elsewhere. */
function placeAddon(addon: string, libtorch: string): string {
  const key = createHash('sha256').update(readFileSync(addon)).update(libtorch).digest('hex').slice(0, 16);
  const windows = process.platform === 'win32';
  const home = windows ? path.join(libtorch, 'lib') : path.join(cacheDir(), 'addon', `app-${key}`);
  const target = path.join(home, windows ? `gradloom-${key}.node` : 'gradloom.node');
  mkdirSync(home, { recursive: true });
  if (!windows) {
    const link = path.join(home, linkName);
    rmSync(link, { force: true });
    symlinkSync(libtorch, link);
  }
  copyFileSync(addon, `${target}.new`);
  renameSync(`${target}.new`, target);
  return target;
}

async function provision(words: string[], tell: (message: ProvisionMessage) => void): Promise<void> {
  const [addon = '', nativeFile = '', appVersion = ''] = words;
  const libtorch = await ensureLibtorch({
    say: (text) => tell({ type: 'say', text }),
    bytes: (label, done, total) => tell({ type: 'progress', label, done, total }),
    count: (label, done, total) => tell({ type: 'progress', label, done, total }),
    clear: () => {},
  });
  const { path: folder, version } = libtorch;
  const files: NativeFiles = { addon: placeAddon(addon, folder), libtorch: { path: folder, version } };
  mkdirSync(path.dirname(nativeFile), { recursive: true });
  writeFileSync(`${nativeFile}.new`, `${JSON.stringify({ ...files, version: appVersion }, null, 2)}\n`);
  renameSync(`${nativeFile}.new`, nativeFile);
}

const parent = parentPort();
const words = process.argv.slice(2);
if (parent && words.length === 3) {
  const tell = (message: ProvisionMessage) => parent.postMessage(message);
  provision(words, tell).then(
    () => tell({ type: 'done' }),
    (thrown: unknown) => {
      const error = explainWrite(thrown);
      const message = error instanceof Error ? error.message : String(error);
      tell({ type: 'failed', message, hint: error instanceof SetupError ? error.hint : '' });
    },
  );
} else {
  process.stderr.write('This is started by the installed app, not by hand.\n');
  process.exitCode = 2;
}
