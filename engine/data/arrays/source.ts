/** The `npy` source: finds the arrays of a file or folder, names them, and says how they are to be read. */
import { open } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import type { DataNote } from '../../contract/data/inspect.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import { listFolder } from '../listing.ts';
import type { OpenSource } from '../open-source.ts';
import { pathStatus } from '../path-status.ts';
import type { ArrayFile } from './array-file.ts';
import { asTargets } from './labels.ts';
import { guessLayout, inLayout, layoutNote } from './layout.ts';
import { readName } from './names.ts';
import { openNpy, openNpz } from './npy.ts';
import { openPairs } from './paired-source.ts';
import { type Entry, type Pair, type Parts, pairAll, pairOf } from './pairing.ts';

export type NpySettings = Extract<ResolvedSource, { kind: 'npy' }>;

/** A folder with more files than this is not looked through. */
const maxFiles = 2_000;

const naming = 'Name them like x_train and y_train (x_test and y_test for the test part), or images and labels.';
const choosing = 'Say which arrays are meant: data.source.x and data.source.y (x_test and y_test for the test part).';

/** An array under the name by which a project can choose it; those that cannot be read say why. */
interface Named {
  title: string;
  array: ArrayFile | GradloomError;
}

/** @throws GradloomError DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openNpySource(settings: NpySettings, baseDir: string): Promise<OpenSource> {
  return (await lookAtArrays(settings, baseDir)).opened;
}

/** The opened source, with what was guessed; `input`: the training inputs as they are stored. Throws what `openNpySource` throws. */
export async function lookAtArrays(settings: NpySettings, baseDir: string) {
  const path = resolve(baseDir, settings.path);
  const { target = null, tokens = false } = settings;
  const notes: DataNote[] = [];
  const found = await findParts(settings, path, notes);
  const { input } = found.train;
  const guess = settings.layout ? null : guessLayout(input.dims);
  if (guess) notes.push(layoutNote(guess));
  const layout = settings.layout ?? guess?.layout ?? 'channels_first';
  const label = await asTargets(found.train.target, target, notes);
  const seen = (pair: Pair): Pair => {
    const inputs = inLayout(pair.input, layout);
    const same = target === 'input' || target === 'next_token';
    return { input: inputs, target: same ? inputs : inLayout(label(pair.target), layout) };
  };
  const parts = Object.fromEntries(Object.entries(found).map(([part, pair]) => [part, seen(pair)])) as unknown as Parts;
  for (const each of Object.values(parts)) if (tokens && !each.input.type.whole) throw noTokens(each.input);
  const identity = [layout, target, tokens];
  const opened = await openPairs(parts, { target, tokens, asIs: layout === 'as_is', identity, notes });
  return { opened, input, guesses: guess ? [{ key: 'layout', value: guess.layout, reason: guess.reason }] : [] };
}

function noTokens({ label, path, type }: ArrayFile): GradloomError {
  return new GradloomError('DATA_FORMAT', `${label} holds values of type ${type.name}; tokens are whole numbers.`, {
    hint: 'Remove data.source.tokens, or save the tokens as integers.',
    path,
  });
}

async function findParts(settings: NpySettings, path: string, notes: DataNote[]): Promise<Parts> {
  const { folder, chosen, arrays } = await findArrays(path);
  const refused = arrays.filter(({ array }) => array instanceof GradloomError);
  const wanted = [settings.x, settings.y, settings.x_test, settings.y_test].filter((name) => typeof name === 'string');
  for (const name of wanted) {
    const named = arrays.find(({ title }) => title === name);
    if (!named) throw noArray(name, arrays, path);
    if (named.array instanceof GradloomError) throw named.array;
  }
  const same = settings.target === 'input' || settings.target === 'next_token';
  const entries = named(arrays, settings);
  const options = { place: path, same, naming, choosing };
  if (chosen !== null && wanted.length === 0) return pairOf(chosen, entries, { ...options, place: folder });
  try {
    const parts = pairAll(entries, options);
    if (refused.length > 0) {
      notes.push({
        message: 'Arrays that hold no plain numbers, or no samples, were left out',
        names: refused.map(({ title }) => title),
        count: refused.length,
      });
    }
    return parts;
  } catch (thrown) {
    // What is missing may be there and of a kind that cannot be read.
    const reason = refused.find(({ title }) => readName(title).role !== null) ?? refused[0];
    const missing = thrown instanceof GradloomError && thrown.code === 'DATA_MISSING';
    throw missing && reason ? reason.array : thrown;
  }
}

