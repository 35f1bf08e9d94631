/** Recurrent layers: they read a sequence position by position and carry a state along. */
import { choice, flag, integer, number } from '../fields.ts';
import type { PlannedTensor } from '../plan-types.ts';
import type { Shape, Values } from '../report.ts';
import { productLine } from './explain.ts';
import { type LayerExample, type LayerKind, layerKind, parameter, product } from './kind.ts';
import { pythonCall } from './python.ts';
import { recurrentOnCpu } from './recurrent-cpu.ts';
import { sequenceDims } from './sequence.ts';
import { definitionOf, masksPiece, maskWords, withWords } from './sequence-python.ts';

const hidden_size = integer({ label: 'State', help: 'Values of the state that is carried along.', unit: 'features' });
const num_layers = integer({
  label: 'Layers',
  help: 'As many, one reading what the one before it answers.',
  max: 1000,
  default: 1,
});
const bias = flag({ label: 'Bias', help: 'Adds learned values to the sums.', default: true });
const dropout = number({
  label: 'Dropout',
  help: 'Share of the values between its layers that training sets to 0; with one layer there is nothing between.',
  min: 0,
  max: 1,
  default: 0,
  idle: ({ num_layers }) => (num_layers === 1 ? 'With one layer there is nothing between layers.' : null),
});
const bidirectional = flag({
  label: 'Both directions',
  help: 'A second set of weights reads the sequence from its end; the answers stand side by side.',
  default: false,
});
const output = choice(['sequence', 'last'], {
  label: 'Output',
  help: 'The answer at every position, or the last one alone: what is known once all was read (in each direction).',
  default: 'sequence',
});

const rnnParams = {
  hidden_size,
  num_layers,
  nonlinearity: choice(['tanh', 'relu'], {
    label: 'Nonlinearity',
    help: 'The function that makes the new state.',
    default: 'tanh',
  }),
  bias,
  dropout,
  bidirectional,
  output,
};
const gruParams = { hidden_size, num_layers, bias, dropout, bidirectional, output };
const lstmParams = {
  hidden_size,
  num_layers,
  bias,
  dropout,
  bidirectional,
  proj_size: integer({
    label: 'Projection',
    help: 'The answer, and what is carried along of it, is projected to so many values; 0: not.',
    min: 0,
    default: 0,
  }),
  output,
};

const recurrentPiece = `class Recurrent(nn.Module):
    """A recurrent layer that answers one tensor: all positions, or what each direction knows at its end."""

    def __init__(self, rnn, output="sequence", mask=None):
        super().__init__()
        self.rnn, self.output, self.mask = rnn, output, mask

    def extra_repr(self):
        return f"output={self.output}, mask={self.mask}"

    def forward(self, x):
        if self.mask is None:
            outputs, state = self.rnn(x)
        else:
            positions = torch.arange(1, x.shape[1] + 1, device=x.device)
            lengths = (positions * ~masks[self.mask]).amax(1).cpu()
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            outputs, state = self.rnn(packed)
            outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])
        if self.output == "sequence":
            return outputs
        last = state[0] if isinstance(state, tuple) else state
        return torch.cat(list(last[-2 if self.rnn.bidirectional else -1 :]), 1)`;

interface Recurrent {
  hidden_size: number;
  num_layers: number;
  bias: boolean;
  dropout: number;
  bidirectional: boolean;
  proj_size?: number;
  output: 'sequence' | 'last';
}

