/** The only loader of the addon: finds it, prepares the process for it, and makes sure that its tables are ours. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeLibtorch } from '../../native/setup/libtorch.mjs';
import { rootDir } from '../../native/setup/paths.mjs';
import { commandLine } from '../command-line.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import { compareTables } from '../contract/tables.ts';
import { threadingEnvironment } from './threading.ts';

/** What set-up wrote to `dist/native.json`; an installed app's first start writes it elsewhere and names that in GRADLOOM_NATIVE. */
export interface NativeFiles {
  /** Absolute path of `gradloom.node`. */
  addon: string;
  /** Absolute path of `gradloom-run`; an installed app has none. */
  executable?: string;
  libtorch: { path: string; version: string };
}

/** What the addon exports: the contract, and the way to hand over the class its errors are made of. */
type Exports = Addon & { useErrorClass(errorClass: typeof GradloomError): void };

const fix = 'Run: npm run setup';

let loaded: Addon | undefined;

/**
 * The addon, loaded on the first call; its errors are GradloomErrors.
 * Throws ADDON_MISSING, ADDON_MISMATCH, LIBTORCH_MISSING, LIBTORCH_TOO_OLD.
 */
export function loadAddon(): Addon {
  loaded ??= load(nativeFiles());
  return loaded;
}

/** Where set-up put the native files. Throws ADDON_MISSING before set-up has run. */
export function nativeFiles(): NativeFiles {
  const file = process.env.GRADLOOM_NATIVE || join(rootDir(), 'dist', 'native.json');
  let files: NativeFiles;
  try {
    files = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new GradloomError('ADDON_MISSING', 'The native engine has not been set up.', {
      hint: fix,
      path: file,
      cause: error,
    });
  }
  return files;
}

/** Loads and checks one addon; `loadAddon` is what the engine calls. */
export function load(files: NativeFiles): Addon {
  if (!existsSync(files.addon)) {
    throw new GradloomError('ADDON_MISSING', `The native engine is not at ${files.addon}.`, {
      hint: fix,
      path: files.addon,
    });
  }
  // libgomp reads these once, when it is loaded with libtorch. What a person has set stays.
  for (const [name, value] of Object.entries(threadingEnvironment(process.env))) process.env[name] = value;
  const module = { exports: {} as Exports };
  try {
    process.dlopen(module, files.addon);
  } catch (error) {
    throw loadFailure(files, error);
  }
  const { exports } = module;
  checkTables(exports, files.addon);
  exports.useErrorClass(GradloomError);
  return exports;
}

function checkTables(addon: Exports, path: string): void {
  const differences = typeof addon.describe === 'function' ? compareTables(addon.describe()) : ['it describes none'];
  if (differences.length === 0) return;
  throw new GradloomError(
    'ADDON_MISMATCH',
    `The native engine was built for other tables: ${differences.join('; ')}.`,
    {
      hint: fix,
      path,
    },
  );
}

/** Why the system could not load the addon: nearly always its libtorch is gone or was replaced. */
function loadFailure({ addon, libtorch }: NativeFiles, error: unknown): GradloomError {
  const judged = judgeLibtorch(libtorch.path);
  if (judged.problem !== null) {
    return new GradloomError(
      judged.old ? 'LIBTORCH_TOO_OLD' : 'LIBTORCH_MISSING',
      `libtorch at ${libtorch.path} ${judged.problem}.`,
      { hint: fix, path: libtorch.path, cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  if (judged.version !== libtorch.version) {
    return new GradloomError(
      'ADDON_MISMATCH',
      `The native engine was built for libtorch ${libtorch.version}, but ${libtorch.path} is now ${judged.version}: ${reason}.`,
      { hint: fix, path: addon, cause: error },
    );
  }
  return new GradloomError('ADDON_MISMATCH', `The native engine could not be loaded: ${reason}.`, {
    hint: `${fix}; if it stays, ${commandLine('doctor')} says what is missing`,
    path: addon,
    cause: error,
  });
}
