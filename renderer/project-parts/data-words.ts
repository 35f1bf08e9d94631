/** What data are, in words: "1×28×28, one of 10 classes, 8,000 training samples". Pure. */
import { type DataFacts, targetSentence } from '../../engine/contract/tensors.ts';
import { dims, plural, tensorWords } from '../ui/index.ts';

export const inputWords = ({ input }: DataFacts): string => tensorWords(input.dims, input.dtype === 'int64');

export function dataWords(facts: DataFacts): string {
  const samples = plural(facts.parts.train, 'training sample');
  return `${inputWords(facts)}, ${targetSentence(facts.target, dims)}, ${samples}`;
}