/** The readable arrays with what their names say; names that the source gives count more, and leave no others in their place. */
function named(arrays: readonly Named[], settings: NpySettings): Entry[] {
  const places = [
    { title: settings.x, part: 'train', role: 'input' },
    { title: settings.y, part: 'train', role: 'target' },
    { title: settings.x_test, part: 'test', role: 'input' },
    { title: settings.y_test, part: 'test', role: 'target' },
  ] as const;
  const given = places.filter(({ title }) => typeof title === 'string');
  return arrays.flatMap(({ title, array }): Entry[] => {
    if (array instanceof GradloomError) return [];
    const own = readName(title);
    const place = given.find((each) => each.title === title);
    if (place) return [{ ...array, name: { part: place.part, role: place.role, set: '' } }];
    if (given.length === 0) return [{ ...array, name: own }];
    const part = own.part ?? 'train';
    const role = own.role ?? (array.dims.length === 1 ? 'target' : 'input');
    return given.some((each) => each.part === part && each.role === role) ? [] : [{ ...array, name: { ...own, part } }];
  });
}

function noArray(name: string, arrays: readonly Named[], path: string): GradloomError {
  const titles = arrays.map(({ title }) => title);
  return new GradloomError('DATA_MISSING', `${path} holds no array ${JSON.stringify(name)}.`, {
    hint: `It holds ${titles.slice(0, 12).join(', ')}${titles.length > 12 ? ', …' : ''}.`,
    path,
  });
}

interface Found {
  folder: string;
  /** The `.npy` file that was named itself. */
  chosen: string | null;
  arrays: Named[];
}

async function findArrays(path: string): Promise<Found> {
  const status = await pathStatus(path, 'a .npz archive, a .npy file or a folder of them');
  if (status.isDirectory()) return { folder: path, chosen: null, arrays: await arraysOf(path, null) };
  if (await isArchive(path)) {
    const arrays = (await openNpz(path)).map(({ name, array }) => ({ title: name, array }));
    if (arrays.length === 0) {
      throw new GradloomError('DATA_MISSING', `${path} is an archive without NumPy arrays.`, {
        hint: 'Give an archive that numpy.savez has written, or unpack it and name the folder.',
        path,
      });
    }
    return { folder: dirname(path), chosen: null, arrays };
  }
  const array = await openNpy(path);
  const others = await arraysOf(dirname(path), path);
  return { folder: dirname(path), chosen: path, arrays: [{ title: titleOf(basename(path)), array }, ...others] };
}

/** The `.npy` files and `.npz` archives of a folder; where there is none, those of its subfolders. */
async function arraysOf(folder: string, but: string | null): Promise<Named[]> {
  for (const depth of but === null ? [1, 3] : [1]) {
    const { files } = await listFolder(folder, { depth, most: maxFiles });
    const wanted = files.filter(({ name, path }) => path !== but && /\.np[yz](\.gz)?$/i.test(name));
    const archives = wanted.filter(({ name }) => /\.npz$/i.test(name));
    const arrays: Named[] = [];
    for (const { name, path } of wanted) {
      if (archives.some((archive) => archive.path === path)) {
        // What lies beside a file that was named is that file's partner only where it is a file as well.
        if (but !== null) continue;
        const inside = await openNpz(path);
        const above = archives.length > 1 || wanted.length > archives.length ? `${titleOf(name)}/` : '';
        arrays.push(...inside.map(({ name: own, array }) => ({ title: `${above}${own}`, array })));
        continue;
      }
      const array = await openNpy(path).catch((thrown: unknown) => GradloomError.from(thrown));
      arrays.push({ title: titleOf(name), array });
    }
    if (arrays.length > 0 || but !== null) return arrays;
  }
  throw new GradloomError('DATA_MISSING', `${folder} holds no NumPy arrays.`, {
    hint: `Set data.source.path to a .npz archive, or a folder of .npy files. ${naming}`,
    path: folder,
  });
}

const titleOf = (name: string) => name.replace(/\.gz$/i, '').slice(0, -extname(name.replace(/\.gz$/i, '')).length);

async function isArchive(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.readUInt32BE(0) === 0x504b0304 || buffer.readUInt32BE(0) === 0x504b0506;
  } finally {
    await file.close();
  }
}
