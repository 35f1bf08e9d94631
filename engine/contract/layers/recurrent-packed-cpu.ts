/**
 * What recurrent layers keep and take on the CPU where sequences have padding: PyTorch packs them, position after position, and goes cell by
 * cell. Where all sequences of a batch are equally long oneDNN computes an LSTM all the same. Tensors are counted as they are made.
 */
import type { Operation, Pass } from '../estimate-types.ts';
import type { Lying } from './kind.ts';

/** Of a cell: how many blocks of hidden_size its gates are, and how many such values it keeps at each position. */
const cells: Record<string, { gates: number; keeps: number }> = {
  RNN: { gates: 1, keeps: 1 },
  GRU: { gates: 3, keeps: 7 },
  LSTM: { gates: 4, keeps: 7 },
};

type Taken = Pick<Operation, 'keeps' | 'workspace'>;

export function packedOnCpu(operation: Operation, { even }: Pick<Lying, 'even'>): Taken {
  const sizes = sizesOf(operation);
  return even && operation.layer.kind === 'LSTM' && sizes.projected === 0
    ? atOnce(operation, sizes)
    : cellByCell(operation, sizes);
}

/** Values at a position, and what the layer is made of. */
function sizesOf({ layer: { args, input }, inputs }: Operation) {
  const [length = 1, features = 1] = input;
  const [hidden, layers] = [args.hidden_size as number, args.num_layers as number];
  const directions = args.bidirectional === true ? 2 : 1;
  const projected = (args.proj_size as number | undefined) ?? 0;
  const state = projected || hidden;
  const answer = directions * state;
  const last = args.output === 'last';
  const dropped = Number(args.dropout ?? 0) > 0;
  return {
    ...{ length, features, hidden, layers, directions, projected, state, answer, last, dropped },
    /** What one of the layers behind the first reads; 0: there is none. */
    between: layers > 1 ? answer : 0,
    /** Both directions' answers side by side. */
    joined: directions > 1 ? answer : 0,
    /** What is answered packed, padded and in the samples' order again: all of it, and what of that is the layer's output. */
    unpacked: { all: 3 * answer, output: last ? 0 : answer },
    /** The input's gradient. */
    passed: inputs[0]?.grad === true ? features : 0,
  };
}

type Sizes = ReturnType<typeof sizesOf>;

/** Values at a position that come and go before anything is computed: the sequences in order, turned, and packed. */
const packing = ({ features }: Sizes) => 3 * features;

function cellByCell({ layer, keeps, gradients }: Operation, sizes: Sizes): Taken {
  const { length, features, hidden, layers, directions, projected, state, answer, dropped, joined, between } = sizes;
  const { gates, keeps: own } = cells[layer.kind] as (typeof cells)[string];
  const cell = own * hidden + projected;
  const kept = features + layers * directions * cell + (layers - 1) * answer * (dropped ? 2 : 1);
  // All positions' gates; what the cells answer in one tensor, and of two directions in one again.
  const computing = Math.max(gates * hidden + answer, 2 * joined, sizes.unpacked.all);
  const weights = 4 * gates * hidden * state;
  const passes: Record<Pass, (batch: number) => number> = {
    forward: (batch) => 4 * batch * length * (Math.max(computing, packing(sizes) - kept) - sizes.unpacked.output),
    unkept: (batch) =>
      4 *
      batch *
      length *
      (Math.max(
        packing(sizes),
        features + Math.max(between + gates * hidden + answer + state, between + 2 * joined, sizes.unpacked.all),
      ) -
        sizes.unpacked.output),
    // Each position's part of the gates has a gradient as large as all, which is added to what there is; the weight's is added likewise.
    // Two positions are done by then.
    backward: (batch) => {
      const all = 4 * batch * length * gates * hidden;
      const done = Math.min(2, length) * cell - (gates + 2) * hidden;
      const adding = all + weights + Math.max(all, 2 * weights) - 4 * batch * done;
      return Math.max(adding, unpacking(sizes, batch)) - 4 * batch * length * sizes.passed - gradients;
    },
  };
  return {
    keeps: { ...keeps, inputs: [], bytes: 4 * length * kept, integers: 0 },
    workspace: (batch, pass) => passes[pass](batch),
  };
}

/** The gradient of what is answered, in the samples' order, is padded and packed again. */
function unpacking({ length, answer, last }: Sizes, batch: number): number {
  return last ? 0 : 4 * batch * length * 2 * answer;
}

const line = 16;
const page = 4096;
/** Tensors inside oneDNN's workspace that begin on a page each. */
const pages = 7;

/** As wide as oneDNN makes rows: whole lines, and no multiple of 256. */
function padded(width: number): number {
  const full = Math.ceil(width / line) * line;
  return full % 256 === 0 ? full + line : full;
}

/** By oneDNN, a layer and direction after the other. */
function atOnce({ keeps, gradients }: Operation, sizes: Sizes): Taken {
  const { length, features, hidden, layers, directions, answer, dropped, joined, between, last } = sizes;
  const [gates, states] = [4 * hidden, padded(hidden)];
  // Of the gates, of all positions' states and of their gradients.
  const workspace = (entering: number) =>
    length * (padded(gates) + states) + (length + 1) * (6 * padded(Math.max(entering, hidden)) + 4 * hidden);
  const enterings = Array.from({ length: layers }, (_, index) => (index === 0 ? features : answer));
  const workspaces = directions * enterings.reduce((total, entering) => total + workspace(entering), 0);
  // Each answer is kept, and the next layer's input besides where that is another tensor.
  const answers = layers * answer + (layers - 1) * (dropped ? 2 * answer : joined);
  const scratch = (batch: number) => 4 * batch * (length * padded(gates) + 2 * states) + page;
  const weights = 4 * gates * ((between || features) + hidden);
  const unaligned = (pages * page * layers * directions) / 2;
  const passes: Record<Pass, (batch: number) => number> = {
    forward: (batch) =>
      Math.max(scratch(batch) + weights, 4 * batch * length * (joined + 2 * answer)) -
      4 * batch * length * sizes.unpacked.output,
    unkept: (batch) =>
      Math.max(
        4 * batch * length * Math.max(packing(sizes), features + sizes.unpacked.all),
        4 * batch * length * (features + between + answer) + scratch(batch) + weights,
      ) -
      4 * batch * length * sizes.unpacked.output,
    backward: (batch) => {
      const received = 4 * batch * length * (last || joined > 0 ? hidden : 0);
      const one = scratch(batch) + received + 2 * weights + 4 * batch * length * (between || features);
      return Math.max(one, unpacking(sizes, batch)) - 4 * batch * length * sizes.passed - gradients;
    },
  };
  return {
    keeps: {
      ...keeps,
      inputs: [],
      bytes: 4 * (length * (features + answers) + workspaces + 4 * layers * answer),
      // In fp32 in any precision.
      integers: 4 * workspaces,
    },
    workspace: (batch, pass) => passes[pass](batch) + (pass === 'unkept' ? 0 : unaligned),
  };
}
