/** Every optimizer with every schedule, killed at a random step and resumed: the uninterrupted run, bit for bit. */
import { test } from 'vitest';
import { endures } from '../journeys/interrupted.ts';
import { allPairs } from '../journeys/pairs.ts';

test.each(allPairs)('$name', async ({ project, seed }) => {
  await endures(project, seed);
});
