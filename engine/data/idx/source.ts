/** The `idx` source: finds the files of a folder, tells inputs from targets and train from test, and pairs them. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import type { TargetType } from '../../contract/tensors.ts';
import { systemError } from '../../files.ts';
import type { ColumnType, OpenSource } from '../open-source.ts';
import { idxRows, type Kept } from '../rows.ts';
import { checkLength, type IdxFile, isIdx, openIdx, readElements, readFloats } from './file.ts';
import { unsignedByte } from './format.ts';
import { type IdxName, namedIdx, readIdxName, storedName } from './names.ts';
import { targetsOf, vectors } from './targets.ts';
import { type IdxColumns, tokensOf } from './tokens.ts';

export type IdxSettings = Extract<ResolvedSource, { kind: 'idx' }>;

interface Entry extends IdxFile {
  name: IdxName;
}

interface Pair {
  input: IdxFile;
  target: IdxFile;
}

type Parts = { train: Pair; test?: Pair };

/** A folder with more files than this is not looked through. */
const maxFiles = 2_000;

const naming =
  'Name them like train-images-idx3-ubyte and train-labels-idx1-ubyte (t10k-… or test-… for the test part), gzipped or not.';

/** @throws GradloomError DATA_MISSING, DATA_TRUNCATED, DATA_FORMAT, DATA_COUNT, NOT_READABLE */
export async function openIdxSource(settings: IdxSettings, baseDir: string): Promise<OpenSource> {
  const parts = await findParts(settings, baseDir);
  const pairs = Object.entries(parts) as ['train' | 'test', Pair][];
  const files = [...new Set(pairs.flatMap(([, pair]) => [pair.input, pair.target]))];
  checkAlike(parts);
  const { input, inputs, targets } = await columnsOf(parts.train, settings.target ?? null);

  return {
    identity: [
      ...files.map((file) => [file.path, file.fileBytes, file.modified]),
      ...(settings.target ? [settings.target] : []),
    ],
    readBytes: files.reduce((sum, file) => sum + file.fileBytes, 0),
    parts: Object.fromEntries(pairs.map(([part, pair]) => [part, pair.input.dims[0] as number])) as OpenSource['parts'],
    columns: { input, target: targets.column },
    // Tokens are looked at as they are packed: a row of the file is both what is read and what is predicted.
    ...(targets.kind === 'next_token'
      ? {}
      : {
          rows: (part: string, keep: Kept) =>
            idxRows(parts[part as 'train' | 'test'] as Pair, isClass(targets.column), keep),
        }),
    async target(): Promise<TargetType> {
      for (const file of files) await checkLength(file);
      return targets.describe(pairs.map(([part, pair]) => [part, pair.target]));
    },
    async write(part, sink, { signal, onRead }) {
      const pair = parts[part as 'train' | 'test'] as Pair;
      const read = (file: IdxFile) => ({ signal, onRead: onRead && ((bytes: number) => onRead(file.path, bytes)) });
      await sink('input', inputs(pair.input, read(pair.input)));
      await sink('target', targets.rows(pair.target, read(pair.target)));
    },
  };
}

const isClass = ({ dtype, shape }: ColumnType) => dtype === 'int64' && shape.length === 0;

async function columnsOf({ input, target }: Pair, wanted: IdxSettings['target']): Promise<IdxColumns> {
  if (wanted === 'next_token') return tokensOf(input);
  const column = inputColumn(input);
  return {
    input: column,
    inputs: column.scaled ? readElements : readFloats,
    targets: wanted === 'input' ? vectors(column.shape) : await targetsOf(target, wanted ?? null),
  };
}

function sampleDims(file: IdxFile): number[] {
  return file.dims.slice(1);
}

/** N becomes [1], N×H×W becomes 1×H×W; other ranks stay. */
function inputColumn(file: IdxFile): ColumnType {
  const dims = sampleDims(file);
  const shape = dims.length === 0 || dims.length === 2 ? [1, ...dims] : dims;
  const bytes = file.type === unsignedByte;
  return { dtype: bytes ? 'uint8' : 'float32', shape, scaled: bytes };
}

function checkAlike({ train, test }: Parts): void {
  for (const { input, target } of test ? [train, test] : [train]) {
    if (input.dims[0] !== target.dims[0]) {
      throw new GradloomError(
        'DATA_COUNT',
        `${input.path} has ${input.dims[0]} samples, but ${target.path} has ${target.dims[0]} targets.`,
        { hint: 'Give the targets that belong to these samples, one for each.', path: target.path },
      );
    }
  }
  if (!test) return;
  for (const role of ['input', 'target'] as const) {
    const [a, b] = [train[role], test[role]];
    const same =
      String(sampleDims(a)) === String(sampleDims(b)) &&
      (a.type === unsignedByte) === (b.type === unsignedByte) &&
      (role === 'input' || a.type.whole === b.type.whole);
    if (same) continue;
    const shape = (file: IdxFile) => `${sampleDims(file).join(' × ') || 'single values'} of type ${file.type.name}`;
    throw new GradloomError(
      'DATA_FORMAT',
      `The training and the test part differ: ${a.path} holds ${shape(a)}, ${b.path} ${shape(b)}.`,
      { hint: 'Give a test part of the same shape and type, or move it out of the folder.', path: b.path },
    );
  }
}

async function findParts(settings: IdxSettings, baseDir: string): Promise<Parts> {
  const path = resolve(baseDir, settings.path);
  const status = await stat(path).catch((thrown: unknown) => {
    const error = systemError(thrown, path, 'read');
    throw error.code === 'FILE_NOT_FOUND'
      ? new GradloomError('DATA_MISSING', `${path} does not exist.`, {
          hint: 'Set data.source.path to a folder with IDX files; it is taken relative to the project file.',
          path,
        })
      : error;
  });
  const folder = status.isDirectory() ? path : dirname(path);
  const chosen = status.isDirectory() ? null : path;
  const entries = await findEntries(folder, chosen);
  const same = settings.target === 'input' || settings.target === 'next_token';
  return chosen === null ? pairFolder(folder, entries, same) : pairFile(chosen, folder, entries, same);
}

