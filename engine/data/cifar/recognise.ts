/** Recognises CIFAR's binary version by its files' names and sizes, in its folder, one above it, or its archive. */
import { basename } from 'node:path';
import type { Recognised } from '../../contract/data/inspect.ts';
import { integer, plural } from '../../contract/format.ts';
import { factsOf } from '../describe.ts';
import type { Found } from '../recognise/recogniser.ts';
import { openCifar } from './source.ts';

const ownName = /^(data_batch_\d+|test_batch|train|test)(\.bin)?(\.gz)?$/i;
const mostFiles = 200;

export async function recogniseCifar({ files, path, kind, head }: Found): Promise<Recognised[]> {
  if (
    kind === 'file'
      ? !isArchive(await head(path, 4096))
      : !files.slice(0, mostFiles).some(({ name }) => ownName.test(basename(name)))
  ) {
    return [];
  }
  const source = { kind: 'cifar' as const, path, labels: 'fine' as const };
  const opened = await openCifar(source, path);
  const facts = factsOf(opened, await opened.target());
  const classes = facts.target.kind === 'class' ? facts.target.classes.length : 0;
  const { train, test } = facts.parts;
  return [
    {
      source,
      title: `CIFAR-${classes}, ${plural(train, 'image')}${test ? ` and ${integer(test)} to test with` : ''}`,
      reason: 'Its files have the names and the sizes of the binary version.',
      sure: 'certain',
      guesses: [],
      notes: opened.notes ?? [],
      facts,
    },
  ];
}

/** A TAR archive among whose first entries one is CIFAR's: before it may stand `./`, and headers that say more of an entry. */
function isArchive(start: Buffer): boolean {
  return start.toString('latin1', 257, 262) === 'ustar' && /cifar|data_batch/i.test(start.toString('latin1'));
}
