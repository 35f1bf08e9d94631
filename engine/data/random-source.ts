/** The `random` source: samples drawn by libtorch from a seed; needs no files. */
import type { ResolvedSource } from '../contract/project.ts';
import { inputTokens, randomFacts, randomTarget } from '../contract/sources.ts';
import { choices, targetDims } from '../contract/tensors.ts';
import type { OpenSource } from './open-source.ts';

type RandomSettings = Extract<ResolvedSource, { kind: 'random' }>;

/** How the drawn samples are stored. */
export function randomColumns(settings: RandomSettings): OpenSource['columns'] {
  const { input, target } = randomFacts(settings);
  const numbers = target.kind === 'vector' || target.kind === 'multi_label';
  return {
    input: { dtype: input.dtype, shape: input.dims, scaled: false },
    target: { dtype: numbers ? 'float32' : 'int64', shape: targetDims(target), scaled: false },
  };
}

/** What libtorch is asked to draw. */
export function randomRequest(settings: RandomSettings) {
  const { shape, samples, seed } = settings;
  const { target } = randomFacts(settings);
  return {
    shape,
    targets: randomTarget(settings),
    classes: choices(target),
    tokens: inputTokens(settings),
    target_shape: targetDims(target),
    samples,
    seed,
  };
}

export async function openRandomSource(settings: RandomSettings): Promise<OpenSource> {
  const { shape, classes, target, tokens, target_shape, samples, seed } = settings;
  const facts = randomFacts(settings);
  return {
    identity: [
      shape,
      classes,
      target_shape,
      samples,
      seed,
      ...(target ? [target] : []),
      ...(tokens ? [{ tokens }] : []),
    ],
    readBytes: 0,
    parts: facts.parts,
    columns: randomColumns(settings),
    ...(facts.input.tokens === undefined ? {} : { tokens: facts.input.tokens }),
    async target() {
      return facts.target;
    },
    async write(_part, _sink, { addon, paths, signal }) {
      signal?.throwIfAborted();
      await addon.writeRandom({ ...randomRequest(settings), ...paths });
      signal?.throwIfAborted();
    },
  };
}
