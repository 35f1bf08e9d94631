/** The `random` source: samples drawn by libtorch from a seed; needs no files. */
import type { ResolvedSource } from '../contract/project.ts';
import type { OpenSource } from './source.ts';

export type RandomSettings = Extract<ResolvedSource, { kind: 'random' }>;

export async function openRandomSource(settings: RandomSettings): Promise<OpenSource> {
  const { shape, classes, target_shape, samples, seed } = settings;
  return {
    identity: [shape, classes, target_shape, samples, seed],
    readBytes: 0,
    parts: { train: samples },
    columns: {
      input: { dtype: 'float32', shape, scaled: false },
      target:
        classes === null
          ? { dtype: 'float32', shape: target_shape, scaled: false }
          : { dtype: 'int64', shape: [], scaled: false },
    },
    async target() {
      return classes === null
        ? { kind: 'vector', dims: target_shape }
        : { kind: 'class', classes: Array.from({ length: classes }, (_, label) => String(label)) };
    },
    async write(_part, _sink, { addon, paths, signal }) {
      signal?.throwIfAborted();
      await addon.writeRandom({ shape, classes, target_shape, samples, seed, ...paths });
      signal?.throwIfAborted();
    },
  };
}