/** What RNN, LSTM and GRU have in common. `gates`: blocks of hidden_size in their weights; `kept`: values a position keeps, by hidden_size. */
function recurrent<const S extends Shape>(row: {
  kind: string;
  label: string;
  help: string;
  params: S;
  gates: number;
  kept: number;
  examples: LayerExample[];
}): LayerKind {
  const { kind, params, gates, kept, label, help, examples } = row;
  return layerKind<S>({
    kind,
    label,
    help,
    params,
    examples,
    category: 'sequence',
    derived: ['input_size', 'mask'],
    mask: 'keeps',
    onCpu: recurrentOnCpu,
    formula:
      '[L, input] → [L, directions · state], last: [directions · state]; the state is proj_size where there is one',
    flopsFormula: `2 · L · weights + ${gates + 5} · L · directions · num_layers · hidden_size (values of its matrices, then gates and states; biases not counted, as in torch.utils.flop_counter)`,
    resolve(values: Values<S>, context) {
      const given = values as unknown as Recurrent;
      const sequence = sequenceDims(kind, context);
      if (!sequence) return null;
      const [length, input_size] = sequence;
      const { hidden_size, num_layers, bidirectional, proj_size = 0 } = given;
      if (proj_size >= hidden_size) {
        return context.refuse(
          'BAD_VALUE',
          'proj_size',
          `proj_size must be smaller than hidden_size, but ${proj_size} is not smaller than ${hidden_size}`,
          'Lower it, or set it to 0 for no projection.',
          [
            context.set('Set proj_size to 0', { proj_size: 0 }),
            context.set(`Set hidden_size to ${proj_size + 1}`, { hidden_size: proj_size + 1 }),
          ],
        );
      }
      const state = proj_size > 0 ? proj_size : hidden_size;
      const directions = bidirectional ? 2 : 1;
      const { tensors, weights } = tensorsOf(given, gates, input_size, state, directions);
      const { mask } = context.input;
      const ends = given.output === 'last';
      return {
        args: { input_size, mask, ...(values as Record<string, string | number | boolean>) },
        output: ends ? [directions * state] : [length, directions * state],
        ...(ends ? { mask: null } : {}),
        tensors,
        random: given.dropout > 0 && num_layers > 1,
        flops: length * (2 * weights + num_layers * directions * (gates + 5) * hidden_size),
        keeps: {
          input: true,
          bytes: 4 * length * num_layers * directions * (kept * hidden_size + state),
        },
      };
    },
    explain: ({ bidirectional: both, proj_size: projected, hidden_size: hidden }) => [
      productLine('features', [...(both ? [2] : []), (projected || hidden) as number]),
    ],
    python(args) {
      const own = Object.fromEntries(Object.entries<Shape[string]>(params).filter(([name]) => name !== 'output'));
      const call = pythonCall(`nn.${kind}`, own, args, ['input_size', 'hidden_size']);
      const words = `${args.output === 'last' ? ', output="last"' : ''}${maskWords(args)}`;
      return withWords(`Recurrent(${withWords(call, ', batch_first=True')})`, words);
    },
    definition: definitionOf(masksPiece, recurrentPiece),
  });
}

/** Weights of each layer and direction, in PyTorch's order, and how many values matrices hold. */
function tensorsOf(given: Recurrent, gates: number, input_size: number, state: number, directions: number) {
  const { hidden_size, num_layers, bias, proj_size = 0 } = given;
  const tensors: PlannedTensor[] = [];
  let weights = 0;
  const matrix = (name: string, shape: [number, number]) => {
    tensors.push(parameter(name, shape));
    weights += product(shape);
  };
  const rows = gates * hidden_size;
  for (let layer = 0; layer < num_layers; layer++) {
    for (const end of directions === 2 ? ['', '_reverse'] : ['']) {
      const suffix = `l${layer}${end}`;
      matrix(`rnn.weight_ih_${suffix}`, [rows, layer === 0 ? input_size : directions * state]);
      matrix(`rnn.weight_hh_${suffix}`, [rows, state]);
      if (bias) {
        tensors.push(parameter(`rnn.bias_ih_${suffix}`, [rows]), parameter(`rnn.bias_hh_${suffix}`, [rows]));
      }
      if (proj_size > 0) matrix(`rnn.weight_hr_${suffix}`, [proj_size, hidden_size]);
    }
  }
  return { tensors, weights };
}

const commonExamples: LayerExample[] = [
  { params: { hidden_size: 4 }, input: [5, 3], output: [5, 4] },
  { params: { hidden_size: 4, output: 'last', bias: false }, input: [5, 3], output: [4] },
  {
    params: { hidden_size: 3, num_layers: 2, bidirectional: true, dropout: 0.4 },
    input: [4, 5],
    output: [4, 6],
  },
  {
    params: { hidden_size: 3, num_layers: 2, bidirectional: true, output: 'last' },
    input: [4, 5],
    output: [6],
  },
];

export const recurrentKinds = [
  recurrent({
    kind: 'RNN',
    label: 'RNN',
    help: 'The plain recurrent layer: the new state is a function of the input and the old state. Forgets soon.',
    params: rnnParams,
    gates: 1,
    kept: 1,
    examples: [
      ...commonExamples,
      { params: { hidden_size: 4, nonlinearity: 'relu', num_layers: 2 }, input: [5, 3], output: [5, 4] },
    ],
  }),
  recurrent({
    kind: 'LSTM',
    label: 'LSTM',
    help: 'Long short-term memory: gates decide what is kept, forgotten and shown, so that it remembers over many positions.',
    params: lstmParams,
    gates: 4,
    kept: 6,
    examples: [
      ...commonExamples,
      {
        params: { hidden_size: 5, proj_size: 2, num_layers: 2, bidirectional: true },
        input: [4, 3],
        output: [4, 4],
      },
      { params: { hidden_size: 5, proj_size: 2, output: 'last' }, input: [4, 3], output: [2] },
    ],
  }),
  recurrent({
    kind: 'GRU',
    label: 'GRU',
    help: 'Gated recurrent unit: like an LSTM with fewer gates and one state.',
    params: gruParams,
    gates: 3,
    kept: 5,
    examples: commonExamples,
  }),
];