/** The IDX files of a folder, by content; where there is none, those of its subfolders. */
async function findEntries(folder: string, chosen: string | null): Promise<Entry[]> {
  for (const depth of [1, 3]) {
    const paths = (await listFiles(folder, depth)).filter((path) => path !== chosen);
    const found: string[] = chosen === null ? [] : [chosen];
    // A file that calls itself IDX is opened even if it does not look it, so that the error says what is wrong with it.
    for (const path of paths) if (namedIdx(path) || (await isIdx(path))) found.push(path);
    const plain = new Set(found);
    const files = found.filter((path) => path === chosen || storedName(path) === path || !plain.has(storedName(path)));
    if (files.length > 0) {
      return Promise.all(
        files.map(async (path) => ({ ...(await openIdx(path)), name: readIdxName(relative(folder, path)) })),
      );
    }
  }
  const others = (await listFiles(folder, 1)).map((path) => basename(path));
  throw new GradloomError('DATA_MISSING', `${folder} holds no IDX files.`, {
    hint:
      (others.length === 0
        ? 'The folder is empty. '
        : `It holds ${others.slice(0, 5).join(', ')}${others.length > 5 ? '…' : ''}. `) +
      `Set data.source.path to a folder with IDX files. ${naming}`,
    path: folder,
  });
}

async function listFiles(folder: string, depth: number): Promise<string[]> {
  const files: string[] = [];
  const folders: [string, number][] = [[folder, depth]];
  for (let next = folders.shift(); next; next = folders.shift()) {
    const [current, left] = next;
    let entries: Awaited<ReturnType<typeof readEntries>>;
    try {
      entries = await readEntries(current);
    } catch (thrown) {
      throw systemError(thrown, current, 'read');
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue;
      const path = join(current, entry.name);
      const kind = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
      if (kind?.isFile()) files.push(path);
      else if (entry.isDirectory() && left > 1) folders.push([path, left - 1]);
      if (files.length > maxFiles) return files;
    }
  }
  return files;
}

const readEntries = (folder: string) => readdir(folder, { withFileTypes: true });

function roleOf(entry: Entry): 'input' | 'target' {
  return entry.name.role ?? (entry.dims.length === 1 ? 'target' : 'input');
}

function pairFolder(folder: string, entries: Entry[], same: boolean): Parts {
  const trained = entries.some(({ name }) => name.part === 'train');
  const train = entries.filter(({ name }) => name.part === 'train' || (!trained && name.part === null));
  const test = entries.filter(({ name }) => name.part === 'test');
  if (train.length === 0) {
    throw new GradloomError('DATA_MISSING', `${folder} holds a test part (${names(test)}) but no training part.`, {
      hint: `Add the training files, or set data.source.path to the inputs' file. ${naming}`,
      path: folder,
    });
  }
  return {
    train: pair('training', folder, train, same),
    ...(test.length > 0 ? { test: pair('test', folder, test, same) } : {}),
  };
}

/** The pair that one given file belongs to; its test part too if the name says that it is the training part. */
function pairFile(chosen: string, folder: string, entries: Entry[], same: boolean): Parts {
  const own = entries.find(({ path }) => path === chosen) as Entry;
  const partners = entries.filter(({ name, path }) => path !== chosen && name.part === own.name.part);
  const alike = partners.filter(({ name }) => name.set === own.name.set);
  const found = (of: Entry[]) => of.filter((entry) => roleOf(entry) !== roleOf(own));
  const train = pair('training', folder, [own, ...(found(alike).length > 0 ? found(alike) : found(partners))], same);
  const test =
    own.name.part === 'train' ? entries.filter(({ name }) => name.part === 'test' && name.set === own.name.set) : [];
  return { train, ...(test.length > 0 ? { test: pair('test', folder, test, same) } : {}) };
}

/** The one pair among files of one part: by name, else by count. `same`: the inputs are the targets too, and others are not looked at. */
function pair(part: string, folder: string, entries: Entry[], same: boolean): Pair {
  const inputs = entries.filter((entry) => roleOf(entry) === 'input');
  const targets = same ? inputs : entries.filter((entry) => roleOf(entry) === 'target');
  if (inputs.length === 0 || targets.length === 0) {
    const [there, missing] = inputs.length === 0 ? [targets, 'inputs'] : [inputs, 'labels'];
    throw new GradloomError(
      'DATA_MISSING',
      `The ${part} part in ${folder} has no ${missing} to go with ${names(there)}.`,
      {
        hint: `Put the ${missing} beside them, or move them out of the folder. ${naming}`,
        path: folder,
      },
    );
  }
  const every = inputs.flatMap((input) => (same ? [input] : targets).map((target) => ({ input, target })));
  const byName = every.filter(({ input, target }) => input.name.set === target.name.set);
  const byCount = every.filter(({ input, target }) => input.dims[0] === target.dims[0]);
  for (const pairs of [every, byName, byCount]) if (pairs.length === 1 && pairs[0]) return pairs[0];
  throw new GradloomError(
    'DATA_FORMAT',
    `${folder} holds several sets of samples (${names(inputs)})${same ? '' : ` and of labels (${names(targets)})`} for the ${part} part.`,
    { hint: "Set data.source.path to the inputs' file that is meant.", path: folder },
  );
}

const names = (entries: Entry[]) => entries.map(({ path }) => basename(path)).join(', ');
