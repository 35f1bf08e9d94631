/** Which runs there are. */
import { GradloomError } from '../contract/errors.ts';
import type { RunListing } from './types.ts';

/** The runs of a workspace, newest first. */
export async function listRuns(_home?: string): Promise<RunListing[]> {
  throw new GradloomError('INTERNAL', 'listRuns is being written');
}

/** The folder of a run given by folder or by name. @throws GradloomError RUN_NOT_FOUND */
export async function findRun(_nameOrPath: string, _home?: string): Promise<string> {
  throw new GradloomError('INTERNAL', 'findRun is being written');
}

/** The next free `<project name>-001` in the workspace. */
export async function nextRunFolder(_projectName: string, _home?: string): Promise<string> {
  throw new GradloomError('INTERNAL', 'nextRunFolder is being written');
}
