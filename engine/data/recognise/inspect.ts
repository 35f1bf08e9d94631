/** Says what lies at a path and how it could be read: each family of sources is asked in turn. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type DataNote, type Inspection, mostNamed, type Recognised } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { TaskProgress } from '../../contract/finders.ts';
import { systemError } from '../../files.ts';
import { readStart } from '../content.ts';
import { type FolderListing, listFolder } from '../listing.ts';
import { archiveNotes } from './archives.ts';
import type { Found, Recogniser } from './recogniser.ts';

/** A family a line; loaded when something is looked at. Of equally sure readings the earlier line's come first. */
const families: { name: string; load: () => Promise<Recogniser> }[] = [
  { name: 'packs', load: async () => (await import('../packed/recognise.ts')).recognisePack },
  { name: 'IDX files', load: async () => (await import('../idx/recognise.ts')).recogniseIdx },
  { name: 'a table', load: async () => (await import('../table/recognise.ts')).recogniseTable },
];

const sureness: readonly Recognised['sure'][] = ['certain', 'likely', 'possible'];

export interface InspectOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: TaskProgress) => void) | undefined;
}

/** @throws GradloomError FILE_NOT_FOUND, NOT_READABLE, CANCELLED */
export async function inspectPath(given: string, { signal, onProgress }: InspectOptions = {}): Promise<Inspection> {
  const found = await findAt(path.resolve(given), signal ?? new AbortController().signal);
  const recognised: Recognised[] = [];
  const notes: DataNote[] = [...strayNotes(found), ...(await archiveNotes(found))];
  for (const [i, { name, load }] of families.entries()) {
    if (signal?.aborted) throw new GradloomError('CANCELLED', 'Looking at the data was cancelled.');
    onProgress?.({ stage: `looking for ${name}`, done: i, total: families.length });
    try {
      recognised.push(...(await (await load())(found)));
    } catch (thrown) {
      const { code, message } = GradloomError.from(thrown);
      if (code === 'CANCELLED' || signal?.aborted)
        throw new GradloomError('CANCELLED', 'Looking at the data was cancelled.');
      notes.push({ message: `Read as ${name}: ${message}` });
    }
  }
  // Sorting keeps the order of equals.
  recognised.sort((a, b) => sureness.indexOf(a.sure) - sureness.indexOf(b.sure));
  if (recognised.length === 0) notes.push(...emptyNotes(found));
  return { path: found.path, found: recognised, notes };
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
  const strays =
    ignored.length === 0
      ? []
      : [
          {
            message: `${ignored.length === 1 ? '1 stray or hidden file is' : `${ignored.length} stray or hidden files are`} ignored`,
            names: ignored.slice(0, mostNamed),
            count: ignored.length,
          },
        ];
  return [...strays, ...(cut ? [{ message: 'There is more in the folder than was looked at' }] : [])];
}

function emptyNotes({ files, kind }: Found): DataNote[] {
  if (files.length === 0) return [{ message: kind === 'folder' ? 'The folder holds no files' : 'It is empty' }];
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
