/** `demo`: a project from a template in the workspace, trained. */
import { newProjectFromTemplate } from '../projects.ts';
import { trainRun } from '../runs/index.ts';
import { workspaceDir } from '../workspace.ts';
import type { AddCommand } from './context.ts';
import { runHere, type TrainOptions, withTrainOptions } from './train.ts';

export const addDemo: AddCommand = (program, context) => {
  withTrainOptions(program.command('demo').argument('[template]', 'template', 'digits-mlp'))
    .summary('train a template on the bundled digits')
    .description('Copies a template and its data into the workspace (unless they are there) and trains it.')
    .action(async (template: string, options: TrainOptions) => {
      const projectFile = await newProjectFromTemplate(template, workspaceDir(), { reuse: true });
      context.out.say(`Project: ${projectFile}`);
      await runHere(context, (sink, control) => trainRun({ projectFile, ...options }, sink, control));
    });
};
