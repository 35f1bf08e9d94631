/** How a measurement of memory was made, in words, for the command line and the window alike. */
import type { MemoryFinding } from './finders.ts';

const reasons = {
  memory: 'it may take more than half of the memory that is free',
  time: 'it takes too long',
  ran_out: 'the memory ran out',
} as const;

/** Whether the project's own batch was measured, and why not. */
export function howMeasured({ carried_on, batch_size }: Pick<MemoryFinding, 'carried_on' | 'batch_size'>): string {
  if (carried_on === null) return `The project's own batch of ${batch_size} was measured.`;
  return `Carried on from small batches: the project's own of ${batch_size} was not measured, since ${reasons[carried_on]}.`;
}
