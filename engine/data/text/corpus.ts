/** The text files of a `text` source as one stream of tokens, in its parts: by the files' names, or cut near the end. */
import { basename, resolve } from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { TextSource } from '../../contract/sources/text.ts';
import type { PartName } from '../../contract/tensors.ts';
import { readName } from '../arrays/names.ts';
import { type ContentOptions, isGzip, measureContent, readContent } from '../content.ts';
import { listFolder } from '../listing.ts';
import { namedNote } from '../named-notes.ts';
import { pathStatus } from '../path-status.ts';
import { decoderFor, guessEncoding } from '../table/encoding-guess.ts';
import { Tokenizer, type Tokens } from './tokenizer.ts';

export interface TextFile {
  path: string;
  name: string;
  bytes: number;
  modified: number;
  /** As its name says; null: the text is cut. */
  part: PartName | null;
}

export const textEnding = /\.(txt|text|md|tokens|raw)(\.gz)?$/i;
const maxFiles = 100_000;

/** @throws GradloomError DATA_MISSING, NOT_READABLE */
export async function findTexts(path: string, notes: DataNote[]): Promise<TextFile[]> {
  const status = await pathStatus(path, 'a text file or a folder of them');
  if (!status.isDirectory()) {
    return [{ path, name: basename(path), bytes: status.size, modified: status.mtimeMs, part: null }];
  }
  const listing = await listFolder(resolve(path), { most: maxFiles });
  const texts = listing.files
    .filter(({ name }) => textEnding.test(name))
    .map((file) => ({ ...file, part: readName(file.name.replace(textEnding, '')).part }));
  const trained = texts.some(({ part }) => part === 'train');
  const used = trained ? texts.filter(({ part }) => part !== null) : texts.map((file) => ({ ...file, part: null }));
  if (used.length === 0) {
    throw new GradloomError('DATA_MISSING', `${path} holds no text files.`, {
      hint: 'Give files that end in .txt, .text or .md, gzip or not, or one file by its own path.',
      path,
    });
  }
  const paths = new Set(used.map((file) => file.path));
  const others = listing.files.filter((file) => !paths.has(file.path)).map(({ name }) => name);
  notes.push(...namedNote('Files that are no text of a part were left out', others));
  return used;
}

export interface Piece {
  part: PartName;
  tokens: Tokens;
}

/** Encodings and sizes are found once for every reading of the same files. */
export interface Corpus {
  files: TextFile[];
  encodings: string[];
  /** Of their content. */
  bytes: number;
  settings: TextSource;
}

export async function openCorpus(files: TextFile[], settings: TextSource): Promise<Corpus> {
  const encodings: string[] = [];
  let bytes = 0;
  for (const { path, bytes: size } of files) {
    encodings.push(settings.encoding ?? (await guessEncoding(path)).encoding);
    bytes += (await isGzip(path)) ? await measureContent(path) : size;
  }
  return { files, encodings, bytes, settings };
}

/** Every token, in order. Files of one part are one text, a line break between them. */
export async function* tokensOf(
  { files, encodings, bytes, settings }: Corpus,
  options: { signal?: AbortSignal | undefined; onRead?: ((file: string, bytes: number) => void) | undefined } = {},
): AsyncGenerator<Piece, void, void> {
  const { signal, onRead } = options;
  const named = files.some(({ part }) => part !== null);
  const cutAt = Math.floor(bytes * (1 - settings.test));
  let seen = 0;
  let part: PartName | null = null;
  let tokenizer = new Tokenizer(settings, true);
  for (const [i, file] of files.entries()) {
    const next: PartName = file.part ?? (part === null ? 'train' : part);
    if (part !== null && next !== part) {
      yield { part, tokens: tokenizer.end() };
      tokenizer = new Tokenizer(settings, true);
    }
    part = next;
    const decoder = decoderFor(encodings[i] as string);
    const read: ContentOptions = { signal, onRead: onRead && ((count) => onRead(file.path, count)) };
    let last = '';
    for await (const chunk of readContent(file.path, read)) {
      const before = named || part === 'test' ? chunk.length : Math.min(chunk.length, cutAt - seen);
      for (const piece of [chunk.subarray(0, before), chunk.subarray(before)]) {
        if (piece.length === 0) continue;
        // A token that begins before the cut and is held back goes with what follows it.
        if (piece.byteOffset > chunk.byteOffset || before === 0) part = 'test';
        const text = decoder.decode(piece, { stream: true });
        last = text || last;
        yield { part, tokens: tokenizer.push(text) };
      }
      seen += chunk.length;
    }
    const rest = decoder.decode();
    yield { part, tokens: tokenizer.push(rest) };
    const goesOn = i < files.length - 1 && files[i + 1]?.part === file.part;
    if (goesOn && !/[\r\n]$/.test(rest || last)) yield { part, tokens: tokenizer.push('\n') };
  }
  if (part !== null) yield { part, tokens: tokenizer.end() };
}
