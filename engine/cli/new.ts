/** `new`: a project from a template, with its own data or with data of one's own; or which templates there are. `fit`: a project's network fitted to its data. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../command-line.ts';
import { epochEstimate, speedHere } from '../contract/epoch-times.ts';
import { GradloomError } from '../contract/errors.ts';
import { fitProject } from '../contract/fit.ts';
import { planProject } from '../contract/plan.ts';
import { editProject, readProject, resolveProject } from '../contract/project.ts';
import { describeSource } from '../data/index.ts';
import { dataAt, fitsOf, fittedTemplate } from '../fitting.ts';
import { dims, integer, plural, seconds, table } from '../format.ts';
import { ProjectFiles } from '../project-files.ts';
import { newProjectFromTemplate, templateCards, writeProject } from '../projects.ts';
import { listRuns } from '../runs/index.ts';
import { SettingsFile } from '../settings.ts';
import { projectsDir, workspaceDir } from '../workspace.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';

export const addNew: AddCommand = (program, { out }) => {
  program
    .command('new')
    .argument('[template]', 'template')
    .summary('make a project from a template, or list the templates')
    .description('Makes a project from a template in the workspace, with its data; without a template, lists them.')
    .option('--fit <data>', 'with other data: of a project file, or a folder of data; the network is fitted to it')
    .action(async (template: string | undefined, { fit: from }: { fit?: string }) => {
      if (template === undefined) return from === undefined ? showTemplates(out) : showFits(out, from);
      const home = workspaceDir();
      if (from === undefined) {
        const file = await newProjectFromTemplate(template, home);
        await noteRecent(home, file);
        return made(out, template, file, []);
      }
      const { text, fit } = await fittedTemplate(template, await dataAt(from, projectsDir(home)));
      const file = await writeProject(template, editProject(text, fit.edits), home);
      await noteRecent(home, file);
      made(out, template, file, fit.changes);
    });
};

/** Among the window's recent projects; that list is a convenience. */
async function noteRecent(home: string, file: string): Promise<void> {
  const { name } = resolveProject(readProject(await readFile(file, 'utf8')).project ?? {});
  await new SettingsFile(home).remember(file, name).catch(() => {});
}

function made(out: Output, template: string, file: string, changes: string[]): void {
  out.object({ type: 'project', template, path: file, ...(changes.length > 0 ? { changes } : {}) });
  out.say(`Project: ${file}`);
  for (const change of changes) out.say(`  ${change}`);
  out.say(`Train it: ${commandLine('train', file)}`);
}

async function showTemplates(out: Output): Promise<void> {
  const known = (await templateCards()).map(({ text, facts, ...told }) => {
    const { parameters, splits, project } = planProject(readProject(text).project ?? {}, facts);
    const { train } = facts.parts;
    const wanted = { project: told.name, parameters, samples: splits?.train ?? train, device: null };
    return { ...told, parameters, samples: train, input: facts.input.dims, epochs: project.training.epochs, wanted };
  });
  const runs = await listRuns();
  const speed = speedHere(
    runs,
    known.map(({ wanted, epochSeconds }) => ({ wanted, seconds: epochSeconds })),
  );
  const templates = known.map(({ wanted, ...told }) => {
    const measured = epochEstimate(runs, wanted);
    const epochSeconds = measured?.seconds ?? told.epochSeconds * (speed ?? 1);
    return { ...told, epochSeconds, measured_in: measured?.run ?? null };
  });
  for (const { epochSeconds, ...template } of templates) {
    out.object({ type: 'template', ...template, epoch_seconds: epochSeconds });
  }
  for (const category of new Set(templates.map((template) => template.category))) {
    const of = templates.filter((template) => template.category === category);
    out.say(out.style('bold', category));
    const lines = of.map(({ name, title, parameters, input, epochs, epochSeconds, measured_in }) => [
      `  ${name}`,
      title,
      dims(input),
      `${integer(parameters)} parameters`,
      plural(epochs, 'epoch'),
      measured_in === null ? `about ${roughly(epochSeconds)} each` : `${seconds(epochSeconds)} each, measured`,
    ]);
    out.say(table(lines, [2, 3, 4, 5]));
    out.say();
  }
  out.say(
    speed === null
      ? 'The times are estimates for two CPU cores.'
      : 'Times that were not measured are estimates from the templates that were trained here.',
  );
  out.say(`One of them as a project: ${commandLine('new', 'TEMPLATE')}`);
  out.say(`With data of your own: ${commandLine('new', 'TEMPLATE', '--fit', 'PROJECT_OR_FOLDER')}`);
}

const roughly = (value: number) => seconds(value).replace(/\.0 s$/, ' s');

/** Which templates go with some data, and what changes in them. */
async function showFits(out: Output, from: string): Promise<void> {
  const fits = await fitsOf(await dataAt(from, projectsDir(workspaceDir())));
  for (const { name, fit } of fits) {
    out.object({ type: 'fit', template: name, fits: fit.refused === null, changes: fit.changes, refused: fit.refused });
  }
  for (const { name, fit } of fits.filter((each) => each.fit.refused === null)) {
    out.say(out.style('bold', name));
    for (const change of fit.changes.length > 0 ? fit.changes : ['nothing changes']) out.say(`  ${change}`);
  }
  out.say();
  for (const { name, fit } of fits.filter((each) => each.fit.refused !== null)) {
    out.say(`${name} does not go with it. ${fit.refused?.message}.`);
  }
}

export const addFit: AddCommand = (program, context) => {
  program
    .command('fit')
    .argument('<file>', 'project file')
    .summary("fit a project's network to its data")
    .description(
      "Changes what of the network, its loss and its metrics does not go with the project's data, in the file itself. Exit code 2 where that cannot be done.",
    )
    .option('--dry-run', 'only say what would change')
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) => {
      const { out } = context;
      const files = new ProjectFiles();
      const opened = await files.open(file);
      const { text, project: read } = readProject(opened.text);
      const project = read ?? {};
      const { source } = resolveProject(project).data;
      if (!source) {
        const hint = 'Choose it in the window, or write data.source into the file.';
        throw new GradloomError('DATA_MISSING', `${path.basename(file)} has no data`, { hint, path: file });
      }
      const { edits, changes, refused, plan } = fitProject(
        project,
        await describeSource(source, path.dirname(opened.file)),
      );
      const { input, output, parameters } = plan;
      const written = !dryRun && !refused && edits.length > 0;
      if (written) await files.save(opened.file, opened.revision, editProject(text, edits));
      out.object({ type: 'fit', path: opened.file, changes, refused, written, input, output, parameters });
      if (refused) {
        context.exitCode = 2;
        out.say(`It cannot be fitted. ${refused.message}.`);
        out.say(`  Next: ${refused.hint}`);
        return;
      }
      if (edits.length === 0) return out.say('The network goes with its data: nothing changes.');
      out.say(dryRun ? 'This would change:' : 'Changed:');
      for (const change of changes) out.say(`  ${change}`);
    });
};
