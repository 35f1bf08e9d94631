/** What is told of a vocabulary. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { TextReading } from '../../contract/sources/text.ts';
import { paddingToken, unknownToken, type Vocabulary } from './vocabulary.ts';

export function vocabularyNotes({ level }: Pick<TextReading, 'level'>, { tokens, met }: Vocabulary): DataNote[] {
  const words = level === 'char' ? 'characters' : 'words and signs';
  const specials = [paddingToken, unknownToken].filter((token) => tokens.includes(token));
  const left = met - (tokens.length - specials.length);
  const rare = left > 0 ? ` but the ${left.toLocaleString('en')} rarest` : '';
  return [
    {
      message: `The vocabulary has ${tokens.length.toLocaleString('en')} tokens: ${specials.join(', ')}, and the training part's ${words}${rare}`,
    },
  ];
}
