/** Says what lies at a path and how it could be read: each family of sources is asked in turn. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { DataNote, Inspection, Recognised, Refused } from '../../contract/data/inspect.ts';
import { type ErrorCode, GradloomError } from '../../contract/errors.ts';
import type { TaskProgress } from '../../contract/finders.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import { systemError } from '../../files.ts';
import { readStart } from '../content.ts';
import { type FolderListing, listFolder } from '../listing.ts';
import { namedNote } from '../named-notes.ts';
import { archiveNotes, pointerNotes } from './archives.ts';
import type { Found, Recogniser } from './recogniser.ts';

/** A family a line; loaded when something is looked at. Of equally sure readings the earlier line's come first. */
const families: { name: string; kind: ResolvedSource['kind']; load: () => Promise<Recogniser> }[] = [
  { name: 'packs', kind: 'pack', load: async () => (await import('../packed/recognise.ts')).recognisePack },
  { name: 'CIFAR', kind: 'cifar', load: async () => (await import('../cifar/recognise.ts')).recogniseCifar },
  { name: 'images', kind: 'image_folder', load: async () => (await import('../images/recognise.ts')).recogniseImages },
  { name: 'IDX files', kind: 'idx', load: async () => (await import('../idx/recognise.ts')).recogniseIdx },
  { name: 'NumPy arrays', kind: 'npy', load: async () => (await import('../arrays/recognise.ts')).recogniseArrays },
  { name: 'text', kind: 'text', load: async () => (await import('../text/recognise.ts')).recogniseText },
  { name: 'a table', kind: 'table', load: async () => (await import('../table/recognise.ts')).recogniseTable },
  { name: 'time series', kind: 'series', load: async () => (await import('../series/recognise.ts')).recogniseSeries },
];

/** A folder that is no data set may hold some: so deep, and among so many folders, they are looked for. */
const deepest = 2;
const mostBelow = 50;

const sureness: readonly Recognised['sure'][] = ['certain', 'likely', 'possible'];

export interface InspectOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: TaskProgress) => void) | undefined;
}

/** @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, CANCELLED */
export async function inspectPath(given: string, { signal, onProgress }: InspectOptions = {}): Promise<Inspection> {
  const found = await findAt(path.resolve(given), signal ?? new AbortController().signal);
  const tell = (name: string, done: number) =>
    onProgress?.({ stage: `looking for ${name}`, done, total: families.length });
  if (isWorkspace(found)) return inWorkspace(found);
  const pointers = await pointerNotes(found);
  const { refused, ...asked } = found.kind === 'file' && pointers.length > 0 ? nothing : await askFamilies(found, tell);
  let { recognised } = asked;
  let notes = refused.map(refusedNote);
  if (recognised.length === 0) {
    // Parts that do not go together are one data set all the same.
    const below = refused.some(({ code }) => code === 'LABEL_RANGE') ? [] : await lookBelow(found);
    recognised = below;
    // What the whole is not read as is of no interest where its parts are data.
    if (below.length > 0) notes = [{ message: 'The folder itself is no data set, but there are some in it' }];
    else if (notes.length === 0 && pointers.length === 0) notes.push(...emptyNotes(found));
  }
  // Some sources read an archive as it is.
  const readAsIs = found.kind === 'file' && recognised.length > 0;
  return {
    path: found.path,
    found: recognised,
    ...(recognised.length === 0 ? { refused: refused.map(({ code: _, ...told }) => told) } : {}),
    notes: [...pointers, ...strayNotes(found), ...(readAsIs ? [] : await archiveNotes(found)), ...notes],
  };
}

/** What is kept of our own work: networks, runs and all kinds of data side by side, which are no samples of one data set. */
function isWorkspace({ kind, folders }: Found): boolean {
  return kind === 'folder' && ['projects', 'runs', 'data'].every((name) => folders.includes(name));
}

async function inWorkspace(found: Found): Promise<Inspection> {
  const isData = ({ name }: { name: string }) => name.startsWith('data/');
  const files = found.files.filter(isData);
  const folders = found.folders.filter((name) => isData({ name }));
  const recognised = await lookBelow({ ...found, files, folders });
  const message = `${found.path} is a workspace of Gradloom and no data set: choose one in its folder data`;
  const loose = files.filter(({ name }) => name.split('/').length === 2).map(({ name }) => name);
  return {
    path: found.path,
    found: recognised,
    notes: [{ message }, ...(loose.length > 0 ? namedNote('Files in its folder data', loose) : [])],
  };
}

interface Answers {
  /** The surest first. */
  recognised: Recognised[];
  refused: (Refused & { code: ErrorCode })[];
}

const nothing: Answers = { recognised: [], refused: [] };

/** Recognition reads what an import with the same source would stop at. */
function asImported(recognised: Recognised): Recognised {
  if (recognised.source.on_bad === 'skip') return recognised;
  return { ...recognised, notes: recognised.notes.map(otherwise) };
}

