/** `look`: what the network makes of a sample, layer by layer, answered by a worker that is kept for the next look. */
import path from 'node:path';
import { LookKeeper } from '../look/keeper.ts';
import { type Parts, wire } from './parts.ts';
import { reachableProject, reachableWeights } from './runs.ts';

export function lookCall(parts: Parts) {
  const { places, service, settings } = parts;
  const keeper = new LookKeeper(service);
  return wire.look.handler(async ({ input: { file, text, options }, signal }) => {
    const projectFile = await places.reach(file);
    const { threads } = await settings.read();
    await reachableProject(text, projectFile, parts);
    const { weights } = options;
    const reached = weights.kind === 'from' ? await reachableWeights(weights, projectFile, parts) : {};
    return keeper.look(
      { projectText: text, baseDir: path.dirname(projectFile), ...(threads === null ? {} : { threads }) },
      { ...options, weights: { ...weights, ...reached } },
      signal,
    );
  });
}
