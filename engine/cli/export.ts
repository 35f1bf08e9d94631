/** `export`: a run's weights as a file for other programs. */
import { bytes, plural } from '../format.ts';
import { type CheckpointName, type ExportOptions, exportRun } from '../runs/index.ts';
import { checkpointName } from './arguments.ts';
import type { AddCommand } from './context.ts';

export const addExport: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('export')
    .argument('<run>', 'run folder or name')
    .requiredOption('--format <format>', 'safetensors or pt')
    .option('--out <path>', "file to write or replace (default: one in the run's own export folder)")
    .option('--checkpoint <which>', 'best, last or a step (default: best if validation ran, else last)', checkpointName)
    .summary("write a run's weights to a file")
    .description("Writes a run's weights to a file, reads it back and compares every tensor.")
    .action(async (run: string, options: ExportOptions & { checkpoint?: CheckpointName }) => {
      const exported = await exportRun(run, options);
      const { tensors, bytes: size } = exported.certificate;
      out.object({ type: 'export', ...exported });
      out.say(`${exported.replaced ? 'Replaced' : 'Wrote'} ${exported.path}`);
      out.say(
        `${plural(tensors, 'tensor')}, ${bytes(size)}, from the ${exported.checkpoint} checkpoint; read back and found equal.`,
      );
    });
};
