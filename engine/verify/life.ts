/** What a check asks of one process of a run: where it begins, is stopped, is killed. */
import { z } from 'zod';

export const lifeSchema = z.object({
  /** The run's folder: made by a life that begins, gone on with by one that resumes. */
  run: z.string(),
  /** Where the hashes go, line by line. */
  trace: z.string(),
  resume: z.boolean(),
  /** The step after which the run is stopped. */
  stop: z.number(),
  /** The step after which this process is killed, as by `kill -9`; null: it is not. */
  kill: z.number().nullable(),
  /** Largest chunk of steps; chunks are of other sizes each time, because no result may depend on them. */
  chunk: z.number(),
});
export type Life = z.infer<typeof lifeSchema>;
