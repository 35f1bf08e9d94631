/** `files`: folders listed and files brought, for a window whose files are on another machine. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { readSomeWeights } from '../export/weights.ts';
import { makeFolders, systemError } from '../files.ts';
import { isWithin } from '../places.ts';
import { type Parts, wire } from './parts.ts';

/** More entries than this nobody looks through. */
const mostEntries = 5000;

export function fileCalls({ home, places, uploads }: Parts) {
  const calls = wire.files.upload;
  return {
    upload: {
      begin: calls.begin.handler(async ({ input: { name, size } }) => ({ upload: await uploads.begin(name, size) })),
      part: calls.part.handler(async ({ input: { upload, offset, bytes } }) => ({
        file: await uploads.part(upload, offset, new Uint8Array(await bytes.arrayBuffer())),
      })),
      cancel: calls.cancel.handler(({ input }) => uploads.cancel(input.upload)),
    },
    weights: wire.files.weights.handler(async ({ input }) => ({
      tensors: (await readSomeWeights(await places.reach(input.file))).length,
    })),
    list: wire.files.list.handler(async ({ input }) => {
      const start = places.root ?? home;
      if (input.folder === null && start === home) await makeFolders(home);
      const folder = await places.reach(input.folder ?? start);
      const above = path.dirname(folder);
      const isTop = above === folder || (places.root !== null && !isWithin(above, places.root));
      try {
        const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).slice(0, mostEntries);
        const entries = await Promise.all(names.map((name) => entryOf(folder, name)));
        return {
          folder,
          parent: isTop ? null : above,
          entries: entries
            .filter((entry) => entry !== null)
            .sort((a, b) => a.kind.localeCompare(b.kind) * -1 || a.name.localeCompare(b.name)),
        };
      } catch (thrown) {
        const is = await stat(folder).catch(() => null);
        if (is && !is.isDirectory()) {
          throw new GradloomError('BAD_CALL', `${folder} is a file, and a folder is to be chosen here.`, {
            hint: 'Choose the folder that it lies in, or go back and choose a file.',
            path: folder,
          });
        }
        throw systemError(thrown, folder, 'read');
      }
    }),
  };
}

/** Links are what they lead to; what is neither file nor folder is left out. */
async function entryOf(folder: string, name: string) {
  const file = path.join(folder, name);
  const found = await stat(file).catch(() => null);
  if (!found || !(found.isFile() || found.isDirectory())) return null;
  const kind = found.isDirectory() ? ('folder' as const) : ('file' as const);
  return { name, path: file, kind, size: found.isFile() ? found.size : 0, modified: found.mtime.toISOString() };
}
