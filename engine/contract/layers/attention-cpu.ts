/** What attention keeps and takes on the CPU: by one fused kernel, or with dropout step by step, as measured. */
import type { Operation, Pass } from '../estimate-types.ts';
import type { PlannedLayer } from '../plan-types.ts';
import type { Lying } from './kind.ts';
import { halfProduct, rowsOf } from './product-cpu.ts';

type Taken = Pick<Operation, 'keeps' | 'workspace'>;

/** Bytes of one sample: of the sequence, of the scores of all heads, and of what lies inside the small network; and of the first weight. */
function sizesOf({ args, input }: PlannedLayer) {
  const [length = 1, features = 1] = input;
  const heads = Number(args.nhead ?? args.num_heads);
  return {
    sequence: 4 * length * features,
    scores: 4 * heads * length * length,
    inner: 4 * length * Number(args.dim_feedforward ?? 0),
    projection: 12 * features * features,
    heads,
    dropout: Number(args.dropout) > 0,
    layers: Number(args.num_layers ?? 1),
    // Where it is causal too, a mask says of each two positions whether they see each other; by the fused kernel it is kept as numbers.
    seen: (args.mask ?? null) !== null && args.causal === true ? length * length : 0,
  };
}

/** Step by step queries, keys and values of several heads are kept in another order, no longer as they were projected; and in fp32 (what is kept counts half). */
function kept({ layer, keeps }: Operation, half: boolean): Operation['keeps'] {
  const { sequence, scores, heads, dropout, layers, seen } = sizesOf(layer);
  const ordered = (heads > 1 ? -2 * sequence : 0) + (half ? 4 * sequence + 3 * scores : 0);
  return { ...keeps, bytes: keeps.bytes + layers * (dropout ? ordered : 4 * seen) };
}

export function attentionOnCpu(operation: Operation, { half }: Lying): Taken {
  const { sequence, scores, projection, dropout, seen } = sizesOf(operation.layer);
  const keeps = kept(operation, half);
  return {
    keeps,
    workspace: (batch, pass) => {
      const products = half ? inTiles(operation.layer, batch, pass) : 0;
      if (pass === 'unkept') return products + batch * (2 * seen + (dropout ? 4 * sequence : operation.keeps.bytes));
      if (pass === 'forward') return products + batch * ((dropout ? 3 * sequence : 0) + seen);
      // The projections' gradient comes last, when most is gone.
      return products + Math.max(0, batch * (dropout ? scores : 2 * sequence) - projection);
    },
  };
}

/** Layer after layer: the highest moment is in the last one, where few gradients are there yet, or in the first, where little is kept. */
export function transformerOnCpu(operation: Operation, { half }: Lying): Taken {
  const { layer, gradients } = operation;
  const { sequence, inner, dropout, layers } = sizesOf(layer);
  const keeps = kept(operation, half);
  // A GELU's gradient takes the place of what it answered, a dropout's likewise.
  const turned = dropout || layer.args.activation === 'gelu' ? 1 : 2;
  const besides = (layer.args.norm_first === true ? sequence : 0) + (layers > 1 ? sequence : 0);
  return {
    keeps,
    workspace: (batch, pass) => {
      const products = half ? inTiles(operation.layer, batch, pass) : 0;
      if (pass === 'unkept') return products + batch * (Math.max(4 * sequence, sequence + 2 * inner) + besides);
      if (pass === 'forward') return products + (dropout ? batch * sequence : 0);
      const last = batch * Math.max(0, inner * turned - 2 * sequence) - gradients * (1 - 0.3 / layers);
      return products + Math.max(last, batch * (2 * sequence - (keeps.bytes * (layers - 0.5)) / layers));
    },
  };
}

function inTiles({ args, input }: PlannedLayer, batch: number, pass: Pass): number {
  const features = input.at(-1) ?? 1;
  const wide = Math.max(features, Number(args.dim_feedforward ?? 0));
  return halfProduct(batch * rowsOf(input), [wide, features], pass);
}
