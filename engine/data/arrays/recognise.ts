/** Recognises NumPy's arrays by their first bytes, in a folder, an archive, or a file. */
import type { Recognised } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { integer } from '../../contract/format.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { openNpz } from './npy.ts';
import { looksLikeNpy } from './npy-format.ts';
import { lookAtArrays, type NpySettings } from './source.ts';

/** A set of arrays has a few files. */
const mostFiles = 200;

export async function recogniseArrays(found: Found): Promise<Recognised[]> {
  const { path } = found;
  if (!(await holdsArrays(found))) return [];
  const source = { kind: 'npy' as const, path };
  try {
    const reading = await read(found, source, 'certain');
    const { input } = reading;
    const whole = input.type.whole && input.dims.length === 2 && input.type.bytes > 1;
    return [reading.recognised, ...(whole ? [asTokens(source)] : [])];
  } catch (thrown) {
    // Without labels there is still something to learn from the inputs themselves.
    if (!(thrown instanceof GradloomError) || thrown.code !== 'DATA_MISSING') throw thrown;
    const alone: NpySettings = { ...source, target: 'input' };
    const reading = await read(found, alone, 'possible').catch(() => null);
    if (!reading) throw thrown;
    return [{ ...reading.recognised, notes: [...reading.recognised.notes, { message: thrown.message }] }];
  }
}

async function holdsArrays({ files, kind, path, head }: Found): Promise<boolean> {
  if (files.length > mostFiles) return false;
  for (const file of files) {
    const start = await head(file.path, 6);
    if (looksLikeNpy(start)) return true;
    const archive = start.subarray(0, 2).toString('latin1') === 'PK';
    if (archive && /\.npz$/i.test(file.name)) return true;
    if (archive && kind === 'file') return (await openNpz(path).catch(() => [])).length > 0;
  }
  return false;
}

async function read({ path, kind }: Found, source: NpySettings, sure: Recognised['sure']) {
  const { opened, input, guesses } = await lookAtArrays(source, path);
  const facts = factsOf(opened, await opened.target());
  const { train, test } = facts.parts;
  const alone = source.target === 'input';
  const recognised: Recognised = {
    source: { ...source },
    title: `NumPy arrays, ${integer(train)} samples${test ? ` and ${integer(test)} to test with` : ''}`,
    reason: `${kind === 'file' ? 'It begins as what NumPy writes does' : 'Files begin as what NumPy writes does'}, and ${alone ? 'there are inputs without targets, to be given again' : 'inputs and targets are equal in number'}.`,
    sure,
    guesses,
    notes: opened.notes ?? [],
    facts,
  };
  return { recognised, input };
}

function asTokens(source: NpySettings): Recognised {
  return {
    source: { ...source, tokens: true },
    title: 'NumPy arrays of tokens',
    reason: 'The inputs are rows of whole numbers: they may stand for words or other tokens.',
    sure: 'possible',
    guesses: [{ key: 'tokens', value: true, reason: 'the inputs are whole numbers' }],
    notes: [],
    facts: null,
  };
}
