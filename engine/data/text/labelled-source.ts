/** The `labelled_text` source: texts as rows of tokens of one length, and the class of each. */
import { resolve } from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import type { LabelledTextSource } from '../../contract/sources/text.ts';
import { type PartName, partNames, type TargetType } from '../../contract/tensors.ts';
import { inCodePoints, listFolder } from '../listing.ts';
import type { OpenSource, WriteOptions } from '../open-source.ts';
import { pathStatus } from '../path-status.ts';
import { remember } from '../remember.ts';
import { classFiles, type Document, type Documents, fileDocuments } from './documents.ts';
import { tableDocuments } from './table-documents.ts';
import { tokensIn } from './tokenizer.ts';
import { Counter, paddingToken, textOf, unknownToken, type Vocabulary } from './vocabulary.ts';
import { vocabularyNotes } from './vocabulary-notes.ts';

const tokenBytes = 8;
/** Rows that are handed to the packer at once. */
const rowsTogether = 256;
/** More labels than this are no classes. */
const mostClasses = 65_536;

interface Survey {
  counts: Record<PartName, number>;
  classes: string[];
  /** Texts of the training part in each class. */
  perClass: number[];
  /** Classes that the training part lacks: samples of them are bad ones. */
  unseen: string[];
  vocabulary: Vocabulary;
  names: Record<PartName, string[]>;
  empty: number;
  cut: number;
}

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openLabelledText(settings: LabelledTextSource, baseDir: string): Promise<OpenSource> {
  const path = resolve(baseDir, settings.path);
  const documents = await findDocuments(path, settings);
  const { path: _, on_bad, ...rest } = settings;
  const identity = [...documents.identity, rest];
  const found = await remember(['labelled text', identity], () => survey(documents, settings));
  const { counts, classes, vocabulary } = found;
  if (counts.train === 0) {
    throw new GradloomError('DATA_MISSING', `${path} has no texts to train on.`, {
      hint: 'Give a folder of text files for each class, or a table with a column of texts and one of labels.',
      path,
    });
  }
  const { length } = settings;
  const parts: OpenSource['parts'] = { train: counts.train };
  for (const part of ['val', 'test'] as const) if (counts[part] > 0) parts[part] = counts[part];
  const target: TargetType = { kind: 'class', classes, counts: found.perClass };

  return {
    identity,
    readBytes: 2 * Object.keys(parts).length * documents.bytes,
    parts,
    columns: {
      input: { dtype: 'int64', shape: [length], scaled: false },
      target: { dtype: 'int64', shape: [], scaled: false },
    },
    tokens: vocabulary.tokens.length,
    padding: 0,
    textOf: (tokens) => textOf(tokens, vocabulary, settings),
    nameOf: (part, index) => found.names[part as PartName][index] ?? String(index),
    notes: [...documents.notes, ...notesOf(settings, found)],
    skipsBad: on_bad === 'skip',
    async encoding() {
      const { level, lowercase } = settings;
      return {
        kind: 'labelled_text',
        level,
        lowercase,
        length,
        tokens: [...vocabulary.tokens],
        padding: 0,
        unknown: 1,
      };
    },
    async target() {
      return target;
    },
    async write(part, sink, options) {
      const { signal, onRead } = options;
      const row = rowOf(settings, vocabulary);
      await documents.read({ signal, onRead }, (all) =>
        sink(
          'input',
          packed(all, part, length * tokenBytes, (text, out) => row(text.text, out)),
        ),
      );
      const indices = new Map(classes.map((name, index) => [name, index]));
      await documents.read({ signal, onRead }, (all) =>
        sink('target', packed(all, part, tokenBytes, labelInto(part, indices, options))),
      );
    },
  };
}

async function findDocuments(path: string, settings: LabelledTextSource): Promise<Documents> {
  const status = await pathStatus(path, 'a folder of texts or a table');
  if (!status.isDirectory()) return tableDocuments(path, settings);
  const notes: DataNote[] = [];
  const { files } = await listFolder(path);
  return fileDocuments(classFiles(files, notes), settings.encoding, notes);
}

