/** Recognises IDX files by their first bytes, in a folder or one of them. */
import type { Recognised } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer } from '../../contract/format.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { looksLikeIdx } from './format.ts';
import { type IdxSettings, openIdxSource } from './source.ts';

/** An IDX source has a few files. */
const mostFiles = 200;

export async function recogniseIdx({ files, path, kind, head }: Found): Promise<Recognised[]> {
  if (files.length > mostFiles) return [];
  let count = 0;
  for (const file of files) if (looksLikeIdx(await head(file.path, 4))) count += 1;
  if (count === 0) return [];
  const begins =
    kind === 'file'
      ? 'It begins as an IDX file does'
      : `${count === 1 ? 'One file begins' : `${count} files begin`} as IDX files do`;
  const source: IdxSettings = { kind: 'idx', path };
  try {
    return [await read(source, 'certain', `${begins}, and samples and targets are equal in number.`)];
  } catch (thrown) {
    // Without labels there is still something to learn from the inputs themselves.
    if (!(thrown instanceof GradloomError) || thrown.code !== 'DATA_MISSING') throw thrown;
    const reason = `${begins}, and there are inputs without targets, to be given again.`;
    const alone = await read({ ...source, target: 'input' }, 'possible', reason).catch(() => null);
    if (!alone) throw thrown;
    return [{ ...alone, notes: [...alone.notes, { message: thrown.message }] }];
  }
}

async function read(source: IdxSettings, sure: Recognised['sure'], reason: string): Promise<Recognised> {
  const opened = await openIdxSource(source, source.path);
  const facts = factsOf(opened, await opened.target());
  const { train, test } = facts.parts;
  return {
    source: { ...source },
    title: `IDX files, ${integer(train)} samples${test ? ` and ${integer(test)} to test with` : ''}`,
    reason,
    sure,
    guesses: [],
    notes: opened.notes ?? [],
    facts,
  };
}