/** The note as it is where `on_bad` is the other. */
export function otherwise(note: DataNote): DataNote {
  return note.otherwise === undefined ? note : { ...note, message: note.otherwise, otherwise: note.message };
}

function refusedNote({ name, message, hint }: Refused): DataNote {
  return { message: `Read as ${name}: ${[message, ...(hint === undefined ? [] : [hint])].map(sentence).join(' ')}` };
}

/** With one full stop. */
export const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

async function askFamilies(found: Found, tell: (name: string, done: number) => void): Promise<Answers> {
  const { signal } = found;
  const recognised: Recognised[] = [];
  const refused: Answers['refused'] = [];
  for (const [i, { name, kind, load }] of families.entries()) {
    if (signal.aborted) throw cancelled();
    tell(name, i);
    try {
      recognised.push(...(await (await load())(found)).map(asImported));
    } catch (thrown) {
      const { code, message, hint, path: at } = GradloomError.from(thrown);
      if (code === 'CANCELLED' || signal.aborted) throw cancelled();
      const same = refused.find((each) => each.message === message);
      if (same) same.name = `${same.name} or ${name}`;
      else {
        const more = { ...(hint === undefined ? {} : { hint }), ...(at === undefined ? {} : { path: at }) };
        refused.push({ name, kind, code, message, ...more });
      }
    }
  }
  return { recognised: surest(recognised), refused };
}

/** First; equals keep their order. */
function surest(recognised: Recognised[]): Recognised[] {
  return recognised.sort((a, b) => sureness.indexOf(a.sure) - sureness.indexOf(b.sure));
}

const cancelled = () => new GradloomError('CANCELLED', 'Looking at the data was cancelled.');

/** Of a folder of data sets each one's likeliest reading. */
async function lookBelow(found: Found): Promise<Recognised[]> {
  const below = found.folders.filter((name) => name.split('/').length <= deepest);
  if (below.length > mostBelow) return [];
  const recognised: Recognised[] = [];
  const known: string[] = [];
  for (const name of below) {
    if (known.some((above) => name.startsWith(`${above}/`))) continue;
    const { recognised: own } = await askFamilies(within(found, name), () => {});
    const [first] = own;
    if (!first) continue;
    known.push(name);
    recognised.push({ ...first, title: `${name}: ${first.title}` });
  }
  return surest(recognised);
}

/** The listing of a folder below. */
function within(found: Found, folder: string): Found {
  const start = `${folder}/`;
  const inside = (names: string[]) =>
    names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
  return {
    ...found,
    path: path.join(found.path, folder),
    files: found.files.flatMap((file) =>
      file.name.startsWith(start) ? [{ ...file, name: file.name.slice(start.length) }] : [],
    ),
    folders: inside(found.folders),
    ignored: inside(found.ignored),
  };
}

async function findAt(place: string, signal: AbortSignal): Promise<Found> {
  const status = await stat(place).catch((thrown: unknown) => {
    throw systemError(thrown, place, 'read');
  });
  const folder = status.isDirectory();
  const listing: FolderListing = folder
    ? await listFolder(place, { signal })
    : {
        files: [{ path: place, name: path.basename(place), bytes: status.size, modified: status.mtimeMs }],
        folders: [],
        ignored: [],
        cut: false,
      };
  const heads = new Map<string, Promise<Buffer>>();
  const head = (file: string, bytes: number) => {
    const known = heads.get(`${bytes} ${file}`) ?? readStart(file, bytes).catch(() => Buffer.alloc(0));
    heads.set(`${bytes} ${file}`, known);
    return known;
  };
  return { ...listing, path: place, kind: folder ? 'folder' : 'file', head, signal };
}

function strayNotes({ ignored, cut }: Found): DataNote[] {
  const { length } = ignored;
  const strays = namedNote(
    `${length === 1 ? '1 stray or hidden file is' : `${length} stray or hidden files are`} ignored`,
    ignored,
  );
  return [...strays, ...(cut ? [{ message: 'There is more in the folder than was looked at' }] : [])];
}

function emptyNotes({ files, kind }: Found): DataNote[] {
  if (files.length === 0) return [{ message: kind === 'folder' ? 'The folder holds no files' : 'It is empty' }];
  if (files.every(({ bytes }) => bytes === 0)) return [{ message: 'There is nothing in it: 0 bytes' }];
  const kinds = new Map<string, number>();
  for (const { name } of files) {
    const ending = path.extname(name).toLowerCase() || 'no ending';
    kinds.set(ending, (kinds.get(ending) ?? 0) + 1);
  }
  const most = [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const list = most.map(([ending, count]) => `${count} with ${ending}`).join(', ');
  return [
    {
      message: `No data was recognised among ${files.length === 1 ? 'its one file' : `its ${files.length} files`}: ${list}`,
    },
  ];
}