async function survey(documents: Documents, settings: LabelledTextSource): Promise<Survey> {
  const counter = new Counter();
  const labels: Record<PartName, Map<string, number>> = { train: new Map(), val: new Map(), test: new Map() };
  const names: Survey['names'] = { train: [], val: [], test: [] };
  let [empty, cut] = [0, 0];
  await documents.read({}, async (all) => {
    for await (const { part, name, label, text } of all) {
      names[part].push(name);
      if (label !== null) labels[part].set(label, (labels[part].get(label) ?? 0) + 1);
      const tokens = tokensIn(text, settings);
      if (tokens.length === 0) empty++;
      if (tokens.length > settings.length) cut++;
      if (part === 'train') counter.add(tokens);
    }
  });
  const classes = inOrderOf([...labels.train.keys()]);
  const others = new Set([...labels.val.keys(), ...labels.test.keys()].filter((label) => !labels.train.has(label)));
  const unseen = inOrderOf([...others]);
  if (classes.length > mostClasses) {
    throw new GradloomError(
      'LABEL_RANGE',
      `There are ${classes.length} different labels; at most ${mostClasses} are possible.`,
      {
        hint: 'Choose another column of labels: data.source.label.',
        path: 'data.source.label',
      },
    );
  }
  return {
    counts: { train: names.train.length, val: names.val.length, test: names.test.length },
    classes,
    perClass: classes.map((name) => labels.train.get(name) ?? 0),
    unseen,
    vocabulary: counter.vocabulary([paddingToken, unknownToken], settings),
    names,
    empty,
    cut,
  };
}

/** Numbers by size, anything else by code points. */
function inOrderOf(labels: string[]): string[] {
  const numbers = labels.every((label) => /^-?\d+$/.test(label));
  return labels.sort(numbers ? (a, b) => Number(a) - Number(b) : inCodePoints);
}

function notesOf(settings: LabelledTextSource, { vocabulary, unseen, empty, cut, counts }: Survey): DataNote[] {
  const notes: DataNote[] = [...vocabularyNotes(settings, vocabulary)];
  const all = partNames.reduce((sum, part) => sum + counts[part], 0);
  if (unseen.length > 0) {
    notes.push({ message: 'Classes that no sample of the training part has', names: unseen, count: unseen.length });
  }
  if (empty > 0) notes.push({ message: 'Texts without a single token became one <unk>', count: empty });
  if (cut > 0) {
    const most = plural(settings.length, 'token');
    notes.push({ message: `${cut} of ${all} texts are longer than ${most} and were cut there`, count: cut });
  }
  return notes;
}

/** Writes the tokens of a text, as many as there is room for; what is left stays token 0, padding. */
function rowOf(settings: LabelledTextSource, vocabulary: Vocabulary) {
  return (text: string, out: Buffer): void => {
    const tokens = tokensIn(text, settings);
    const used = tokens.length === 0 ? [unknownToken] : tokens.slice(0, settings.length);
    for (const [i, token] of used.entries()) out.writeUInt32LE(vocabulary.index(token), i * tokenBytes);
  };
}

function labelInto(part: string, classes: ReadonlyMap<string, number>, { onBad }: Pick<WriteOptions, 'onBad'>) {
  return ({ label, name }: Document, out: Buffer, index: number): void => {
    const found = label === null ? undefined : classes.get(label);
    if (found !== undefined) return void out.writeUInt32LE(found, 0);
    const reason = label === null ? 'it has no label' : `no sample that trains is of its class ${label}`;
    onBad({ part, index, name, reason });
  };
}

/** The rows of one part. */
async function* packed(
  documents: AsyncIterable<Document>,
  part: string,
  rowBytes: number,
  put: (document: Document, out: Buffer, index: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let out = Buffer.alloc(rowsTogether * rowBytes);
  let rows = 0;
  let index = 0;
  for await (const document of documents) {
    if (document.part !== part) continue;
    put(document, out.subarray(rows * rowBytes, (rows + 1) * rowBytes), index++);
    if (++rows < rowsTogether) continue;
    yield out;
    out = Buffer.alloc(rowsTogether * rowBytes);
    rows = 0;
  }
  if (rows > 0) yield out.subarray(0, rows * rowBytes);
}
