/** The `random` source: samples drawn by libtorch from a seed; needs no files. */
import type { ResolvedSource } from '../contract/project.ts';
import { randomFacts } from '../contract/sources.ts';
import type { OpenSource } from './open-source.ts';

export async function openRandomSource(settings: Extract<ResolvedSource, { kind: 'random' }>): Promise<OpenSource> {
  const { shape, classes, target_shape, samples, seed } = settings;
  const facts = randomFacts(settings);
  return {
    identity: [shape, classes, target_shape, samples, seed],
    readBytes: 0,
    parts: facts.parts,
    columns: {
      input: { dtype: 'float32', shape, scaled: false },
      target:
        classes === null
          ? { dtype: 'float32', shape: target_shape, scaled: false }
          : { dtype: 'int64', shape: [], scaled: false },
    },
    async target() {
      return facts.target;
    },
    async write(_part, _sink, { addon, paths, signal }) {
      signal?.throwIfAborted();
      await addon.writeRandom({ shape, classes, target_shape, samples, seed, ...paths });
      signal?.throwIfAborted();
    },
  };
}
