/** The `text` source: windows of a text, and for each of their tokens the one that follows. */
import { resolve } from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { TextSource } from '../../contract/sources/text.ts';
import type { PartName } from '../../contract/tensors.ts';
import type { ColumnType, OpenSource } from '../open-source.ts';
import { remember } from '../remember.ts';
import { type Corpus, findTexts, openCorpus, tokensOf } from './corpus.ts';
import { Counter, countOf, textOf, unknownToken, type Vocabulary } from './vocabulary.ts';
import { vocabularyNotes } from './vocabulary-notes.ts';
import { windowCount, windows } from './windows.ts';

interface Survey {
  corpus: Corpus;
  /** Tokens of each part. */
  counts: Record<PartName, number>;
  vocabulary: Vocabulary;
}

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openTextSource(settings: TextSource, baseDir: string): Promise<OpenSource> {
  const path = resolve(baseDir, settings.path);
  const notes: DataNote[] = [];
  const files = await findTexts(path, notes);
  const { path: _, stride: given, ...rest } = settings;
  const stride = given ?? settings.length;
  const identity = [...files.map((file) => [file.path, file.bytes, file.modified]), { ...rest, stride }];
  const { corpus, counts, vocabulary } = await remember(['text', identity], () => survey(files, settings));
  const { length } = settings;

  const parts: OpenSource['parts'] = { train: windowCount(counts.train, length, stride) };
  if (parts.train === 0) {
    throw new GradloomError(
      'DATA_COUNT',
      `${path} has ${plural(counts.train, 'token')} to train on; a sample needs ${length + 1}.`,
      { hint: 'Give a longer text, or a smaller data.source.length.', path },
    );
  }
  for (const part of ['val', 'test'] as const) {
    const count = windowCount(counts[part], length, stride);
    if (count > 0) parts[part] = count;
    else if (counts[part] > 0) {
      const words = part === 'val' ? 'validation' : 'test';
      notes.push({
        message: `The ${words} part has ${plural(counts[part], 'token')}, too few for one sample: it is left out`,
      });
    }
  }
  notes.push(...vocabularyNotes(settings, vocabulary));
  if (stride < length) {
    notes.push({
      message:
        'Samples overlap: validate on the test part (data.split.val "test"), or what trains is also what is validated on',
    });
  }
  const column: ColumnType = { dtype: 'int64', shape: [length], scaled: false };
  const fileBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const words = settings.level === 'char' ? 'characters' : 'tokens';

  return {
    identity,
    readBytes: 2 * Object.keys(parts).length * fileBytes,
    parts,
    columns: { input: column, target: column },
    tokens: vocabulary.tokens.length,
    textOf: (tokens) => textOf(tokens, vocabulary, settings),
    nameOf: (_part, index) => `${words} ${index * stride} to ${index * stride + length - 1}`,
    notes,
    async encoding() {
      const { level, lowercase } = settings;
      return { kind: 'text', level, lowercase, length, tokens: [...vocabulary.tokens], unknown: 0 };
    },
    async target() {
      return { kind: 'next_token', dims: [length], tokens: vocabulary.tokens.length };
    },
    async write(part, sink, options) {
      const { signal, onRead } = options;
      for (const [role, from] of [
        ['input', 0],
        ['target', 1],
      ] as const) {
        await sink(role, windows(ofPart(corpus, part, { signal, onRead }), vocabulary, { length, stride, from }));
      }
    },
  };
}

async function survey(files: Corpus['files'], settings: TextSource): Promise<Survey> {
  const corpus = await openCorpus(files, settings);
  const counts: Record<PartName, number> = { train: 0, val: 0, test: 0 };
  const counter = new Counter();
  for await (const { part, tokens } of tokensOf(corpus)) {
    counts[part] += countOf(tokens);
    if (part === 'train') counter.add(tokens);
  }
  return { corpus, counts, vocabulary: counter.vocabulary([unknownToken], settings) };
}

async function* ofPart(corpus: Corpus, wanted: string, options: Parameters<typeof tokensOf>[1]) {
  const cut = corpus.files.every(({ part }) => part === null);
  for await (const { part, tokens } of tokensOf(corpus, options)) {
    if (part === wanted) yield tokens;
    else if (cut && wanted === 'train') return; // the rest is the test part
  }
}
