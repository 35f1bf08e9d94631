/** `devices` and `doctor`: what there is to compute with, and what is missing. */
import { formatReport, inspect } from '../../native/setup/doctor.mjs';
import { bytes, table } from '../format.ts';
import { loadAddon } from '../native/load.ts';
import type { AddCommand } from './context.ts';

export const addDevices: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('devices')
    .summary('list the devices')
    .description('Lists the devices that can train, with their memory.')
    .action(() => {
      const devices = loadAddon().devices();
      for (const device of devices) out.object({ type: 'device', ...device });
      const size = (value: number | null) => (value === null ? 'not available' : bytes(value));
      const rows = devices.map(({ name, label, capability, half, memory_free, memory_total }) => [
        name,
        label,
        capability ?? '',
        ['fp32', ...half].join(', '),
        size(memory_free),
        size(memory_total),
      ]);
      out.say(table([['device', 'name', 'capability', 'fast in', 'free', 'memory'], ...rows], [4, 5]));
    });

  program
    .command('doctor')
    .summary('say what is installed and what is missing')
    .description('Says what was found, where, and what is missing; exit code 1 if something is.')
    .action(async () => {
      const report = await inspect();
      out.object({ type: 'doctor', ...report });
      out.say(formatReport(report));
      if (!report.ok) context.exitCode = 1;
    });
};
