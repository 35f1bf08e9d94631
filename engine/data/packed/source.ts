/** The `pack` source: a folder that an import made, read where it lies. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GradloomError } from '../../contract/errors.ts';
import type { ResolvedSource } from '../../contract/project.ts';
import type { ColumnType, OpenSource } from '../open-source.ts';
import { type DataPack, packName, packVersion, readPack, readPackFile } from '../pack-file.ts';
import { reach } from '../reach.ts';
import { packRows } from '../rows.ts';

type PackSettings = Extract<ResolvedSource, { kind: 'pack' }>;

/** @throws GradloomError DATA_MISSING, DATA_TRUNCATED, NOT_READABLE */
export async function openPackedSource(settings: PackSettings, baseDir: string): Promise<OpenSource> {
  const folder = resolve(baseDir, settings.path);
  const [file, pack] = [await readPackFile(folder), await readPack(folder)];
  if (!file) throw await missing(folder);
  if (!pack) throw notWhole(folder);
  const { mtimeMs } = await stat(join(folder, packName));
  const type = ({ path, ...column }: DataPack['parts'][string]['input']): ColumnType => column;
  const { train } = pack.parts;
  if (!train) throw notWhole(folder);
  for (const { input, target, group } of Object.values(pack.parts)) {
    for (const column of [input, target, group]) if (column) await reach(column.path);
  }
  const counts = Object.entries(pack.parts).map(([part, { count }]) => [part, count]);
  return {
    identity: [folder, pack.hash, mtimeMs],
    readBytes: 0,
    parts: Object.fromEntries(counts) as OpenSource['parts'],
    columns: {
      input: type(train.input),
      target: type(train.target),
      ...(train.group ? { group: type(train.group) } : {}),
    },
    ...(file.tokens === undefined ? {} : { tokens: file.tokens }),
    pack: folder,
    // It was said when the pack was made.
    skipsBad: true,
    async target() {
      return file.target;
    },
    rows(part) {
      const { input, target, count } = pack.parts[part] as DataPack['parts'][string];
      return packRows(input, target, count);
    },
    async write() {
      throw new GradloomError('INTERNAL', 'A pack is not packed again');
    },
  };
}

async function missing(folder: string): Promise<GradloomError> {
  const there = await stat(folder).catch(() => null);
  const hint = 'Set data.source.path to a folder that an import made; it is taken relative to the project file.';
  if (!there) return new GradloomError('DATA_MISSING', `${folder} does not exist.`, { hint, path: folder });
  const message = `${folder} holds no imported data of version ${packVersion}: it has no ${packName} that can be read.`;
  return new GradloomError('DATA_MISSING', message, { hint, path: folder });
}

export function notWhole(folder: string): GradloomError {
  return new GradloomError(
    'DATA_TRUNCATED',
    `The imported data in ${folder} are not whole: a file is missing or cut short.`,
    {
      hint: 'Copy the folder again, or import the data again.',
      path: folder,
    },
  );
}
