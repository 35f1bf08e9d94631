/** The `toy` source: drawn in memory when it is first asked for, from its parameters alone. */
import type { ResolvedSource } from '../../contract/project.ts';
import { toyFacts } from '../../contract/sources/toy.ts';
import { targetDims } from '../../contract/tensors.ts';
import type { OpenSource } from '../open-source.ts';
import { type Drawn, drawToy } from './draw.ts';

type ToySettings = Extract<ResolvedSource, { kind: 'toy' }>;

export async function openToySource(settings: ToySettings): Promise<OpenSource> {
  const { input, target, parts } = toyFacts(settings);
  const numbers = target.kind === 'vector';
  const width = input.dims[0] as number;
  let drawn: ReturnType<typeof drawToy> | undefined;
  const of = (part: string): Drawn => {
    drawn ??= drawToy(settings);
    return part === 'test' ? drawn.test : drawn.train;
  };
  return {
    identity: settings,
    readBytes: 0,
    parts,
    columns: {
      input: { dtype: 'float32', shape: input.dims, scaled: false },
      target: { dtype: numbers ? 'float32' : 'int64', shape: targetDims(target), scaled: false },
    },
    rows: (part) => ({
      inputs: async (positions) => positions.map((at) => of(part).inputs.slice(at * width, (at + 1) * width)),
      labels: async () => (numbers ? null : Uint32Array.from(of(part).targets)),
    }),
    async target() {
      return target;
    },
    async write(part, sink, { signal }) {
      signal?.throwIfAborted();
      const { inputs, targets } = of(part);
      await sink('input', once(inputs));
      await sink('target', once(numbers ? Float32Array.from(targets) : BigInt64Array.from(targets, BigInt)));
    },
  };
}

async function* once({ buffer, byteOffset, byteLength }: Float32Array | BigInt64Array): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(buffer, byteOffset, byteLength);
}
