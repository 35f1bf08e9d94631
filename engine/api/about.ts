/** `about` and `settings`: what this installation is, and what a person has set. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootDir } from '../../native/setup/paths.mjs';
import { nativeFiles } from '../native/load.ts';
import { cacheDir } from '../workspace.ts';
import { type Parts, wire } from './parts.ts';

export function aboutCalls({ home, places }: Parts) {
  return wire.about.handler(() => ({
    version: ownVersion(),
    libtorch: libtorchVersion(),
    platform: `${process.platform}-${process.arch}`,
    home,
    cache: cacheDir(),
    root: places.root,
  }));
}

export function settingsCalls({ settings }: Parts) {
  return {
    get: wire.settings.get.handler(() => settings.read()),
    set: wire.settings.set.handler(({ input }) => settings.change(input)),
  };
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(path.join(rootDir(), 'package.json'), 'utf8')) as { version: string }).version;
}

/** As set-up noted it: asking libtorch itself would load it. */
function libtorchVersion(): string | null {
  try {
    return nativeFiles().libtorch.version;
  } catch {
    return null;
  }
}
