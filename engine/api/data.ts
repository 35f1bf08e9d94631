/** `data`: what lies at a path, what a source holds, samples of it, its import, and the packs that imports have made. */
import { leftOut, packBytes } from '../data/index.ts';
import { bundledDigits } from '../projects.ts';
import { doctorCalls } from './data-doctor.ts';
import { givenSource, sourceOfProject } from './data-source.ts';
import { type Parts, wire } from './parts.ts';

export function dataCalls(parts: Parts) {
  const { home, places, service, tasks } = parts;
  const { data } = service;
  const calls = wire.data;
  return {
    inspect: calls.inspect.handler(async ({ input, signal }) => {
      const place = await places.reach(input.path);
      return tasks.during(input.task, (onProgress) => data.ask('inspect', { path: place }, { signal, onProgress }));
    }),
    import: calls.import.handler(async ({ input: { file, text, task }, signal }) => {
      const of = await sourceOfProject(file, text, parts);
      const { facts, hash, folder, skipped } = await tasks.during(task, (onProgress) =>
        data.ask('pack', of, { signal, onProgress }),
      );
      return { facts, hash, bytes: await packBytes(folder), ...leftOut(skipped) };
    }),
    imported: calls.imported.handler(async ({ input: { file, text }, signal }) =>
      data.ask('state', await sourceOfProject(file, text, parts), { signal }),
    ),
    ...doctorCalls(parts),
    table: calls.table.handler(async ({ input: { file, source, ...wanted }, signal }) =>
      data.ask('table', { ...(await givenSource({ file, source }, parts)), wanted }, { signal }),
    ),
    recipes: calls.recipes.handler(({ signal }) => data.ask('recipes', { home }, { signal })),
    fetch: calls.fetch.handler(({ input: { name, task }, signal }) =>
      tasks.during(task, (onProgress) => data.ask('fetch', { name, home }, { signal, onProgress })),
    ),
    cache: {
      list: calls.cache.list.handler(({ signal }) => data.ask('cache', {}, { signal })),
      remove: calls.cache.remove.handler(({ input, signal }) => data.ask('uncache', input, { signal })),
    },
    digits: calls.digits.handler(async () => ({ folder: await bundledDigits(home) })),
    preview: calls.preview.handler(async ({ input, signal }) => {
      const { file, source, split, transforms, ...wanted } = input;
      const of = await givenSource({ file, source, split }, parts);
      return data.ask('preview', { ...of, transforms, wanted }, { signal });
    }),
  };
}
