/** What recurrent layers keep and take on the CPU. */
import type { Operation } from '../estimate-types.ts';

/** Values that a cell keeps at each position, in hidden sizes. */
const cellKeeps: Record<string, number> = { RNN: 1, GRU: 7, LSTM: 6.5 };

/**
 * oneDNN computes an LSTM with a workspace of its own; the other kinds, and an LSTM with projections or of sequences with padding, go cell by
 * cell.
 */
export function recurrentOnCpu({ layer, keeps }: Operation): Pick<Operation, 'keeps' | 'workspace'> {
  const { kind, args, input } = layer;
  const [length = 1, features = 1] = input;
  const [hidden, layers] = [args.hidden_size as number, args.num_layers as number];
  const directions = args.bidirectional === true ? 2 : 1;
  const projected = (args.proj_size as number | undefined) ?? 0;
  const state = projected || hidden;
  const whole = kind === 'LSTM' && projected === 0 && (args.mask ?? null) === null;
  // The last position alone leaves the whole sequence behind.
  let values = args.output === 'last' ? directions * length * state : 0;
  for (let index = 0; index < layers; index++) {
    const entering = index === 0 ? features : directions * state;
    const one = whole
      ? length * (15 * hidden + 16 + entering + 6.5 * Math.max(0, entering - hidden)) + 14 * hidden
      : length * ((cellKeeps[kind] as number) * hidden + (projected > 0 ? state : 0) + entering);
    values += directions * one;
    if (whole && directions === 2) values += length * Math.max(0, 2 * hidden - entering);
    const dropped = index < layers - 1 && Number(args.dropout ?? 0) > 0;
    if (dropped) values += (whole ? 2 : 1) * directions * length * state;
  }
  const unit = 4 * length * hidden;
  const [forward, backward] = whole
    ? [4.7, args.output === 'last' ? 5.2 : 6.25]
    : kind === 'RNN'
      ? [2 * directions - 1, 0.4]
      : [2 * directions + 1, 0];
  return {
    keeps: { ...keeps, bytes: 4 * values },
    workspace: (batch, pass) => batch * unit * (pass === 'backward' ? backward : forward),
  };
}
