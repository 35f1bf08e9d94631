/** Marks that people put on single samples: a wrong label, a sample to leave out. They lie beside the data and every run honours them. */
import { z } from 'zod';
import { partNames } from '../tensors.ts';

export const markSchema = z.object({
  part: z.enum(partNames),
  /** As the source names the sample: `cats/007.jpg`, `row 18`; a sample that changes its place keeps its mark. */
  sample: z.string().min(1),
  /** It is neither trained on nor validated with. */
  exclude: z.boolean().exactOptional(),
  /** The class that it belongs to, by name, in place of its own. */
  label: z.string().exactOptional(),
  note: z.string().exactOptional(),
});
export type Mark = z.infer<typeof markSchema>;

/** `null`: the mark goes. */
export const markChangeSchema = z.object({
  part: z.enum(partNames),
  sample: z.string().min(1),
  mark: markSchema.omit({ part: true, sample: true }).nullable(),
});
export type MarkChange = z.infer<typeof markChangeSchema>;

/** A data folder's marks; beside a file they are `<file>.gradloom-marks.json`. */
export const marksName = 'gradloom-marks.json';

/** What a mark says, in words: `left out`, `is cat`. */
export function markWords({ exclude, label }: Pick<Mark, 'exclude' | 'label'>): string {
  if (exclude) return 'left out';
  return label === undefined ? 'noted' : `is ${label}`;
}

/** The file beside the data: in a folder of data `gradloom-marks.json`, beside a file `<file>.gradloom-marks.json`. */
export const marksFileSchema = z.object({ gradloom_marks: z.literal(1), marks: z.array(markSchema) });
export type MarksFile = z.infer<typeof marksFileSchema>;
