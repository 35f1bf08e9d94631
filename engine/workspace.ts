/** Where a person's own things lie (`GRADLOOM_HOME`) and where caches do (`GRADLOOM_CACHE`). */
import path from 'node:path';
import { cacheDir, homeDir } from '../native/setup/paths.mjs';

export { cacheDir };

/** The workspace: `projects/ runs/ data/ weights/ recovery/ settings.json`. May not exist yet. */
export function workspaceDir(): string {
  return homeDir();
}

export function projectsDir(home: string = homeDir()): string {
  return path.join(home, 'projects');
}

/** What is kept of projects beside their files: steps of undo, texts that were not saved. */
export function recoveryDir(home: string = homeDir()): string {
  return path.join(home, 'recovery');
}

/** Weights that a window has brought. */
export function weightsDir(home: string = homeDir()): string {
  return path.join(home, 'weights');
}

/** Deleted runs, until somebody empties it. */
export function trashDir(home: string = homeDir()): string {
  return path.join(home, 'trash');
}

export function runsDir(home: string = homeDir()): string {
  return path.join(home, 'runs');
}
