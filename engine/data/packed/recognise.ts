/** Recognises a folder that an import made. */
import type { Recognised } from '../../contract/data/inspect.ts';
import { namedNote } from '../named-notes.ts';
import { packFacts, packName, readPackFile } from '../pack-file.ts';
import type { Found } from '../recognise/recogniser.ts';
import { openPackedSource } from './source.ts';

export async function recognisePack({ files, kind, path }: Found): Promise<Recognised[]> {
  if (kind !== 'folder' || !files.some(({ name }) => name === packName)) return [];
  const file = await readPackFile(path);
  if (!file) return [];
  const source = { kind: 'pack' as const, path };
  await openPackedSource(source, path); // throws where it is not whole
  const facts = packFacts(file);
  const left = file.skipped ?? [];
  return [
    {
      source,
      title: `Imported data, ${facts.parts.train.toLocaleString('en')} samples`,
      reason: `Its ${packName} tells what it holds, and every file has its size.`,
      sure: 'certain',
      guesses: [],
      notes: namedNote(
        'Samples were left out that could not be read',
        left.map(({ name }) => name),
      ),
      facts,
    },
  ];
}
