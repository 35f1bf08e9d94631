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
  const { layer, keeps } = operation;
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
  const passes = {
    unkept: unkept + (last ? directions : 0),
    ...(whole
      ? { forward: 4.7, backward: last ? 5.2 : 6.25 }
      : {
          forward: projected > 0 ? 3 + 1.6 * directions : kind === 'RNN' ? 2 * directions - 1 : 2 * directions + 1,
          backward: -1.5 / directions,
        }),
  };
  // oneDNN lays weights out in its own order; cell by cell their gradients are added up position by position.
  const widest = layers > 1 ? Math.max(features, directions * state) : features;
  const weights = 4 * gates * hidden * (widest + state);
  const fixed = whole
    ? { unkept: weights, forward: weights, backward: 2 * weights }
    : { unkept: 0, forward: 0, backward: 8 * gates * hidden * state };
  return {
    // oneDNN's own workspace is in fp32 in any precision.
    keeps: { ...keeps, bytes: 4 * values, integers: whole ? 4 * layers * directions * length * (15 * hidden + 16) : 0 },
    workspace: (batch, pass) => batch * unit * passes[pass] + fixed[pass],
  };
}
