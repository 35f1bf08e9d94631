/** `new`: a project from a template, or which templates there are. */
import { planProject } from '../contract/plan.ts';
import { readProject } from '../contract/project.ts';
import { table } from '../format.ts';
import { newProjectFromTemplate, templateCards } from '../projects.ts';
import { workspaceDir } from '../workspace.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';

export const addNew: AddCommand = (program, { out }) => {
  program
    .command('new')
    .argument('[template]', 'template')
    .summary('make a project from a template, or list the templates')
    .description('Makes a project from a template in the workspace, with its data; without a template, lists them.')
    .action(async (template?: string) => {
      if (template === undefined) return showTemplates(out);
      const path = await newProjectFromTemplate(template, workspaceDir());
      out.object({ type: 'project', template, path });
      out.say(`Project: ${path}`);
      out.say(`Train it: gradloom train ${path}`);
    });
};

async function showTemplates(out: Output): Promise<void> {
  const templates = (await templateCards()).map(({ text, facts, ...told }) => {
    const { parameters } = planProject(readProject(text).project ?? {}, facts);
    return { ...told, parameters, samples: facts.parts.train, input: facts.input.dims };
  });
  for (const { epochSeconds, ...template } of templates) {
    out.object({ type: 'template', ...template, epoch_seconds: epochSeconds });
  }
  for (const category of new Set(templates.map((template) => template.category))) {
    const of = templates.filter((template) => template.category === category);
    out.say(out.style('bold', category));
    const lines = of.map(({ name, title, parameters }) => [
      `  ${name}`,
      title,
      `${parameters.toLocaleString('en')} parameters`,
    ]);
    out.say(table(lines, [2]));
    out.say();
  }
  out.say('One of them as a project: gradloom new TEMPLATE');
}
