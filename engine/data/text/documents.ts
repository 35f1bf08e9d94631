/** Texts with a label each: of a folder a class, or of a table's columns. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DataNote, Guess } from '../../contract/data/inspect.ts';
import type { PartName } from '../../contract/tensors.ts';
import { readStart } from '../content.ts';
import { inOrder } from '../in-order.ts';
import type { ListedFile } from '../listing.ts';
import { namedNote } from '../named-notes.ts';
import { partOf } from '../part-names.ts';
import { decoderFor } from '../table/encoding-guess.ts';

export interface Document {
  part: PartName;
  /** Its name within its part. */
  name: string;
  /** null: it has none. */
  label: string | null;
  text: string;
}

export interface Documents {
  /** Of everything that the texts come from. */
  identity: unknown[];
  bytes: number;
  notes: DataNote[];
  guesses: Guess[];
  /** Hands all of them to `work`, in an order that stays. */
  read<T>(options: ReadOptions, work: (documents: AsyncIterable<Document>) => Promise<T>): Promise<T>;
}

type ReadTold = ((file: string, bytes: number) => void) | undefined;

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  onRead?: ReadTold;
}

const endings = /\.(txt|text|md)(\.gz)?$/i;
/** No text that is cut to some thousand tokens needs more. */
const mostBytes = 16 << 20;

export interface ClassFile extends ListedFile {
  part: PartName;
  label: string;
}

/** The text files of class folders: `[part/]class/…/name.txt`; what lies elsewhere is told. */
export function classFiles(files: readonly ListedFile[], notes: DataNote[]): ClassFile[] {
  const steps = files.map((file) => ({ file, steps: file.name.split('/') }));
  const parted = steps.some(({ steps: [first = ''], steps: { length } }) => length > 2 && partOf(first) === 'train');
  const found: ClassFile[] = [];
  const left: string[] = [];
  for (const { file, steps: way } of steps) {
    const part = parted ? partOf(way[0] ?? '') : 'train';
    const label = way[parted ? 1 : 0] ?? '';
    const text = endings.test(file.name) || !/\.\D[^./]*$/.test(basename(file.name));
    if (part === null || way.length < (parted ? 3 : 2) || !text || label === 'unsup') left.push(file.name);
    else found.push({ ...file, part, label });
  }
  notes.push(...namedNote('Files that are no texts in a folder of a class were left out', left));
  return found;
}

/** In the parts' order, each by name. */
export function fileDocuments(files: readonly ClassFile[], encoding: string | null, notes: DataNote[]): Documents {
  const seen = encoding === null ? null : decoderFor(encoding);
  const read = async ({ path, name, part, label, bytes }: ClassFile, onRead: ReadTold): Promise<Document> => {
    const content = bytes > mostBytes || /\.gz$/i.test(path) ? await readStart(path, mostBytes) : await readFile(path);
    onRead?.(path, bytes);
    const text = (seen ?? decoderFor(usualEncoding(content))).decode(content);
    return { part, name, label, text };
  };
  return {
    identity: files.map(({ path, bytes, modified }) => [path, bytes, modified]),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    notes,
    guesses: [],
    read: ({ signal, onRead }, work) => work(inOrder(files, (file) => read(file, onRead), { signal })),
  };
}

/** Of a file in a folder of thousands: its mark, else UTF-8 if it is that, else Windows-1252. */
function usualEncoding(content: Buffer): string {
  const mark = content.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  // The end may have cut a character in two.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    decoder.decode(content, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
