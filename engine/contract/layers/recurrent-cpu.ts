/** What recurrent layers keep and take on the CPU, as measured; of sequences with padding recurrent-packed-cpu.ts tells. */
import type { Operation } from '../estimate-types.ts';
import type { Lying } from './kind.ts';
import { packedOnCpu } from './recurrent-packed-cpu.ts';

/** Of a cell: how many blocks of hidden_size its gates are, and how many such values it keeps at each position. */
const cells: Record<string, { gates: number; keeps: number }> = {
  RNN: { gates: 1, keeps: 1 },
  GRU: { gates: 3, keeps: 7 },
  LSTM: { gates: 4, keeps: 6.5 },
};

/** oneDNN computes an LSTM with a workspace of its own; the other kinds, and an LSTM with projections, go cell by cell. */
export function recurrentOnCpu(operation: Operation, lying: Lying): Pick<Operation, 'keeps' | 'workspace'> {
  const { layer, keeps, inputs, gradients } = operation;
  const { kind, args, input } = layer;
  if ((args.mask ?? null) !== null) return packedOnCpu(operation, lying);
  const [length = 1, features = 1] = input;
  const [hidden, layers] = [args.hidden_size as number, args.num_layers as number];
  const directions = args.bidirectional === true ? 2 : 1;
  const projected = (args.proj_size as number | undefined) ?? 0;
  const state = projected || hidden;
  const { gates, keeps: kept } = cells[kind] as (typeof cells)[string];
  const whole = kind === 'LSTM' && projected === 0;
  const last = args.output === 'last';
  // The last position alone leaves the whole sequence behind.
  let values = last && (whole || directions === 1) ? directions * length * state : 0;
  for (let index = 0; index < layers; index++) {
    const entering = index === 0 ? features : directions * state;
    const one = whole
      ? length * (15 * hidden + 16 + entering + 6.5 * Math.max(0, entering - hidden)) + 14 * hidden
      : length * (kept * hidden + (projected > 0 ? state : 0) + entering);
    values += directions * one;
    if (whole && directions === 2) values += length * Math.max(0, 2 * hidden - entering);
    const dropped = index < layers - 1 && Number(args.dropout ?? 0) > 0;
    if (dropped) values += (whole ? 2 : 1) * directions * length * state;
  }
  const unit = 4 * length * hidden;
  const between = layers > 1 ? directions : 0;
  const unkept = whole ? 5.8 + 1.4 * directions * between : gates + 1 + 3 * (directions - 1) + between;
  // The sequence of both directions, beside those that it is joined of.
  const joined = directions === 2 && !lying.half ? (last ? 2 : 0) - (layers > 1 ? 2 : 0) : 0;
  const passes = {
    unkept: unkept + (last ? directions : 0),
    ...(whole
      ? { forward: 4.7, backward: last ? 5.2 : 6.25 }
      : {
          forward: projected > 0 ? 3 + 1.6 * directions : 2 * directions + (kind === 'RNN' ? -1 : 1) + joined,
          backward: -1.5 / directions,
        }),
  };
  // oneDNN lays weights out in its own order; cell by cell their gradients are added up position by position.
  const widest = layers > 1 ? Math.max(features, directions * state) : features;
  const weights = 4 * gates * hidden * (widest + state);
  const fixed = whole
    ? { unkept: weights, forward: weights, backward: 2 * weights }
    : { unkept: 0, forward: 0, backward: 8 * gates * hidden * state };
  const byCell = !whole && projected === 0 && !lying.half;
  // The states that the cells begin with.
  if (byCell) values += directions * hidden * (last ? layers - 1 : layers);
  const received = inputs[0]?.grad === true ? 4 * length * features : 0;
  return {
    // oneDNN's own workspace is in fp32 in any precision.
    keeps: { ...keeps, bytes: 4 * values, integers: whole ? 4 * layers * directions * length * (15 * hidden + 16) : 0 },
    workspace(batch, pass) {
      if (!byCell) return batch * unit * passes[pass] + fixed[pass];
      if (pass !== 'backward') return batch * (unit * passes[pass] + (pass === 'unkept' && !last ? 4 * hidden : 0));
      // By then the sequence is gone of which only the last position was wanted.
      const gone = last && directions === 1 && layers === 1 ? unit : 0;
      const most = cellByCell({ kind, length, features, hidden, layers, directions, last }, batch);
      return most - gradients - batch * (received + gone);
    },
  };
}

interface Cells {
  kind: string;
  length: number;
  features: number;
  hidden: number;
  layers: number;
  directions: number;
  last: boolean;
}

/**
 * The most that the backward pass of an RNN or a GRU has besides what it began with. Cells go back one after the other. The gradient of a
 * state's weight is added up position by position, the second time as a third tensor; those of the gates' inputs wait until all are there.
 */
function cellByCell({ kind, length, features, hidden, layers, directions, last }: Cells, batch: number): number {
  const { gates, keeps } = cells[kind] as (typeof cells)[string];
  const state = 4 * batch * hidden;
  const weight = 4 * gates * hidden * hidden;
  let [held, most] = [0, 0];
  for (let cell = layers * directions - 1; cell >= 0; cell--) {
    const top = cell >= (layers - 1) * directions;
    const entering = cell < directions ? features : directions * hidden;
    const came = top && last ? state : length * state;
    // Of the last position, of the one before it, and once all gradients of the gates' inputs are put together.
    const first = Math.max(kind === 'RNN' ? 0 : 4 * state, weight + (length > 1 ? 2 : -2) * state);
    const ended = length > 3 ? 0 : came + (length === 2 ? 2 * state : 0);
    const second = length > 1 ? 3 * weight + (kind === 'RNN' ? 1 : 1 - 2 * (keeps - gates)) * state - ended : 0;
    const together = weight + length * state * (2 * gates - keeps) - came - state;
    most = Math.max(most, held + first, held + second, held + together);
    held += weight + 4 * gates * hidden * (entering + 2) - length * (keeps * state + 4 * batch * entering);
    if (cell >= directions) held += length * 4 * batch * entering;
  }
  return most;
}
