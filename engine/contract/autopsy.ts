/** `autopsy.json`: why a run stopped being finite: where it began, with which batch, what had gone before, and what usually helps. */
import { z } from 'zod';
import { numSchema } from './events.ts';
import { editSchema, type Fix } from './problems.ts';

const valueCounts = z.object({
  elements: z.number(),
  nan: z.number(),
  positive_infinity: z.number(),
  negative_infinity: z.number(),
  /** Of the finite ones. */
  min: z.number().nullable(),
  max: z.number().nullable(),
});

/** What usually helps for this finding; without edits it is for a person to do. */
const remedy = z.object({ label: z.string(), why: z.string(), edits: z.array(editSchema) });
export interface Remedy extends Fix {
  why: string;
}

export const autopsySchema = z.object({
  version: z.literal(1),
  time: z.string(),
  /** In a sentence. */
  message: z.string(),
  /**
   * Where it first was not finite: the batch (`input`), a layer's output (`forward`), the loss, a gradient (`backward`), what the optimizer
   * made of it (`update`), the parameters that an earlier update left (`parameters`), or the validation after an epoch.
   */
  phase: z.enum(['input', 'forward', 'loss', 'backward', 'update', 'parameters', 'evaluation', 'none']),
  /** The layer's tensor path (`3.layers.0`), its kind, the project's own name for it, and its place in the project file. */
  layer: z.string().nullable(),
  kind: z.string().nullable(),
  name: z.string().nullable(),
  place: z.string().nullable(),
  /** The parameter, gradient or optimizer state. */
  tensor: z.string().nullable(),
  values: valueCounts.nullable(),
  /** The step that was not done, and its epoch; both from 1. */
  step: z.number(),
  epoch: z.number(),
  /** The batch of that epoch, from 1; null after an epoch. */
  batch: z.number().nullable(),
  batches: z.number(),
  /** The data's part, and the batch's samples in it, in their order; positions from 0. */
  part: z.string(),
  samples: z.array(z.number()),
  /** Those among them whose own input or target is not finite in the data, before any transform. */
  faulty: z.array(z.object({ sample: z.number(), column: z.enum(['input', 'target']) })),
  lr: z.number().nullable(),
  precision: z.string(),
  /** The last steps before it. */
  recent: z.object({
    step: z.array(z.number()),
    lr: z.array(z.number()),
    loss: z.array(numSchema),
    /** Absent without clipping. */
    grad_norm: z.array(numSchema).exactOptional(),
  }),
  /** In the run's folder: the batch as it reached the network, `input` and `target`. */
  batch_file: z.string().nullable(),
  /**
   * The newest state whose weights are finite. A resume goes on from it, or, where its weights would not answer otherwise with any settings,
   * from the one before it.
   */
  checkpoint: z.object({ folder: z.string(), step: z.number() }).nullable(),
  remedies: z.array(remedy),
});
export type Autopsy = z.infer<typeof autopsySchema>;
