/** `data`: what lies at a path, its import, and what imports have left in the cache. */
import type { Command } from 'commander';
import type { AddCommand, Context } from './context.ts';
import { addDataCache } from './data-cache.ts';
import { addDataDoctor } from './data-doctor.ts';
import { addDataImport } from './data-import.ts';
import { addDataInspect } from './data-inspect.ts';
import { addDataMarks } from './data-marks.ts';
import { addDataFetch, addDataRecipes } from './data-recipes.ts';
import { addDataTable } from './data-table.ts';

/** Each adds one command below `data`. */
const commands: ((data: Command, context: Context) => void)[] = [
  addDataInspect,
  addDataDoctor,
  addDataMarks,
  addDataImport,
  addDataTable,
  addDataCache,
  addDataRecipes,
  addDataFetch,
];

export const addData: AddCommand = (program, context) => {
  const data = program
    .command('data')
    .helpCommand(false)
    .summary('look at data, import them, see what is imported')
    .description('Says what lies at a path, imports it, and looks after what is imported.');
  for (const add of commands) add(data, context);
};
