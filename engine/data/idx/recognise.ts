/** Recognises IDX files by their first bytes, in a folder or one of them. */
import type { Recognised } from '../../contract/data/inspect.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { looksLikeIdx } from './format.ts';
import { openIdxSource } from './source.ts';

/** An IDX source has a few files. */
const mostFiles = 200;

export async function recogniseIdx({ files, path, kind, head }: Found): Promise<Recognised[]> {
  if (files.length > mostFiles) return [];
  let count = 0;
  for (const file of files) if (looksLikeIdx(await head(file.path, 4))) count += 1;
  if (count === 0) return [];
  const source = { kind: 'idx' as const, path };
  const opened = await openIdxSource(source, path);
  const facts = factsOf(opened, await opened.target());
  const { train, test } = facts.parts;
  return [
    {
      source,
      title: `IDX files, ${train.toLocaleString('en')} samples${test ? ` and ${test.toLocaleString('en')} to test with` : ''}`,
      reason:
        kind === 'file'
          ? 'It begins as an IDX file does, and its header gives its size.'
          : `${count === 1 ? 'One file begins' : `${count} files begin`} as IDX files do, and samples and targets are equal in number.`,
      sure: 'certain',
      guesses: [],
      notes: opened.notes ?? [],
      facts,
    },
  ];
}
