/** The kinds that the memory bench's networks are drawn from, and which bound a network falls under. */
import { layerKinds } from '../../engine/contract/layers/index.ts';

export type Bound = 'feed-forward' | 'sequence';

const sequential = /"kind":\s*"(RNN|LSTM|GRU|MultiheadAttention|TransformerEncoder(Layer)?)"/;

/** Which bound a project's text falls under. */
export function boundOf(text: string): Bound {
  return sequential.test(text) ? 'sequence' : 'feed-forward';
}

export const plain = layerKinds.filter(({ kind, stacks }) => !stacks && kind !== 'Block');
export const kindsOf = (...categories: string[]) =>
  plain.filter(({ category }) => categories.includes(category)).map(({ kind }) => kind);
export const pointwise = kindsOf('activation');
export const weightless = [
  ...kindsOf('pool', 'shape', 'activation').filter((kind) => !['PReLU', 'SqueezeExcite'].includes(kind)),
  ...['Dropout', 'Dropout1d', 'Dropout2d', 'AlphaDropout'],
];
export const ofRank = (rank: number) => ({
  convolutions: [`Conv${rank}d`, ...(rank === 2 ? ['DepthwiseSeparableConv2d'] : [])],
  transposed: [`ConvTranspose${rank}d`],
  pools: kindsOf('pool').filter((kind) => kind.endsWith(`${rank}d`)),
  norms: [`BatchNorm${rank}d`, `InstanceNorm${rank}d`, 'GroupNorm', 'LocalResponseNorm'],
  drops: [`Dropout${rank}d`, 'Dropout', 'AlphaDropout', 'FeatureAlphaDropout', 'StochasticDepth'],
});
