/** `projects`: templates, the recent ones, and files opened, saved and watched. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { type OpenProject, waitMs } from '../contract/api.ts';
import { editProject, readProject, resolveProject } from '../contract/project.ts';
import { nameField } from '../contract/settings.ts';
import { dataAt, fittedTemplate } from '../fitting.ts';
import { emptyProject, templateCards, templateText } from '../projects.ts';
import { planWithData } from '../runs/prepare.ts';
import { weightsReport, withStartingWeights } from '../runs/starting-weights.ts';
import { projectsDir } from '../workspace.ts';
import { type Parts, wire } from './parts.ts';
import { reachableProject, reachableWeights } from './runs.ts';

/** A project that is being worked on is noted as recent this often. */
const noteMs = 60_000;

export function projectCalls(parts: Parts) {
  const { home, places, projects, service, settings } = parts;
  const calls = wire.projects;

  const noted = new Map<string, number>();
  const remembered = async (open: OpenProject): Promise<OpenProject> => {
    await settings.remember(open.file, nameOf(open.text)).catch(() => {}); // the list is a convenience
    return open;
  };

  const data = (from: string) =>
    dataAt(from, projectsDir(home), {
      reach: (place) => places.reach(place),
      inspect: (place) => service.data.ask('inspect', { path: place }),
      describe: service.data.describe,
    });
  const textToBegin = async (template: string | null, from: string | null): Promise<string> => {
    if (template === null) return emptyProject();
    if (from === null) return templateText(template, home);
    const { text, fit } = await fittedTemplate(template, await data(from));
    return editProject(text, fit.edits);
  };

  return {
    templates: calls.templates.handler(() => templateCards()),
    recent: calls.recent.handler(async () =>
      Promise.all(
        (await settings.recent()).map(async (entry) => ({
          ...entry,
          exists: await access(entry.file).then(
            () => true,
            () => false,
          ),
        })),
      ),
    ),
    forget: calls.forget.handler(({ input }) => settings.forget(input.file)),
    dataAt: calls.dataAt.handler(async ({ input }) => data(input.from)),
    create: calls.create.handler(async ({ input: { template, name, from } }) => {
      const folder = projectsDir(home);
      const text = await textToBegin(template, from ?? null);
      const stem = fileStem(name ?? (template === null ? 'untitled' : template));
      return remembered(await projects.saveNew(folder, stem, (free) => named(text, free)));
    }),
    open: calls.open.handler(async ({ input }) => remembered(await projects.open(await places.reach(input.file)))),
    save: calls.save.handler(async ({ input: { file, revision, text, overwrite } }) => {
      const place = await places.reach(file);
      const saved = await projects.save(place, revision, text, overwrite === undefined ? {} : { overwrite });
      // Not at each of the saves that follow a person's typing.
      if (Date.now() - (noted.get(place) ?? 0) < noteMs) return saved;
      noted.set(place, Date.now());
      return remembered(saved);
    }),
    weights: calls.weights.handler(async ({ input: { file, text, ...given } }) => {
      const place = await places.reach(file);
      await reachableProject(text, place, parts);
      const project = { text, baseDir: path.dirname(place), label: path.basename(place) };
      const { from, ...started } = await withStartingWeights(project, await reachableWeights(given, place, parts));
      return (
        from && weightsReport((await planWithData(started.text, started.baseDir, service.data.describe)).plan, from)
      );
    }),
    saveCopy: calls.saveCopy.handler(async ({ input: { file, text } }) => {
      const place = await places.reach(file);
      const stem = fileStem(path.basename(place).replace(/(\.gradloom)?\.json$/i, ''));
      return remembered(await projects.saveNew(path.dirname(place), stem, () => text));
    }),
    watch: calls.watch.handler(async ({ input: { file, revision }, signal }) => ({
      revision: await projects.watch(await places.reach(file), revision, waitMs, signal),
    })),
  };
}

function nameOf(text: string): string {
  return resolveProject(readProject(text).project ?? {}).name;
}

function named(text: string, name: string): string {
  return nameOf(text) === name ? text : editProject(text, [{ op: 'set', path: ['name'], value: name }]);
}

/** A name as a file's, without what one of the systems does not allow. */
function fileStem(name: string): string {
  const stem = name
    .replace(/[^\p{L}\p{N} ._()+-]+/gu, '-')
    .slice(0, 80)
    .replace(/^[-. ]+|[-. ]+$/g, '');
  return nameField.safeParse(stem).success ? stem : 'untitled';
}
