/** `data recipes`, `data fetch`: data sets that can be fetched from public mirrors into the workspace. */
import type { Command } from 'commander';
import { commandLine } from '../command-line.ts';
import { askHere } from '../data/asks.ts';
import { bytes, table } from '../format.ts';
import { workspaceDir } from '../workspace.ts';
import { abortable, type Context } from './context.ts';
import { teller } from './data-import.ts';

export function addDataRecipes(data: Command, context: Context): void {
  data
    .command('recipes')
    .summary('list data sets that can be fetched')
    .description('Lists the data sets that can be fetched from public mirrors, and which of them are in the workspace.')
    .action(async () => {
      const { out } = context;
      const recipes = await askHere('recipes', { home: workspaceDir() });
      for (const recipe of recipes) out.object({ type: 'recipe', ...recipe });
      const rows = recipes.map(({ name, about, licence, there, bytes: size }) => [
        name,
        there ? 'there' : bytes(size),
        about,
        licence,
      ]);
      out.say(table(rows, [1]));
      out.say(`Fetch one: ${commandLine('data', 'fetch', 'NAME')}`);
    });
}

export function addDataFetch(data: Command, context: Context): void {
  data
    .command('fetch')
    .argument('<name>', 'data set, as `data recipes` lists it')
    .summary('fetch a data set into the workspace')
    .description(
      'Fetches a data set from its mirrors into the workspace, checks it, and unpacks it. Broken off, it goes on the next time where it stopped; what is there is not fetched again. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured.',
    )
    .action(async (name: string) => {
      const { out } = context;
      const onProgress = teller(out);
      await abortable(context, async (signal) => {
        const { source, folder } = await askHere('fetch', { name, home: workspaceDir() }, { signal, onProgress });
        out.object({ type: 'fetch', name, folder, source });
        out.say(`Fetched: ${folder}`);
        out.say(`A project with it: ${commandLine('new', 'TEMPLATE', '--fit', folder)}`);
      });
    });
}
