/** Runs side by side: how they stand, and which settings differ. */
import { isDeepStrictEqual } from 'node:util';
import { readProject, resolveProject } from '../contract/project.ts';
import { readEnvironment } from './environment.ts';
import { findRun } from './folder.ts';
import { describeRun } from './registry.ts';
import { readRunProject } from './run-project.ts';
import type { RunListing } from './types.ts';

export interface Comparison {
  runs: RunListing[];
  /** Only those that are not equal in all of them; a run that has no such setting has undefined. */
  settings: { path: string; values: unknown[] }[];
}

/** @throws GradloomError RUN_NOT_FOUND, RUN_DAMAGED */
export async function compareRuns(names: readonly string[]): Promise<Comparison> {
  const folders = await Promise.all(names.map((name) => findRun(name)));
  const runs = await Promise.all(folders.map((folder) => describeRun(folder)));
  const settings = await Promise.all(folders.map(settingsOf));
  const paths = new Set(settings.flatMap((one) => [...one.keys()]));
  return {
    runs,
    settings: [...paths]
      .map((path) => ({ path, values: settings.map((one) => one.get(path)) }))
      .filter(({ values }) => values.some((value) => !isDeepStrictEqual(value, values[0]))),
  };
}

/** With defaults filled in, so that what is written down in one project only does not count as a difference; and what was run on. */
async function settingsOf(folder: string): Promise<Map<string, unknown>> {
  const { gradloom: _, name: _name, ...project } = resolveProject(readProject(readRunProject(folder)).project ?? {});
  const settings = new Map<string, unknown>();
  // A metric is one choice, however many arguments it has: its name tells those that are not the default.
  const metrics = project.training.metrics.map(({ key }) => key);
  flatten({ ...project, training: { ...project.training, metrics } }, '', settings);
  const environment = await readEnvironment(folder);
  if (environment) {
    const { device, precision, threads, versions } = environment;
    flatten({ device, precision, threads, libtorch: versions.libtorch }, 'ran on', settings);
  }
  return settings;
}

function flatten(value: unknown, place: string, into: Map<string, unknown>): void {
  const isTree = typeof value === 'object' && value !== null;
  const isNumbers = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  if (!isTree || isNumbers) {
    into.set(place, value);
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    // `training.optimizer.lr`, as the project writes it.
    flatten(child, key === 'args' ? place : place === '' ? key : `${place}.${key}`, into);
  }
}
